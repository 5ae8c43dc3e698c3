import { PASSWORD } from '../../../test/app.ts';
import { Authenticator } from '../../../test/authenticator.ts';
import { app, belowOf, careFor, NOBODY, type Principal, type Samples } from '../../../test/samples.ts';

/** Another session of the user, to be ended. */
async function otherSession(who: Principal): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into session (id, root_id, agency_id, company_id, user_id, rotated_at, created_at, expires_at, host)
     select gen_random_uuid(), root_id, agency_id, company_id, user_id, rotated_at, created_at, expires_at, host
     from session where user_id = $1 order by created_at limit 1 returning id`,
    [who.userId],
  );
  return rows[0].id;
}

/** What a browser sends to save a new passkey; earlier ones are removed, since their number is limited. */
async function newPasskey(who: Principal) {
  await app.admin.query('delete from passkey where user_id = $1', [who.userId]);
  const { body } = await app.call('GET', '/api/user/passkeys/new', { host: who.host, token: who.token });
  const { options, binding } = body as unknown as { options: { challenge: string }; binding: string };
  return {
    name: 'Laptop',
    binding,
    credential: options ? new Authenticator(`http://${who.host}`).create(options) : {},
  };
}

/** A passkey of a user, to be changed. */
async function passkeyOf(who: Principal): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into passkey (id, root_id, agency_id, company_id, user_id, host, credential_id, public_key, counter, transports, is_synced,
       name, created_at)
     select gen_random_uuid(), root_id, agency_id, company_id, id, 'x.test', gen_random_uuid()::text, '', 0, '{}', false, 'Old', now()
     from user_account where id = $1 returning id`,
    [who.userId],
  );
  return rows[0].id;
}

/** Turns on a user's second factor. */
async function factorFor(who: Principal): Promise<void> {
  await app.admin.query(
    `insert into user_factor (user_id, root_id, agency_id, company_id, kind, updated_at)
     select id, root_id, agency_id, company_id, 'email', now() from user_account where id = $1
     on conflict (user_id) do update set kind = 'email', secret_sealed = null`,
    [who.userId],
  );
}

/** Ends a user's view, so that another may begin. */
async function endViewsOf(who: Principal): Promise<void> {
  await app.admin.query(
    `update session set revoked_at = now(), revoked_why = 'reverted' where viewer_id = $1 and revoked_at is null`,
    [who.userId],
  );
}

export const samples: Samples = {
  'GET /api/keys': { named: false, request: () => ({ url: '/api/keys' }) },
  'POST /api/login': {
    named: false,
    request: () => ({ url: '/api/login', body: { username: 'no@body.test', password: 'x' } }),
    passes: [401],
  },
  'POST /api/auth/refresh-token': {
    named: false,
    request: () => ({ url: '/api/auth/refresh-token', body: {} }),
    passes: [401],
  },
  'POST /api/setup/first-owner': {
    named: false,
    request: () => ({
      url: '/api/setup/first-owner',
      body: { token: 'x', company_name: 'x', name: 'x', email: 'x@x.test', password: 'a long password' },
    }),
    passes: [410],
  },
  'POST /api/verifylogin': {
    named: false,
    request: () => ({
      url: '/api/verifylogin',
      body: { email: 'no@body.test', code: '000000', otp_token: 'x' },
    }),
    passes: [410],
  },
  'POST /api/resendcode': {
    named: false,
    request: () => ({ url: '/api/resendcode', body: { otp_token: 'x' } }),
    passes: [410],
  },
  'GET /api/general/access-options': {
    named: false,
    request: () => ({ url: '/api/general/access-options' }),
  },
  'GET /api/general/referral-link': { named: false, request: () => ({ url: '/api/general/referral-link' }) },
  'GET /api/general/captcha': { named: false, request: () => ({ url: '/api/general/captcha' }) },
  'POST /api/register': {
    named: false,
    request: () => ({
      url: '/api/register',
      body: { companyname: 'x', name: 'x', email: 'x@x.test', password: 'a long password' },
    }),
    passes: [403],
  },
  'POST /api/register/confirm': {
    named: false,
    request: () => ({ url: '/api/register/confirm', body: { token: 'x', email: 'x@x.test' } }),
    passes: [410],
  },
  'POST /api/forgetpass': {
    named: false,
    request: () => ({ url: '/api/forgetpass', body: { username: 'x@x.test' } }),
    passes: [422],
  },
  'POST /api/verify-reset-token': {
    named: false,
    request: () => ({ url: '/api/verify-reset-token', body: { token: 'x', email: 'x@x.test' } }),
  },
  'POST /api/setnewpassword': {
    named: false,
    request: () => ({
      url: '/api/setnewpassword',
      body: { token: 'x', email: 'x@x.test', newpassword: 'a long password' },
    }),
    passes: [410],
  },
  'POST /api/v1/developer/sso/validation': {
    named: false,
    request: () => ({ url: '/api/v1/developer/sso/validation', body: { token: 'x' } }),
    passes: [410],
  },
  // Only about the caller's own account: what others get is in features/accounts/auth/factors.test.ts.
  'POST /api/user/resetpassword': {
    named: false,
    request: (_, who) => ({
      url: '/api/user/resetpassword',
      body: { usrID: who?.userId ?? NOBODY, currpassword: PASSWORD, newpassword: PASSWORD },
    }),
  },
  'GET /api/setting/twofactorauth/:userId': {
    named: false,
    request: (_, who) => ({ url: `/api/setting/twofactorauth/${who?.userId ?? NOBODY}` }),
  },
  'GET /api/setting/get-google-tfa/:userId/:companyId': {
    named: false,
    request: (_, who) => ({
      url: `/api/setting/get-google-tfa/${who?.userId ?? NOBODY}/${who?.companyId ?? NOBODY}`,
    }),
  },
  'PUT /api/setting/twofactorauth/:userId': {
    named: false,
    request: (_, who) => ({
      url: `/api/setting/twofactorauth/${who?.userId ?? NOBODY}`,
      body: { two_factor_auth: true, two_factor_auth_type: 'email', currpassword: PASSWORD },
    }),
  },
  'GET /api/passkeys/sign-in': { named: false, request: () => ({ url: '/api/passkeys/sign-in' }) },
  'POST /api/passkeys/sign-in': {
    named: false,
    request: () => ({
      url: '/api/passkeys/sign-in',
      body: { credential: new Authenticator('http://root.test').nothing(), binding: 'x' },
    }),
    passes: [401],
  },
  'GET /api/user/confirm': { named: false, request: () => ({ url: '/api/user/confirm' }) },
  'GET /api/user/passkeys': { named: false, request: () => ({ url: '/api/user/passkeys' }) },
  'GET /api/user/passkeys/new': { named: false, request: () => ({ url: '/api/user/passkeys/new' }) },
  'POST /api/user/passkeys': {
    named: false,
    request: async (_, who) => ({ url: '/api/user/passkeys', body: who ? await newPasskey(who) : {} }),
  },
  'PUT /api/user/passkeys/:id': {
    named: false,
    request: async (_, who) => ({
      url: `/api/user/passkeys/${who ? await passkeyOf(who) : NOBODY}`,
      body: { name: 'Another' },
    }),
  },
  'DELETE /api/user/passkeys/:id': {
    named: false,
    request: async (_, who) => ({ url: `/api/user/passkeys/${who ? await passkeyOf(who) : NOBODY}` }),
  },
  'GET /api/user/recovery-codes': { named: false, request: () => ({ url: '/api/user/recovery-codes' }) },
  'POST /api/user/recovery-codes': {
    named: false,
    request: async (_, who) => {
      if (who) await factorFor(who);
      return { url: '/api/user/recovery-codes', body: {} };
    },
  },
  'GET /api/user/sessions': { named: false, request: () => ({ url: '/api/user/sessions' }) },
  'POST /api/user/confirm': {
    named: false,
    request: () => ({ url: '/api/user/confirm', body: { password: PASSWORD } }),
  },
  'GET /api/user/activity': { named: false, request: () => ({ url: '/api/user/activity' }) },
  'POST /api/user/sessions/end-others': {
    named: false,
    request: () => ({ url: '/api/user/sessions/end-others', body: {} }),
  },
  'DELETE /api/user/sessions/:id': {
    named: false,
    request: async (_, who) => ({ url: `/api/user/sessions/${who ? await otherSession(who) : NOBODY}` }),
  },
  // As the target's own user; only one view at a time, so the previous one is ended.
  'POST /api/user/switch': {
    named: true,
    request: async (t, who) => {
      if (who) await endViewsOf(who);
      await careFor(belowOf(t, who), who);
      return { url: '/api/user/switch', body: { usrID: t.personId, reason: 'Matrix test' } };
    },
  },
  'POST /api/user/switch/renew': {
    named: false,
    request: () => ({ url: '/api/user/switch/renew', body: {} }),
    passes: [409],
  },
  'POST /api/user/switch/revert': {
    named: false,
    request: () => ({ url: '/api/user/switch/revert', body: {} }),
    passes: [409],
  },
  'GET /api/user/views': { named: false, request: () => ({ url: '/api/user/views' }) },
  'GET /api/configuration/company/list': {
    named: true,
    request: (t) => ({ url: `/api/configuration/company/list?companyID=${t.client.agency_id}` }),
  },
  'POST /api/general/download-token': {
    named: false,
    request: () => ({
      url: '/api/general/download-token',
      body: { path: '/api/leadspeek/report/lead/export' },
    }),
  },
  // Must be last: it ends the session it is called with.
  'POST /api/logout': { named: false, request: () => ({ url: '/api/logout', body: {} }) },
};
