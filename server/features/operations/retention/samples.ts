import type { Samples } from '../../../test/samples.ts';

// Roots other than the master's.
const passes = [404];

export const samples: Samples = {
  'GET /api/retention': { named: false, request: () => ({ url: '/api/retention' }), passes },
  'GET /api/retention/:kind/preview': {
    named: false,
    request: () => ({ url: '/api/retention/emails/preview?days=30' }),
    passes,
  },
  'POST /api/retention/:kind': {
    named: false,
    request: () => ({ url: '/api/retention/emails', body: { kind: 'emails', days: 30 } }),
    passes,
  },
  'GET /api/privacy-policy/retention': {
    named: false,
    request: () => ({ url: '/api/privacy-policy/retention' }),
  },
};
