import { app, next, type Samples, type Target } from '../../../test/samples.ts';

const planFields = () => ({ planName: `Plan ${next()}`, months: ['100'], flatMonth: '349' });

/** A plan of minimum spend of a target's root. */
async function freshPlan(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `with plan as (insert into minspend_plan (id, root_id, company_id, name, created_at)
       values (gen_random_uuid(), $1, $1, $2, now()) returning id)
     insert into minspend_amount (root_id, company_id, plan_id, valid_from, months, flat)
     select $1, $1, id, '2000-01-01', '{}', 0 from plan returning plan_id`,
    [target.client.root_id, `Plan ${next()}`],
  );
  return rows[0].plan_id;
}

/** A coupon of a target's root. */
async function freshCoupon(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into coupon (id, root_id, company_id, code, percent, created_at)
     values (gen_random_uuid(), $1, $1, $2, 10, now()) returning id`,
    [target.client.root_id, `FRESH-${next()}`],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/configuration/user/costmodule/:companyID': {
    named: true,
    request: (t) => ({ url: `/api/configuration/user/costmodule/${t.client.id}` }),
  },
  'PUT /api/configuration/user/costmodule': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/user/costmodule',
      body: { companyID: t.client.id, CostSet: '1' },
    }),
  },
  'GET /api/general/minimum-spend-config': {
    named: false,
    request: () => ({ url: '/api/general/minimum-spend-config' }),
  },
  'POST /api/general/minimum-spend-config': {
    named: false,
    request: () => ({ url: '/api/general/minimum-spend-config', body: planFields() }),
  },
  'PUT /api/general/minimum-spend-config/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/general/minimum-spend-config/${await freshPlan(t)}`,
      body: { ...planFields(), version: 1 },
    }),
  },
  'PUT /api/general/minimum-spend-config/:id/default': {
    named: true,
    request: async (t) => ({
      url: `/api/general/minimum-spend-config/${await freshPlan(t)}/default`,
      body: {},
    }),
  },
  'DELETE /api/general/minimum-spend-config/:id': {
    named: true,
    request: async (t) => ({ url: `/api/general/minimum-spend-config/${await freshPlan(t)}` }),
  },
  'PUT /api/configuration/setting/minimum-spend-plan': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/setting/minimum-spend-plan',
      body: { companyID: t.client.agency_id, planMinSpendId: null },
    }),
  },
  'GET /api/configuration/supplier-costs': {
    named: false,
    request: () => ({ url: '/api/configuration/supplier-costs' }),
  },
  'PUT /api/configuration/supplier-costs': {
    named: false,
    request: () => ({
      url: '/api/configuration/supplier-costs',
      body: { module: 'local', cost: `0.${next()}` },
    }),
  },
  'GET /api/configuration/coupon': { named: false, request: () => ({ url: '/api/configuration/coupon' }) },
  'POST /api/configuration/coupon': {
    named: false,
    request: () => ({
      url: '/api/configuration/coupon',
      body: { coupon_code: `MATRIX-${next()}`, percent: '10' },
    }),
  },
  'DELETE /api/configuration/coupon/:id': {
    named: true,
    request: async (t) => ({ url: `/api/configuration/coupon/${await freshCoupon(t)}` }),
  },
  // No agency of this test may use coupons.
  'POST /api/configuration/coupon/get-coupon': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/coupon/get-coupon',
      body: { coupon_code: 'MATRIX', companyID: t.client.agency_id },
    }),
    passes: [422],
  },
};
