import type { Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/leadspeek/client/embedded-code/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/embedded-code/${t.campaign.id}` }),
  },
  'POST /api/leadspeek/client/check-embedded-code': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/check-embedded-code',
      body: { leadspeekID: t.campaign.id },
    }),
    passes: [504],
  },
  'GET /api/leadspeek/client/embedded-code/:leadspeekID/report': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/embedded-code/${t.campaign.id}/report` }),
  },
  'GET /api/leadspeek/client/embedded-code/:leadspeekID/events': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/embedded-code/${t.campaign.id}/events` }),
  },
};
