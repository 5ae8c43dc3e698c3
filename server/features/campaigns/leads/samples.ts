import { fresh, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'POST /api/leadspeek/client/send-test-lead': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/send-test-lead',
      body: { leadspeekID: (await fresh(t)).campaign.id },
    }),
  },
  'GET /api/leadspeek/report/lead': {
    named: false,
    request: () => ({ url: '/api/leadspeek/report/lead?PerPage=100' }),
  },
  'GET /api/leadspeek/report/lead/:id': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/lead/${t.leadId}` }),
  },
  'GET /api/leadspeek/report/lead/:id/journey': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/lead/${t.leadId}/journey` }),
  },
  'POST /api/leadspeek/report/lead/score-preview': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/report/lead/score-preview',
      body: { leadspeekID: t.campaign.id, scoreHot: 5 },
    }),
  },
  'GET /api/leadspeek/report/lead/export': {
    permission: 'lead.read',
    named: false,
    request: () => ({ url: '/api/leadspeek/report/lead/export' }),
  },
  'GET /api/leadspeek/report/least-confidence': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/least-confidence?companyID=${t.client.id}` }),
  },
};
