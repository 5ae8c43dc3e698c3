import { app, next, type Samples, searchCampaign, type Target } from '../../../test/samples.ts';

/** An audience of the target's client. */
const audienceOf = (t: Target) => app.make.audience(t.client, { name: `${t.canary} ${next()}` });

/** The same, with as many entries as a file needs. */
async function largeAudienceOf(t: Target): Promise<string> {
  const id = await audienceOf(t);
  await app.admin.query('update audience set size = 100 where id = $1', [id]);
  return id;
}

export const samples: Samples = {
  'GET /api/leadspeek/simplifi/audience': {
    named: false,
    request: () => ({ url: '/api/leadspeek/simplifi/audience' }),
  },
  'GET /api/leadspeek/simplifi/audience/:id': {
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/simplifi/audience/${await audienceOf(t)}` }),
  },
  'POST /api/leadspeek/simplifi/audience': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/simplifi/audience',
      body: { name: `${t.canary} ${next()}`, source: 'leads', leadspeekID: await searchCampaign(t) },
    }),
  },
  'POST /api/leadspeek/simplifi/audience/upload': {
    named: true,
    request: (t) => ({
      url: `/api/leadspeek/simplifi/audience/upload?companyID=${t.client.id}&name=${t.canary}${next()}&kind=email&origin=customers&consent=T&filename=m.csv`,
      payload: 'a@b.example\n',
      headers: { 'content-type': 'text/csv' },
    }),
    // Many roles upload for the same client at once.
    passes: [422],
  },
  'POST /api/leadspeek/simplifi/audience/:id/refresh': {
    named: true,
    request: async (t) => ({
      url: `/api/leadspeek/simplifi/audience/${await audienceOf(t)}/refresh`,
      body: {},
    }),
  },
  'DELETE /api/leadspeek/simplifi/audience/:id': {
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/simplifi/audience/${await audienceOf(t)}` }),
  },
  'GET /api/leadspeek/simplifi/audience/:id/refused.csv': {
    permission: 'campaign.read',
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/simplifi/audience/${await audienceOf(t)}/refused.csv` }),
  },
  'GET /api/leadspeek/simplifi/audience/:id/google.csv': {
    permission: 'campaign.write',
    named: true,
    request: async (t) => ({
      url: `/api/leadspeek/simplifi/audience/${await largeAudienceOf(t)}/google.csv`,
    }),
  },
  'GET /api/leadspeek/simplifi/audience/:id/meta.csv': {
    permission: 'campaign.write',
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/simplifi/audience/${await largeAudienceOf(t)}/meta.csv` }),
  },
};
