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
};
