import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** A list of the client that a connection fills. */
async function connectedList(t: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into exclusion_list (id, root_id, agency_id, company_id, owner_id, level, name, use, connection_id, created_at)
     select gen_random_uuid(), $1, $2, $3, $3, 'client', $4, 'customers', id, now() from connection where company_id = $3
     limit 1 returning id`,
    [t.client.root_id, t.client.agency_id, t.client.id, `${t.canary} ${next()}`],
  );
  return rows[0].id;
}
const place = (t: Target) => `paramID=${t.client.id}&campaignType=client`;

export const samples: Samples = {
  'GET /api/customers/sources': {
    named: true,
    request: (t) => ({ url: `/api/customers/sources?${place(t)}` }),
  },
  'POST /api/customers/lists': {
    named: true,
    request: async (t) => ({
      url: '/api/customers/lists',
      body: {
        paramID: t.client.id,
        connectionID: (await app.make.connection(t.client, { vendor: 'hubspot', name: t.canary })).id,
      },
    }),
  },
  'POST /api/customers/lists/:id/refresh': {
    named: true,
    request: async (t) => ({ url: `/api/customers/lists/${await connectedList(t)}/refresh`, body: {} }),
    passes: [429],
  },
  'GET /api/customers/visits': {
    named: true,
    request: (t) => ({ url: `/api/customers/visits?${place(t)}` }),
  },
};
