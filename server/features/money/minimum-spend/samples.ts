import { app, type Samples, type Target } from '../../../test/samples.ts';

/** A minimum spend that was announced to a target's agency days ago. */
async function freshOffer({ client, canary }: Target): Promise<string> {
  await app.admin.query(
    'update minspend_offer set withdrawn_at = now() where company_id = $1 and accepted_at is null',
    [client.agency_id],
  );
  const { rows } = await app.admin.query(
    `insert into minspend_offer (id, root_id, agency_id, company_id, name, months, flat, announced_at)
     values (gen_random_uuid(), $1, $2, $2, $3, '{}', 1000000, '2000-01-01') returning id`,
    [client.root_id, client.agency_id, `${canary} plan`],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'POST /api/configuration/setting/minimum-spend-offer/:id/accept': {
    named: true,
    request: async (t) => ({
      url: `/api/configuration/setting/minimum-spend-offer/${await freshOffer(t)}/accept`,
    }),
  },
  'GET /api/configuration/setting/minimum-spend-offers': {
    named: false,
    request: () => ({ url: '/api/configuration/setting/minimum-spend-offers' }),
  },
  'POST /api/configuration/setting/minimum-spend-offer/:id/remind': {
    named: true,
    request: async (t) => ({
      url: `/api/configuration/setting/minimum-spend-offer/${await freshOffer(t)}/remind`,
    }),
  },
  'GET /api/configuration/setting/minimum-spend/:company_id': {
    named: true,
    request: (t) => ({ url: `/api/configuration/setting/minimum-spend/${t.client.agency_id}` }),
  },
  'GET /api/general/minimum-spend/:company_id': {
    named: true,
    request: (t) => ({ url: `/api/general/minimum-spend/${t.client.agency_id}` }),
  },
  'PUT /api/configuration/exclude-include-mininum-spend': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/exclude-include-mininum-spend',
      body: { CompanyID: t.client.agency_id },
    }),
  },
};
