import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** Lets the client be charged on its agency's account, and has it buy 10 leads of its campaign if requested. */
async function buyer(t: Target, leads = 0): Promise<void> {
  const { root_id, agency_id, id } = t.client;
  const owner = { root_id, agency_id: agency_id!, company_id: id };
  const { billing, payments } = app.features;
  await billing.accounts.sandboxAccount({ ...owner, company_id: owner.agency_id }, 'approve');
  await billing.accounts.sandboxCard(owner, 'works');
  if (leads === 0) return;
  await payments.charges.charge({
    owner,
    purpose: 'prepaid_top_up',
    referenceId: t.campaign.id,
    amountMicros: BigInt(leads) * 1_000_000n,
    key: `matrix-key-${next()}`,
    description: 'Matrix',
    details: { leads: String(leads), price: '1000000', term: 'Prepaid' },
  });
}

export const samples: Samples = {
  'POST /api/leadspeek/client/topup-estimate': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/topup-estimate',
      body: { leadspeekID: t.campaign.id, leadsbuy: 10 },
    }),
  },
  'POST /api/leadspeek/client/topup-card': {
    named: true,
    request: async (t) => {
      await buyer(t);
      // Whatever other calls have changed: its clients are billed here.
      await app.admin.query(
        "update company_billing set manual_bill = false, cancelled_at = null, payment_status = '', access_module = '' where root_id = $1",
        [t.client.root_id],
      );
      return {
        url: '/api/leadspeek/client/topup-card',
        body: {
          leadspeekID: t.campaign.id,
          leadsbuy: 10,
          amount: '10.00',
          idempotencyKey: `matrix-key-${next()}`,
        },
      };
    },
    passes: [409],
  },
  'GET /api/leadspeek/client/current-topup/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/current-topup/${t.campaign.id}` }),
  },
  'POST /api/leadspeek/client/stop-continual-topup': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/stop-continual-topup',
      body: { leadspeekID: t.campaign.id },
    }),
  },
  'GET /api/leadspeek/client/remaining-balance/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/remaining-balance/${t.campaign.id}` }),
  },
  'POST /api/leadspeek/client/refund': {
    named: true,
    request: async (t) => {
      await buyer(t, 10);
      return {
        url: '/api/leadspeek/client/refund',
        body: { leadspeekID: t.campaign.id, amount: '1.00', idempotencyKey: `matrix-key-${next()}` },
      };
    },
  },
};
