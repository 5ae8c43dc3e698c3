import type { Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/dashboard': { named: true, request: (t) => ({ url: `/api/dashboard?companyID=${t.client.id}` }) },
  'GET /api/dashboard/home': { named: false, request: () => ({ url: '/api/dashboard/home' }) },
  'GET /api/leadspeek/report/clients': {
    named: false,
    request: () => ({ url: '/api/leadspeek/report/clients?PerPage=100' }),
  },
  'GET /api/leadspeek/report/chart': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/chart?companyID=${t.client.id}` }),
  },
  'GET /api/leadspeek/report/initdate': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/initdate?companyID=${t.client.id}` }),
  },
  'GET /api/leadspeek/report/invoice': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/invoice?companyID=${t.client.id}` }),
  },
};
