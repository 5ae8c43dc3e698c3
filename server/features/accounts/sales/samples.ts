import { belowOf, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  // A root's users assign an agency's salespeople; an agency's users assign its clients'.
  'GET /api/configuration/sales/list': {
    named: true,
    request: (t, who) => ({ url: `/api/configuration/sales/list?companyID=${belowOf(t, who)}` }),
  },
  'PUT /api/configuration/sales': {
    named: true,
    request: (t, who) => ({
      url: '/api/configuration/sales',
      body: { companyID: belowOf(t, who), salesRep: '', salesAE: null },
    }),
  },
  'GET /api/configuration/sales/downline': {
    named: false,
    request: () => ({ url: '/api/configuration/sales/downline' }),
  },
};
