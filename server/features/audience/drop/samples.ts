import { app, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/privacy-drop': { named: false, request: () => ({ url: '/api/privacy-drop' }) },
  'GET /api/privacy-drop/downloads': {
    named: false,
    request: () => ({ url: '/api/privacy-drop/downloads' }),
  },
  'PUT /api/privacy-drop': {
    named: false,
    request: () => ({ url: '/api/privacy-drop', body: { mode: 'simulated' } }),
  },
  'POST /api/privacy-drop/run': {
    named: false,
    request: async (t) => {
      await app.admin.query(
        `insert into drop_account (root_id, company_id, mode, created_at) values ($1, $1, 'simulated', now())
         on conflict do nothing`,
        [t.client.root_id],
      );
      return { url: '/api/privacy-drop/run', body: {} };
    },
  },
};
