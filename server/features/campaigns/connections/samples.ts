import { freshConnection, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/integrations/vendors': { named: false, request: () => ({ url: '/api/integrations/vendors' }) },
  'GET /api/integrations/connections': {
    named: true,
    request: (t) => ({ url: `/api/integrations/connections?companyID=${t.client.id}` }),
  },
  'POST /api/integrations/connections': {
    named: true,
    request: (t) => ({
      url: '/api/integrations/connections',
      body: { companyID: t.client.id, vendor: 'hubspot', credentials: { token: 'pat-na1-stub' } },
    }),
  },
  'PUT /api/integrations/connections/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/connections/${(await freshConnection(t)).id}`,
      body: { state: 'paused' },
    }),
  },
  'DELETE /api/integrations/connections/:id': {
    named: true,
    request: async (t) => ({ url: `/api/integrations/connections/${(await freshConnection(t)).id}` }),
  },
  'POST /api/integrations/connections/:id/test': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/connections/${(await freshConnection(t)).id}/test`,
      body: {},
    }),
  },
  'GET /api/integrations/connections/:id/choices': {
    named: true,
    request: (t) => ({ url: `/api/integrations/connections/${t.connectionId}/choices` }),
  },
  'GET /api/integrations/google-sheet/check-connect': {
    named: true,
    request: (t) => ({ url: `/api/integrations/google-sheet/check-connect?companyID=${t.client.id}` }),
  },
  'POST /api/integrations/google-sheet/revoke': {
    named: true,
    request: (t) => ({ url: '/api/integrations/google-sheet/revoke', body: { companyID: t.client.id } }),
  },
  'POST /api/integrations/connections/sign-in': {
    named: true,
    request: (t) => ({
      url: '/api/integrations/connections/sign-in',
      body: { companyID: t.client.id, vendor: 'hubspot' },
    }),
  },
  'POST /api/integrations/connections/signed-in': {
    named: false,
    request: () => ({
      url: '/api/integrations/connections/signed-in',
      body: { state: 'nobody began this', code: 'x' },
    }),
    passes: [409],
  },
  'GET /api/integrations/callback': {
    named: false,
    request: () => ({ url: '/api/integrations/callback?state=none&code=x' }),
    passes: [404],
  },
};
