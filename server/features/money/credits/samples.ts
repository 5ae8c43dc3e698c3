import { belowOf, billsHere, freshLead, next, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/credits/lead/:id': {
    named: true,
    request: (t) => ({ url: `/api/credits/lead/${t.leadId}` }),
  },
  'POST /api/credits/lead/:id': {
    named: true,
    request: async (t) => ({ url: `/api/credits/lead/${await freshLead(t)}`, body: { reason: 'duplicate' } }),
  },
  // For the company directly below the caller's.
  'GET /api/credits': {
    named: true,
    request: (t, who) => ({ url: `/api/credits?companyID=${belowOf(t, who)}` }),
  },
  'POST /api/credits': {
    named: true,
    request: async (t, who) => {
      await billsHere(t);
      return {
        url: '/api/credits',
        body: {
          companyID: belowOf(t, who),
          ...(who?.grade.startsWith('root') ? {} : { leadspeekID: t.campaign.id }),
          amount: '1.00',
          reason: 'goodwill',
          idempotencyKey: `matrix-key-${next()}`,
        },
      };
    },
  },
};
