import { inScope } from '../../../platform/db/scope.ts';
import { app, belowOf, fresh, next, type Samples, type Target } from '../../../test/samples.ts';

/** Makes the target's agency bill its clients here, whatever another sample changed. */
const billsHere = ({ client }: Target): Promise<void> =>
  inScope(app.platform.db.app, { rootId: client.root_id }, (tx) =>
    app.features.billing.accounts.setTerms(
      tx,
      { root_id: client.root_id, agency_id: client.agency_id!, company_id: client.agency_id! },
      { manual_bill: false, updated_at: app.clock.now() },
    ),
  );

/** A lead of the target's campaign that its client and agency have paid for and that has not been refunded. */
async function freshLead(target: Target): Promise<string> {
  const { make, features } = app;
  const { client, campaign, canary } = await fresh(target);
  await billsHere(target);
  await make.leadCost({ ...client, id: client.agency_id! }, 100_000n);
  const person = make.person({ last_name: canary });
  await make.people({ id: client.root_id, root_id: client.root_id, agency_id: null }, [person]);
  await make.visit(campaign, { email: person.email });
  await features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query(
    'select id from lead where campaign_id = $1 order by created_at desc, id desc limit 1',
    [campaign.id],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/credits/lead/:id': {
    named: true,
    request: (t) => ({ url: `/api/credits/lead/${t.leadId}` }),
  },
  'POST /api/credits/lead/:id': {
    named: true,
    request: async (t) => ({ url: `/api/credits/lead/${await freshLead(t)}`, body: { reason: 'duplicate' } }),
  },
  // For the company directly below the caller's.
  'GET /api/credits': {
    named: true,
    request: (t, who) => ({ url: `/api/credits?companyID=${belowOf(t, who)}` }),
  },
  'POST /api/credits': {
    named: true,
    request: async (t, who) => {
      await billsHere(t);
      return {
        url: '/api/credits',
        body: {
          companyID: belowOf(t, who),
          ...(who?.grade.startsWith('root') ? {} : { leadspeekID: t.campaign.id }),
          amount: '1.00',
          reason: 'goodwill',
          idempotencyKey: `matrix-key-${next()}`,
        },
      };
    },
  },
};
