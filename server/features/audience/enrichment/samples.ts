import { belowOf, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/configuration/list-advance-information': {
    named: true,
    request: (t) => ({ url: `/api/configuration/list-advance-information?companyID=${t.client.id}` }),
  },
  'GET /api/configuration/list-advance-information/:type': {
    named: true,
    request: (t) => ({ url: `/api/configuration/list-advance-information/b2b?companyID=${t.client.id}` }),
  },
  'GET /api/configuration/data-enrichment': {
    named: true,
    request: (t) => ({ url: `/api/configuration/data-enrichment?companyID=${t.client.id}` }),
  },
  'PUT /api/configuration/data-enrichment': {
    named: true,
    request: (t, who) => ({
      url: '/api/configuration/data-enrichment',
      body: { companyID: belowOf(t, who), information: [1, 101], providers: ['embedded'] },
    }),
  },
  'GET /api/configuration/data-enrichment/sources': {
    named: false,
    request: () => ({ url: '/api/configuration/data-enrichment/sources' }),
  },
  'PUT /api/configuration/data-enrichment/sources': {
    named: false,
    request: () => ({
      url: '/api/configuration/data-enrichment/sources',
      body: { provider: 'pdl', key: 'key-of-the-matrix' },
    }),
  },
  'GET /api/bigdbm/services/configdata': {
    named: true,
    request: (t) => ({ url: `/api/bigdbm/services/configdata?companyID=${t.client.id}` }),
  },
  'GET /api/general/enhance/location': {
    named: false,
    request: () => ({ url: '/api/general/enhance/location?search=aus' }),
  },
};
