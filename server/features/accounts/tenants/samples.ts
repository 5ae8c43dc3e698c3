import { NOBODY, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /.well-known/security.txt': {
    named: false,
    request: () => ({ url: '/.well-known/security.txt' }),
  },
  'GET /api/general/domain-info': { named: false, request: () => ({ url: '/api/general/domain-info' }) },
  'GET /api/general/domain-info/:domainorsub': {
    named: false,
    request: () => ({ url: '/api/general/domain-info/root.test' }),
  },
  'GET /brand/:file': { named: false, request: () => ({ url: `/brand/${NOBODY}.png` }), passes: [404] },
  'GET /api/configuration/client/list': {
    named: false,
    request: () => ({ url: '/api/configuration/client/list?PerPage=100' }),
  },
};
