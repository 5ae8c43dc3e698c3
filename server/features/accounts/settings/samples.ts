import { app, belowOf, careFor, NOBODY, next, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'POST /api/configuration/user/testsmtp': {
    named: true,
    request: (t, who) => ({
      url: '/api/configuration/user/testsmtp',
      body: {
        companyID: belowOf(t, who) === t.client.id ? (t.client.agency_id ?? NOBODY) : belowOf(t, who),
        smtp: {
          host: '127.0.0.1',
          port: 2525,
          security: 'none',
          username: '',
          password: '',
          from_name: '',
          from_address: 'a@x.test',
        },
      },
    }),
    // Tried often enough to reach the limit.
    passes: [429],
  },
  'POST /api/configuration/setting/test-email': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/setting/test-email',
      body: { companyID: t.client.agency_id },
    }),
    passes: [429],
  },
  // About the caller's own company; what a root may do for its agencies is in features/accounts/settings.
  'GET /api/configuration/setting': { named: false, request: () => ({ url: '/api/configuration/setting' }) },
  'GET /api/configuration/setting/:companyID/:settingname': {
    named: false,
    request: async (t, who) => {
      if (who?.grade !== 'root.sales')
        return { url: `/api/configuration/setting/${who?.companyId ?? NOBODY}/branding` };
      await careFor(t.client.agency_id, who);
      return { url: `/api/configuration/setting/${t.client.agency_id}/costagency` };
    },
  },
  'PUT /api/configuration/setting': {
    named: false,
    request: async (t, who) => {
      if (who?.grade === 'root.sales') await careFor(t.client.agency_id, who);
      return {
        url: '/api/configuration/setting',
        body:
          who?.grade === 'root.sales'
            ? { companyID: t.client.agency_id, comsetname: 'costagency', comsetval: { dpay: 'Prepaid' } }
            : { comsetname: 'registration', comsetval: { open: false } },
      };
    },
  },
  'POST /api/configuration/setting/picture': {
    named: false,
    request: () => ({
      url: '/api/configuration/setting/picture?purpose=logo',
      payload: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><rect width="2" height="2"/></svg>',
      headers: { 'content-type': 'image/svg+xml' },
    }),
  },
  'GET /api/configuration/custom-domain': {
    named: false,
    request: () => ({ url: '/api/configuration/custom-domain' }),
  },
  // Only agencies can choose hosts: a root gets an error saying so.
  'PUT /api/configuration/subdomain': {
    named: false,
    request: () => ({ url: '/api/configuration/subdomain', body: { subdomain: `matrix-${next()}` } }),
    passes: [422],
  },
  'PUT /api/configuration/update-custom-domain': {
    named: false,
    request: () => ({
      url: '/api/configuration/update-custom-domain',
      body: { domain: `m${next()}.customer.test` },
    }),
    passes: [422],
  },
  'POST /api/configuration/custom-domain/check': {
    named: false,
    request: async (_, who) => {
      if (who)
        await app.admin.query(`update domain_claim set checked_at = null where company_id = $1`, [
          who.companyId,
        ]);
      return { url: '/api/configuration/custom-domain/check', body: {} };
    },
    passes: [409],
  },
  'GET /api/configuration/setting/onboarding-charge/:companyID': {
    named: true,
    request: (t) => ({ url: `/api/configuration/setting/onboarding-charge/${t.client.agency_id}` }),
  },
  'PUT /api/configuration/setting/onboarding-charge': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/setting/onboarding-charge',
      body: { CompanyID: t.client.agency_id, amount: '100', enable_coupon: 'F' },
    }),
  },
};
