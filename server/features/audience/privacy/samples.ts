import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** An open request at the host of the target's agency. */
async function freshRequest(target: Target, isDecided = false): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into privacy_request (id, root_id, agency_id, company_id, kind, asked_by, name, email, state, code_mac,
       received_at, proven_at, due_at, decided_at)
     values (gen_random_uuid(), $1, $2, $2, 'delete', 'self', $3, $4, $5, '\\x00', now(), now(), now() + interval '45 days', $6)
     returning id`,
    [
      target.client.root_id,
      target.client.agency_id,
      target.canary,
      `someone${next()}@example.com`,
      isDecided ? 'completed' : 'open',
      isDecided ? new Date() : null,
    ],
  );
  return rows[0].id;
}

export const samples: Samples = {
  // The captcha is missing.
  'POST /api/general/privacy-request': {
    named: false,
    request: () => ({
      url: '/api/general/privacy-request',
      body: { kind: 'opt_out', name: 'Ann', email: 'ann@example.com' },
    }),
    passes: [422, 429],
  },
  'POST /api/general/privacy-request/confirm': {
    named: false,
    request: () => ({
      url: '/api/general/privacy-request/confirm',
      body: { id: '00000000-0000-4000-8000-000000000000', code: '000000' },
    }),
    passes: [410, 429],
  },
  'GET /api/privacy-requests': {
    named: false,
    request: async (t) => {
      await freshRequest(t);
      return { url: '/api/privacy-requests' };
    },
  },
  'GET /api/privacy-requests/months': {
    named: false,
    request: () => ({ url: '/api/privacy-requests/months' }),
  },
  'GET /api/privacy-requests/:id': {
    named: true,
    request: async (t) => ({ url: `/api/privacy-requests/${await freshRequest(t)}` }),
  },
  'GET /api/privacy-requests/:id/certificate': {
    named: true,
    permission: 'privacy.read',
    request: async (t) => ({ url: `/api/privacy-requests/${await freshRequest(t, true)}/certificate` }),
  },
  'GET /.well-known/gpc.json': {
    named: false,
    request: () => ({ url: '/.well-known/gpc.json' }),
  },
  'POST /api/privacy-requests': {
    named: false,
    request: () => ({
      url: '/api/privacy-requests',
      body: {
        ...{ kind: 'opt_out', name: 'Ann', email: `ann${next()}@example.com`, came_by: 'mail' },
        ...{
          received_on: new Date(app.clock.now().getTime() - 86_400_000).toISOString().slice(0, 10),
          proof: 'Her signed letter',
        },
      },
    }),
  },
  'POST /api/privacy-requests/:id/acknowledge': {
    named: true,
    request: async (t) => ({ url: `/api/privacy-requests/${await freshRequest(t)}/acknowledge` }),
  },
  'POST /api/privacy-requests/:id/extend': {
    named: true,
    request: async (t) => ({
      url: `/api/privacy-requests/${await freshRequest(t)}/extend`,
      body: { reason: 'Many records' },
    }),
  },
  'POST /api/privacy-requests/:id/decide': {
    named: true,
    request: async (t) => ({
      url: `/api/privacy-requests/${await freshRequest(t)}/decide`,
      body: { outcome: 'completed' },
    }),
  },
};
