import type { Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  // Needs a key or a token obtained with one; a user session does not count.
  'POST /api/general/unsubscribe': {
    named: false,
    request: () => ({ url: '/api/general/unsubscribe', body: { token: 'x' } }),
    passes: [410],
  },
  'POST /unsubscribe/:token': {
    named: false,
    request: () => ({ url: '/unsubscribe/x', body: {} }),
    passes: [410],
  },
};
