import { duesOf } from '../../../test/dues.ts';
import { app, chargesOver, next, type Principal, type Samples, type Target } from '../../../test/samples.ts';

/** A person of the target's agency, for a root to settle. */
const agencyPersonOf = async ({ client, canary }: Target): Promise<string> =>
  (await app.make.user({ ...client, id: client.agency_id! }, { name: canary })).id;

/** Gives the target's agency a card to pay with again. */
const agencyCard = ({ client }: Target) =>
  app.features.billing.accounts.sandboxCard(
    { root_id: client.root_id, agency_id: client.agency_id!, company_id: client.agency_id! },
    'works',
  );

/** An open invoice that the target's client pays, or its agency if an agency is calling. */
async function openInvoice(target: Target, who: Principal | undefined): Promise<string> {
  const { client, campaign } = target;
  const isAgency = who?.grade.startsWith('agency') ?? false;
  if (isAgency) await agencyCard(target);
  const dues = duesOf(app, { id: client.root_id, root_id: client.root_id, agency_id: null });
  await dues.lead(campaign, 2_000_000n, 1_000_000n);
  const id = await dues.bill(isAgency ? { ...client, id: client.agency_id! } : client);
  await chargesOver(id);
  return id;
}

export const samples: Samples = {
  // Only for invoices of its own company: an agency does not pay those of its clients.
  'POST /api/billing/invoices/:id/pay': {
    named: true,
    request: async (t, who) => ({
      url: `/api/billing/invoices/${await openInvoice(t, who)}/pay`,
      body: { idempotencyKey: `matrix-${next()}` },
    }),
  },
  'POST /api/general/manual-bill-settlement': {
    named: true,
    request: async (t, who) => ({
      url: '/api/general/manual-bill-settlement',
      body: { userID: who?.grade.startsWith('root') ? await agencyPersonOf(t) : t.personId },
    }),
  },
  'PUT /api/payment/set-billing-method': {
    named: true,
    also: 'subscription.write',
    request: async (t) => {
      await agencyCard(t);
      const { rows } = await app.admin.query(
        'select manual_bill from company_billing where company_id = $1',
        [t.client.agency_id],
      );
      return {
        url: '/api/payment/set-billing-method',
        body: { companyID: t.client.agency_id, manualBill: rows[0]?.manual_bill ? 'F' : 'T' },
      };
    },
    // The invoice that ends it may still be in progress.
    passes: [409],
  },
  'PUT /api/configuration/cancel-subscription': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/cancel-subscription',
      body: { companyID: t.client.agency_id },
    }),
    passes: [409],
  },
  'GET /api/configuration/package': { named: false, request: () => ({ url: '/api/configuration/package' }) },
  'PUT /api/configuration/setting/package': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/setting/package',
      body: { companyID: t.client.agency_id, packageID: 'standard' },
    }),
  },
};
