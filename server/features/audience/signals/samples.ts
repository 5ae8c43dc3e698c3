import { app, type Samples, searchCampaign, type Target } from '../../../test/samples.ts';

/** A completed keyword count of the client. */
async function freshCount(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into intent_count (id, root_id, agency_id, company_id, location, keywords, state, people, placed, asked_at, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'national', array[$4::text], 'done', 1, 1, now(), now()) returning id`,
    [target.client.root_id, target.client.agency_id, target.client.id, target.canary],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'POST /api/bigdbm/services/queuecount': {
    named: true,
    request: (t) => ({
      url: '/api/bigdbm/services/queuecount',
      body: { companyID: t.client.id, target_location: 'National Targeting', keyword: 'shoes' },
    }),
  },
  'GET /api/bigdbm/services/getcountcampaign/:id': {
    named: true,
    request: async (t) => ({ url: `/api/bigdbm/services/getcountcampaign/${await freshCount(t)}` }),
  },
  'GET /api/bigdbm/services/getcountcampaignhistory': {
    named: false,
    request: () => ({ url: '/api/bigdbm/services/getcountcampaignhistory?PerPage=100' }),
  },
  'POST /api/bigdbm/services/applycampaign': {
    named: true,
    request: async (t) => ({
      url: '/api/bigdbm/services/applycampaign',
      body: { id: await freshCount(t), leadspeekID: await searchCampaign(t) },
    }),
  },
  'GET /api/leadspeek/client/forecast/:leadspeekID': {
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/client/forecast/${await searchCampaign(t)}` }),
  },
};
