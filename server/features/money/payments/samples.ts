import { app, NOBODY, type Samples, type Target } from '../../../test/samples.ts';

/** A declined charge of the client, to be looked at. */
async function declinedCharge(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into charge (id, root_id, agency_id, company_id, purpose, reference_id, idempotency_key, amount_cents, description,
       provider, account, customer, card, brand, last4, state, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'invoice', 'x', gen_random_uuid()::text, 100, $4, 'sandbox', '', 'none', 'none', 'visa',
       '4242', 'declined', now()) returning id`,
    [target.client.root_id, target.client.agency_id, target.client.id, target.canary],
  );
  return rows[0].id;
}

/** A discrepancy with the provider concerning the client. */
async function difference(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into payment_mismatch (id, root_id, agency_id, company_id, provider_reference, kind, ours, theirs, found_at, seen_at)
     values (gen_random_uuid(), $1, $2, $3, gen_random_uuid()::text, 'not_here', $4, 'x', now(), now()) returning id`,
    [target.client.root_id, target.client.agency_id, target.client.id, target.canary],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/payment/card': { named: false, request: () => ({ url: '/api/payment/card' }) },
  'POST /api/payment/card/start': {
    named: false,
    request: () => ({ url: '/api/payment/card/start', body: {} }),
    passes: [409],
  },
  'PUT /api/payment/card': {
    named: false,
    request: () => ({ url: '/api/payment/card', body: { setup: 'none' } }),
    passes: [404, 409],
  },
  'POST /api/payment/customer': {
    named: false,
    request: () => ({ url: '/api/payment/customer', body: { setup: 'none' } }),
    passes: [404],
  },
  'POST /api/payment/customer-direct': {
    named: false,
    request: () => ({ url: '/api/payment/customer-direct', body: { setup: 'none' } }),
    passes: [404, 409],
  },
  'DELETE /api/payment/card': {
    named: false,
    request: () => ({ url: '/api/payment/card' }),
    passes: [404],
  },
  // Only the caller's own charges: no caller here has one.
  'POST /api/payment/charge/:id/authentication': {
    named: false,
    request: () => ({ url: `/api/payment/charge/${NOBODY}/authentication`, body: {} }),
    passes: [404],
  },
  'POST /api/payment/charge/:id/check': {
    named: false,
    request: () => ({ url: `/api/payment/charge/${NOBODY}/check`, body: {} }),
    passes: [404],
  },
  'POST /api/general/connected-account/create': {
    named: false,
    request: () => ({ url: '/api/general/connected-account/create', body: {} }),
  },
  'POST /api/general/connected-account/link': {
    named: false,
    request: () => ({ url: '/api/general/connected-account/link', body: {} }),
    passes: [409],
  },
  'GET /api/general/connected-account/check': {
    named: false,
    request: () => ({ url: '/api/general/connected-account/check' }),
  },
  'POST /api/general/connected-account/keep': {
    named: false,
    request: () => ({ url: '/api/general/connected-account/keep', body: {} }),
    passes: [409],
  },
  'POST /api/general/reset-payment-connection': {
    named: false,
    request: () => ({ url: '/api/general/reset-payment-connection', body: {} }),
  },
  'POST /api/payment/sandbox/card': {
    named: false,
    request: () => ({
      url: '/api/payment/sandbox/card',
      body: { client_secret: 'none', number: '4242424242424242', exp_month: 1, exp_year: 30, cvc: '123' },
    }),
    passes: [404],
  },
  'POST /api/payment/sandbox/authentication': {
    named: false,
    request: () => ({
      url: '/api/payment/sandbox/authentication',
      body: { client_secret: 'none', passed: 'T' },
    }),
    passes: [404],
  },
  'POST /api/payment/sandbox/account/open': {
    named: false,
    request: () => ({ url: '/api/payment/sandbox/account/open', body: { token: 'none' } }),
    passes: [404, 409],
  },
  'POST /api/payment/sandbox/account/submit': {
    named: false,
    request: () => ({ url: '/api/payment/sandbox/account/submit', body: { verdict: 'approve' } }),
    passes: [409],
  },
  'POST /api/payment/notice': {
    named: false,
    request: () => ({ url: '/api/payment/notice', body: {} }),
    passes: [400],
  },
  'GET /api/payment/problems': {
    named: false,
    request: () => ({ url: '/api/payment/problems' }),
  },
  'POST /api/payment/problems/:id/ask': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `/api/payment/problems/${await declinedCharge(t)}/ask`, body: {} }),
  },
  'POST /api/payment/problems/:id/settle': {
    named: true,
    rootOnly: true,
    request: async (t) => ({
      url: `/api/payment/problems/${await declinedCharge(t)}/settle`,
      body: { state: 'declined', reason: 'matrix' },
    }),
    // No one here takes charges, so only closed cases can be tried.
    passes: [409],
  },
  'POST /api/payment/problems/:id/refund': {
    named: true,
    rootOnly: true,
    request: async (t) => ({
      url: `/api/payment/problems/${await declinedCharge(t)}/refund`,
      body: { reason: 'matrix', idempotencyKey: NOBODY },
    }),
    passes: [409],
  },
  'POST /api/payment/problems/difference/:id/resolve': {
    named: true,
    rootOnly: true,
    request: async (t) => ({
      url: `/api/payment/problems/difference/${await difference(t)}/resolve`,
      body: { reason: 'matrix' },
    }),
  },
  'POST /api/payment/problems/compare': {
    named: false,
    request: () => ({ url: '/api/payment/problems/compare', body: {} }),
  },
  'GET /api/payment/payouts': { named: false, request: () => ({ url: '/api/payment/payouts' }) },
  // For the caller's own account: any other account's id is unknown there.
  'GET /api/payment/payouts/:id': {
    named: false,
    request: () => ({ url: '/api/payment/payouts/po_none' }),
    passes: [404],
  },
};
