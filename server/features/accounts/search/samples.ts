import type { Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/general/search': { named: false, request: () => ({ url: '/api/general/search?q=CANARY' }) },
};
