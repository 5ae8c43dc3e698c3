import { app, freshLead, type Samples, type Target } from '../../../test/samples.ts';

/** An open return of a lead of the target's client. */
async function freshReturn(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into return_request (id, root_id, agency_id, company_id, campaign_id, lead_id, reason, note, state, proofs,
       is_proven, opened_by, created_at)
     select gen_random_uuid(), root_id, agency_id, company_id, campaign_id, id, 'duplicate', $2, 'open', '[]', false, $3, now()
     from lead where id = $1 returning id`,
    [await freshLead(target), target.canary, target.personId],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/returns': {
    named: true,
    request: async (t) => {
      await freshReturn(t);
      return { url: `/api/returns?companyID=${t.client.id}` };
    },
  },
  'GET /api/returns/lead/:id': {
    named: true,
    request: (t) => ({ url: `/api/returns/lead/${t.leadId}` }),
  },
  'POST /api/returns': {
    named: true,
    request: async (t) => ({
      url: '/api/returns',
      body: { ids: [await freshLead(t)], reason: 'wrong_person' },
    }),
  },
  'POST /api/returns/decide': {
    named: true,
    request: async (t) => ({
      url: '/api/returns/decide',
      body: { ids: [await freshReturn(t)], decision: 'approved' },
    }),
  },
  'GET /api/returns/quality': {
    named: true,
    request: (t) => ({ url: `/api/returns/quality?companyID=${t.client.id}` }),
  },
};
