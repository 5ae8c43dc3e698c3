import { app, belowOf, next, type Samples, type Target } from '../../../test/samples.ts';

/** A tax rate of a target's root. */
async function freshTaxRate(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into tax_rate (id, root_id, company_id, country_code, state_code, name, rate_ppm, updated_at)
     values (gen_random_uuid(), $1, $1, 'FR', $2, 'VAT', 0, now()) returning id`,
    [target.client.root_id, `F${next()}`],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/configuration/taxes': { named: false, request: () => ({ url: '/api/configuration/taxes' }) },
  'PUT /api/configuration/taxes': {
    named: false,
    request: () => ({
      url: '/api/configuration/taxes',
      body: { country: 'DE', state: `M${next() % 90}`, name: 'VAT', rate: '0' },
    }),
  },
  'PUT /api/configuration/taxes/calculator': {
    named: false,
    request: () => ({ url: '/api/configuration/taxes/calculator', body: { calculator: 'table' } }),
  },
  'DELETE /api/configuration/taxes/:id': {
    named: true,
    request: async (t) => ({ url: `/api/configuration/taxes/${await freshTaxRate(t)}` }),
  },
  'GET /api/configuration/taxes/payers': {
    named: false,
    request: () => ({ url: '/api/configuration/taxes/payers' }),
  },
  'PUT /api/configuration/taxes/payers': {
    named: false,
    request: (t, who) => ({
      url: '/api/configuration/taxes/payers',
      body: { companyID: belowOf(t, who), tax_id: `T-${next()}` },
    }),
    passes: [404],
  },
};
