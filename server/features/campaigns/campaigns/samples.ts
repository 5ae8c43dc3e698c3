import {
  app,
  fields,
  fresh,
  next,
  type Principal,
  type Samples,
  searchCampaign,
  type Target,
} from '../../../test/samples.ts';

/**
 * A group of campaigns: the caller's own if they can see the target, since groups can be changed only by their own
 * company.
 */
async function freshGroup(target: Target, who: Principal | undefined): Promise<string> {
  const company = who && !who.grade.startsWith('root') && who.sees(target) ? who.companyId : target.client.id;
  const { rows } = await app.admin.query(
    `insert into company_group (id, root_id, agency_id, company_id, name, created_at, updated_at)
     select gen_random_uuid(), root_id, agency_id, id, $2, now(), now() from company where id = $1 returning id`,
    [company, `${target.canary} ${next()}`],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'POST /api/leadspeek/client/create': {
    named: true,
    request: (t) => ({ url: '/api/leadspeek/client/create', body: { ...fields, companyID: t.client.id } }),
  },
  'PUT /api/leadspeek/client/update': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/update',
      body: { ...fields, leadspeekID: (await fresh(t)).campaign.id, version: 1 },
    }),
  },
  'PUT /api/leadspeek/client/locator/update': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/locator/update',
      body: {
        ...fields,
        leadspeekID: await searchCampaign(t),
        version: 1,
        nationaltargeting: 'T',
        locatorkeyword: 'shoes',
      },
    }),
  },
  'POST /api/leadspeek/keyword-to-tags': {
    named: false,
    request: () => ({ url: '/api/leadspeek/keyword-to-tags', body: { keyword: 'shoes, boots' } }),
  },
  'POST /api/leadspeek/client/activepause': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/activepause',
      body: { leadspeekID: (await fresh(t)).campaign.id, status: 'paused' },
    }),
  },
  'POST /api/leadspeek/client/archive': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/archive',
      body: { leadspeekID: (await fresh(t)).campaign.id },
    }),
  },
  'POST /api/leadspeek/client/remove': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/remove',
      body: { leadspeekID: (await fresh(t)).campaign.id },
    }),
  },
  'GET /api/leadspeek/client/list': {
    named: false,
    request: () => ({ url: '/api/leadspeek/client/list?PerPage=100' }),
  },
  'PUT /api/leadspeek/client/local/update': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/local/update',
      body: { ...fields, leadspeekID: (await fresh(t)).campaign.id, version: 1 },
    }),
  },
  'POST /api/leadspeek/client/duplicate': {
    named: true,
    request: (t) => ({ url: '/api/leadspeek/client/duplicate', body: { leadspeekID: t.campaign.id } }),
  },
  'GET /api/leadspeek/getcampaignresource': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/getcampaignresource?companyID=${t.client.id}` }),
  },
  'GET /api/leadspeek/company-group': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/company-group?companyID=${t.client.id}` }),
  },
  'POST /api/leadspeek/company-group': {
    named: false,
    request: () => ({ url: '/api/leadspeek/company-group', body: { group_name: `Matrix ${next()}` } }),
  },
  'PUT /api/leadspeek/company-group/:id': {
    named: true,
    request: async (t, who) => ({
      url: `/api/leadspeek/company-group/${await freshGroup(t, who)}`,
      body: { group_name: `Matrix ${next()}` },
    }),
  },
  'DELETE /api/leadspeek/company-group/:id': {
    named: true,
    request: async (t, who) => ({ url: `/api/leadspeek/company-group/${await freshGroup(t, who)}` }),
  },
  'GET /api/leadspeek/getcampaign/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/getcampaign/${t.campaign.id}` }),
  },
  'POST /api/leadspeek/client/topup': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/topup',
      body: { leadspeekID: t.campaign.id, amount: '1.00', idempotencyKey: `matrix-key-${next()}` },
    }),
  },
  'GET /api/leadspeek/client/foreign-hosts/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/foreign-hosts/${t.campaign.id}` }),
  },
  'GET /api/leadspeek/client/refusals/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/refusals/${t.campaign.id}` }),
  },
};
