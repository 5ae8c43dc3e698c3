import { app, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/digest': { named: false, request: () => ({ url: '/api/digest' }), passes: [404] },
  'PUT /api/digest': {
    named: false,
    request: async () => {
      // So that each call changes something.
      await app.admin.query('delete from digest_choice');
      return { url: '/api/digest', body: { is_on: true } };
    },
    passes: [404],
  },
  'GET /api/digest/preview': {
    named: false,
    request: () => ({ url: '/api/digest/preview' }),
    passes: [404],
  },
  'POST /api/digest/send': {
    named: false,
    request: () => ({ url: '/api/digest/send', body: {} }),
    passes: [404, 422, 429],
  },
};
