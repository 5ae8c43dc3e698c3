import { app, next, own, type Principal, type Samples, type Target } from '../../../test/samples.ts';

/** Gives a caller who may charge a wallet a card again, since other samples remove it. */
async function cardOf(who: Principal | undefined): Promise<void> {
  if (who?.grade !== 'agency.owner') return;
  const owner = { root_id: own.client.root_id, agency_id: who.companyId, company_id: who.companyId };
  await app.features.billing.accounts.sandboxCard(owner, 'works');
}

const PREPAID = '/api/configuration/agencies/prepaid';

const walletOf = (t: Target, amount: string) => ({
  company_id: t.client.agency_id,
  amount,
  custom_amount: 'F',
  stop_continual: 'T',
});

export const samples: Samples = {
  // A wallet belongs to an agency: here, the target's agency.
  'GET /api/configuration/agencies/prepaid/direct-payment/:company_id': {
    named: true,
    request: (t) => ({ url: `${PREPAID}/direct-payment/${t.client.agency_id}` }),
  },
  'GET /api/configuration/agencies/prepaid/transaction-history-direct-payment/:company_id': {
    named: true,
    request: (t) => ({ url: `${PREPAID}/transaction-history-direct-payment/${t.client.agency_id}` }),
  },
  'GET /api/configuration/agencies/prepaid/download-transaction-history-direct-payment/:company_id/:date': {
    permission: 'wallet.read',
    named: true,
    request: (t) => ({
      url: `${PREPAID}/download-transaction-history-direct-payment/${t.client.agency_id}/2026-03`,
    }),
  },
  'POST /api/configuration/agencies/prepaid/stop-continual-topup-direct-payment': {
    named: true,
    request: (t) => ({
      url: `${PREPAID}/stop-continual-topup-direct-payment`,
      body: { company_id: t.client.agency_id, stop_continual: 'T' },
    }),
  },
  'POST /api/configuration/agencies/prepaid/save-direct-payment': {
    named: true,
    request: async (t, who) => {
      await cardOf(who);
      return { url: `${PREPAID}/save-direct-payment`, body: walletOf(t, '0') };
    },
  },
  'POST /api/configuration/agencies/prepaid/charge-direct-payment': {
    named: true,
    request: async (t, who) => {
      await cardOf(who);
      const idempotencyKey = `matrix-key-${next()}`;
      return { url: `${PREPAID}/charge-direct-payment`, body: { ...walletOf(t, '250'), idempotencyKey } };
    },
  },
};
