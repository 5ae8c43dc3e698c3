import type { Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  // The agencies in this test have nothing to pay.
  'POST /api/user/onboarding-charge': {
    named: false,
    request: () => ({ url: '/api/user/onboarding-charge', body: {} }),
    passes: [404, 409],
  },
};
