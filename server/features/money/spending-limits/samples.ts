import type { Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/ledger/caps': { named: false, request: () => ({ url: '/api/ledger/caps' }) },
  'PUT /api/ledger/caps': {
    named: true,
    request: (t) => ({
      url: '/api/ledger/caps',
      body: { subject: 'campaign', subjectID: t.campaign.id, period: 'day', hard: '1000', soft: '' },
    }),
  },
};
