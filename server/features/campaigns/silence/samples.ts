import { app, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/silence': { named: false, request: () => ({ url: '/api/silence' }), passes: [404] },
  'PUT /api/silence': {
    named: false,
    request: async () => {
      // So that each call changes something.
      await app.admin.query('delete from silence_choice');
      return { url: '/api/silence', body: { is_on: false } };
    },
    passes: [404],
  },
};
