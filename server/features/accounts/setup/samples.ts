import { app, freshAdministrator, NOBODY, next, type Samples, type Target } from '../../../test/samples.ts';

/** A role of the client that no one holds, to be changed. */
async function freshRole(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into role (id, root_id, agency_id, company_id, name, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, now(), now()) returning id`,
    [target.client.root_id, target.client.agency_id, target.client.id, `${target.canary} ${next()}`],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/user': { named: false, request: () => ({ url: '/api/user' }) },
  // Only about the caller's own account: what others get is in features/accounts/setup/profile.test.ts.
  'POST /api/user/update': {
    named: false,
    request: () => {
      const at = 'matrixboundary';
      const payload = `--${at}\r\nContent-Disposition: form-data; name="city"\r\n\r\nChicago\r\n--${at}--\r\n`;
      return {
        url: '/api/user/update',
        payload,
        headers: { 'content-type': `multipart/form-data; boundary=${at}` },
      };
    },
  },
  'GET /profile-picture/:file': {
    named: false,
    request: () => ({ url: `/profile-picture/${NOBODY}.png` }),
    passes: [404],
  },
  'POST /api/user/confirm-email': {
    named: false,
    request: () => ({ url: '/api/user/confirm-email', body: { token: 'x' } }),
    passes: [410],
  },
  'POST /api/user/stop-email': {
    named: false,
    request: () => ({ url: '/api/user/stop-email', body: { token: 'x' } }),
    passes: [410],
  },
  'GET /api/user/questionnaire': { named: false, request: () => ({ url: '/api/user/questionnaire' }) },
  'PUT /api/user/questionnaire': {
    named: false,
    request: () => ({
      url: '/api/user/questionnaire',
      body: {
        industry_id: 'legal',
        business_type: 'direct',
        client_count: '1',
        lead_volume: 'none',
        verticals: ['legal'],
        channels: ['email'],
        crm: 'none',
        experience: 'none',
        goals: ['resell'],
        how_heard: 'event',
      },
    }),
  },
  'GET /api/general/states': { named: false, request: () => ({ url: '/api/general/states' }) },
  'GET /api/general/cities': { named: false, request: () => ({ url: '/api/general/cities?state=IL' }) },
  'GET /api/general/timezones': { named: false, request: () => ({ url: '/api/general/timezones' }) },
  'GET /api/general/visitor-country': {
    named: false,
    request: () => ({ url: '/api/general/visitor-country' }),
  },
  'GET /api/user/retrieve': { named: false, request: () => ({ url: '/api/user/retrieve' }) },
  'GET /api/user/:id': {
    named: true,
    also: 'person.read',
    request: (t) => ({ url: `/api/user/${t.personId}` }),
  },
  'POST /api/user/getuserdata': {
    named: true,
    also: 'person.read',
    request: (t) => ({ url: '/api/user/getuserdata', body: { usrID: t.personId } }),
  },
  'GET /api/user/checksetupcomplete/:id': {
    named: true,
    also: 'person.read',
    request: (t) => ({ url: `/api/user/checksetupcomplete/${t.personId}` }),
  },
  'GET /api/user/onboarding-status/:id': {
    named: true,
    also: 'person.read',
    request: (t) => ({ url: `/api/user/onboarding-status/${t.personId}` }),
  },
  // The users in this test have no phone number.
  'PUT /api/leadspeek/user/setupcomplete': {
    named: false,
    request: () => ({ url: '/api/leadspeek/user/setupcomplete', body: {} }),
    passes: [422],
  },
  'PUT /api/payment/sandbox-card': {
    named: false,
    request: () => ({ url: '/api/payment/sandbox-card', body: {} }),
    // A client's card needs an account of its agency.
    passes: [409],
  },
  'POST /api/general/sandbox-account/:step': {
    named: false,
    request: () => ({ url: '/api/general/sandbox-account/approve', body: {} }),
  },
  'GET /api/configuration/role-module/get': {
    named: true,
    also: 'role.read',
    request: (t) => ({ url: `/api/configuration/role-module/get?getType=getrole&companyID=${t.client.id}` }),
  },
  'POST /api/configuration/role-module/add': {
    named: true,
    request: (t) => ({
      url: '/api/configuration/role-module/add',
      body: { companyID: t.client.id, roleName: `Matrix ${next()}`, roleModule: [] },
    }),
  },
  'PUT /api/configuration/role-module/update': {
    named: true,
    request: async (t) => ({
      url: '/api/configuration/role-module/update',
      body: { roleID: await freshRole(t), roleName: `Matrix ${next()}`, roleModule: [] },
    }),
  },
  'DELETE /api/configuration/role-module/remove/:roleID': {
    named: true,
    request: async (t) => ({ url: `/api/configuration/role-module/remove/${await freshRole(t)}` }),
  },
  'PUT /api/configuration/role-module/assign': {
    named: true,
    request: async (t) => ({
      url: '/api/configuration/role-module/assign',
      body: { usrID: await freshAdministrator(t), roleID: await freshRole(t) },
    }),
  },
  'POST /api/general/agreement/confirm': {
    named: false,
    request: async (_, who) => {
      const document_type = who?.grade.startsWith('client') ? 'default_client' : 'default_agency';
      const read = who && (await app.call('GET', `/api/document/agreement/${document_type}`, who));
      return {
        url: '/api/general/agreement/confirm',
        body: { document_type, agreed: 'T', read_to_end: 'T', text_hash: read?.body.text_hash ?? '' },
      };
    },
  },
  'GET /api/general/agreement/:document_type': {
    named: false,
    request: () => ({ url: '/api/general/agreement/default_agency' }),
  },
};
