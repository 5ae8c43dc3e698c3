import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grade, may, PERMISSIONS, type Permission } from '../../contract/permissions.ts';
import { PASSWORD, type TestApp, testApp } from './app.ts';
import type { Company, MadeCampaign } from './factories.ts';

/**
 * Every route x every role x own, sibling and foreign tenant. The routes come from the server itself: one that has no
 * sample below fails the build.
 */

interface Target {
  name: string;
  client: Company;
  campaign: MadeCampaign;
  leadId: string;
  transferId: string;
  webhookId: string;
  importId: string;
  /** The client's owner. */
  personId: string;
  canary: string;
}
interface Principal {
  userId: string;
  companyId: string;
  grade: Grade;
  host: string;
  token: string;
  sees: (target: Target) => boolean;
}

interface Sample {
  /** The objects a request names belong to a target; false: it names none. */
  named: boolean;
  /** Only a root's own things (imports): seen by root principals of the target's root. */
  rootOnly?: boolean;
  request: (
    target: Target,
    /** Who asks, where it is about the own account. */
    who?: Principal,
  ) =>
    | Promise<{ url: string; body?: unknown; headers?: Record<string, string>; payload?: string }>
    | { url: string; body?: unknown; headers?: Record<string, string>; payload?: string };
  /** Statuses that mean the guards let it through, besides 2xx. */
  passes?: number[];
}

let serial = 0;
let app: TestApp;
let targets: Target[];
let own: Target;
let principals: Principal[];
let fresh: (target: Target) => Promise<Target>;
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Another session of somebody, to be ended. */
async function otherSession(who: Principal): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into session (id, root_id, agency_id, company_id, user_id, rotated_at, created_at, expires_at, host)
     select gen_random_uuid(), root_id, agency_id, company_id, user_id, rotated_at, created_at, expires_at, host
     from session where user_id = $1 order by created_at limit 1 returning id`,
    [who.userId],
  );
  return rows[0].id;
}

/** Somebody's view is over, so that another may begin. */
async function endViewsOf(who: Principal): Promise<void> {
  await app.admin.query(
    `update session set revoked_at = now(), revoked_why = 'reverted' where viewer_id = $1 and revoked_at is null`,
    [who.userId],
  );
}

const fields = { campaignName: 'Matrix', urlCode: 'https://matrix.example/' };

const samples: Record<string, Sample> = {
  'GET /healthz': { named: false, request: () => ({ url: '/healthz' }) },
  'GET /readyz': { named: false, request: () => ({ url: '/readyz' }) },
  'POST /v': { named: false, request: () => ({ url: '/v', body: { k: 'nokey', e: [{}] } }), passes: [404] },
  'OPTIONS /v': { named: false, request: () => ({ url: '/v' }) },
  'GET /p/v1/:file': { named: false, request: () => ({ url: '/p/v1/abc.js' }) },
  'GET /*': { named: false, request: () => ({ url: '/login' }) },
  'GET /api/openapi.json': { named: false, request: () => ({ url: '/api/openapi.json' }) },
  'GET /api/reference': { named: false, request: () => ({ url: '/api/reference' }) },
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
  // About the own account only: what others get is in features/access/factors.test.ts.
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
  'GET /api/user/sessions': { named: false, request: () => ({ url: '/api/user/sessions' }) },
  'POST /api/user/sessions/end-others': {
    named: false,
    request: () => ({ url: '/api/user/sessions/end-others', body: {} }),
  },
  'DELETE /api/user/sessions/:id': {
    named: false,
    request: async (_, who) => ({ url: `/api/user/sessions/${who ? await otherSession(who) : NOBODY}` }),
  },
  // As the target's own person; one view at a time, so the one before is ended.
  'POST /api/user/switch': {
    named: true,
    request: async (t, who) => {
      if (who) await endViewsOf(who);
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
  'GET /api/configuration/company/list': {
    named: true,
    request: (t) => ({ url: `/api/configuration/company/list?companyID=${t.client.agency_id}` }),
  },
  'GET /api/user': { named: false, request: () => ({ url: '/api/user' }) },
  'POST /api/general/download-token': {
    named: false,
    request: () => ({
      url: '/api/general/download-token',
      body: { path: '/api/leadspeek/report/lead/export' },
    }),
  },
  'GET /api/general/domain-info': { named: false, request: () => ({ url: '/api/general/domain-info' }) },
  'GET /api/general/domain-info/:domainorsub': {
    named: false,
    request: () => ({ url: '/api/general/domain-info/root.test' }),
  },
  'GET /brand/:file': { named: false, request: () => ({ url: `/brand/${NOBODY}.png` }), passes: [404] },
  // About the own company; what a root may do for its agencies is in features/settings.
  'GET /api/configuration/setting': { named: false, request: () => ({ url: '/api/configuration/setting' }) },
  'GET /api/configuration/setting/:companyID/:settingname': {
    named: false,
    request: (_, who) => ({ url: `/api/configuration/setting/${who?.companyId ?? NOBODY}/branding` }),
  },
  'PUT /api/configuration/setting': {
    named: false,
    request: () => ({
      url: '/api/configuration/setting',
      body: { comsetname: 'registration', comsetval: { open: false } },
    }),
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
  // Only agencies have hosts to choose: a root is told so.
  'PUT /api/configuration/subdomain': {
    named: false,
    request: () => ({ url: '/api/configuration/subdomain', body: { subdomain: `matrix-${++serial}` } }),
    passes: [422],
  },
  'PUT /api/configuration/update-custom-domain': {
    named: false,
    request: () => ({
      url: '/api/configuration/update-custom-domain',
      body: { domain: `m${++serial}.customer.test` },
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
  'GET /api/configuration/client/list': {
    named: false,
    request: () => ({ url: '/api/configuration/client/list?PerPage=100' }),
  },
  'GET /api/dashboard': { named: true, request: (t) => ({ url: `/api/dashboard?companyID=${t.client.id}` }) },
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
  'GET /api/leadspeek/getcampaign/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/getcampaign/${t.campaign.id}` }),
  },
  'GET /api/leadspeek/client/embedded-code/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/embedded-code/${t.campaign.id}` }),
  },
  'POST /api/leadspeek/client/check-embedded-code': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/check-embedded-code',
      body: { leadspeekID: t.campaign.id },
    }),
    passes: [504],
  },
  'POST /api/leadspeek/client/topup': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/client/topup',
      body: { leadspeekID: t.campaign.id, amount: '1.00', idempotencyKey: `matrix-key-${++serial}` },
    }),
  },
  'GET /api/leadspeek/client/refusals/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/client/refusals/${t.campaign.id}` }),
  },
  'GET /api/leadspeek/report/lead': {
    named: false,
    request: () => ({ url: '/api/leadspeek/report/lead?PerPage=100' }),
  },
  'GET /api/leadspeek/report/lead/:id': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/report/lead/${t.leadId}` }),
  },
  'GET /api/leadspeek/report/lead/export': {
    named: false,
    request: () => ({ url: '/api/leadspeek/report/lead/export' }),
  },
  'GET /api/integrations/custom/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.campaign.id}` }),
  },
  'POST /api/integrations/custom': {
    named: true,
    request: async (t) => ({
      url: '/api/integrations/custom',
      body: { leadspeekID: (await fresh(t)).campaign.id, url: 'https://hooks.example.com/x' },
    }),
  },
  'PUT /api/integrations/custom/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/custom/${(await fresh(t)).webhookId}`,
      body: { state: 'disabled' },
    }),
  },
  'DELETE /api/integrations/custom/:id': {
    named: true,
    request: async (t) => ({ url: `/api/integrations/custom/${(await fresh(t)).webhookId}` }),
  },
  'POST /api/integrations/custom/:id/test': {
    named: true,
    request: async (t) => ({ url: `/api/integrations/custom/${(await fresh(t)).webhookId}/test`, body: {} }),
  },
  'GET /api/integrations/custom/:id/deliveries': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.webhookId}/deliveries` }),
  },
  'POST /api/integrations/custom/:id/replay': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.webhookId}/replay`, body: {} }),
  },
  'GET /api/identity/imports': {
    named: false,
    rootOnly: true,
    request: () => ({ url: '/api/identity/imports?PerPage=100' }),
  },
  'POST /api/identity/imports': {
    named: false,
    request: () => ({
      url: '/api/identity/imports?file_name=m.csv',
      payload: 'email\na@b.example\n',
      headers: { 'content-type': 'text/csv' },
    }),
  },
  'GET /api/identity/imports/:id': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}` }),
  },
  'GET /api/identity/imports/:id/preview': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}/preview` }),
    passes: [409],
  },
  'POST /api/identity/imports/:id/start': {
    named: true,
    rootOnly: true,
    request: (t) => ({
      url: `/api/identity/imports/${t.importId}/start`,
      body: { mapping: { email: 'email' } },
    }),
    passes: [409],
  },
  'POST /api/identity/imports/:id/cancel': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}/cancel`, body: {} }),
    passes: [409],
  },
  'GET /api/identity/imports/:id/errors.csv': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}/errors.csv` }),
  },
  'GET /api/identity/totals': { named: false, request: () => ({ url: '/api/identity/totals' }) },
  'GET /api/ledger/statement': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/statement/balances': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/balances?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/statement/:id': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/${t.transferId}` }),
  },
  'GET /api/ledger/statement/export': {
    named: true,
    request: (t) => ({ url: `/api/ledger/statement/export?companyID=${t.client.id}` }),
  },
  'GET /api/ledger/caps': { named: false, request: () => ({ url: '/api/ledger/caps' }) },
  'PUT /api/ledger/caps': {
    named: true,
    request: (t) => ({
      url: '/api/ledger/caps',
      body: { subject: 'campaign', subjectID: t.campaign.id, period: 'day', hard: '1000', soft: '' },
    }),
  },
  // Last: it ends the session it is asked with.
  'POST /api/logout': { named: false, request: () => ({ url: '/api/logout', body: {} }) },
};

const downloads: Record<string, Permission> = {
  'GET /api/leadspeek/report/lead/export': 'lead.read',
  'GET /api/identity/imports/:id/errors.csv': 'people.import',
  'GET /api/ledger/statement/export': 'statement.read',
};

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  const passwordHash = await app.features.people.hashPassword(PASSWORD);
  const root1 = await make.root({ host: 'root.test', isMaster: true });
  const root2 = await make.root({ host: 'other.test' });
  const agency1 = await make.agency(root1, { host: 'one.test' });
  const agency2 = await make.agency(root1, { host: 'two.test' });
  const agency3 = await make.agency(root2, { host: 'three.test' });
  const build = async (name: string, agency: Company, root: Company): Promise<Target> => {
    const canary = `CANARY${name}`;
    const client = await make.client(agency, { name: canary });
    const campaign = await make.campaign(client, {
      name: `${canary} campaign`,
      price: 1_000_000n,
      balance: 50_000_000n,
    });
    const person = make.person({ last_name: canary });
    await make.people(root, [person]);
    await make.visit(campaign, { email: person.email });
    await app.features.leads.resolver.resolveAll();
    const { rows } = await app.admin.query('select id, transfer_id from lead where campaign_id = $1', [
      campaign.id,
    ]);
    const importId = (
      await app.admin.query(
        `insert into import_job (id, root_id, company_id, kind, file_name, file_path, file_bytes, state, created_at)
         values (gen_random_uuid(), $1, $1, 'people', $2, 'none.csv', 1, 'done', now()) returning id`,
        [root.id, `${canary}.csv`],
      )
    ).rows[0].id;
    const webhookId = (
      await app.admin.query(
        `insert into integration (id, root_id, agency_id, company_id, campaign_id, kind, url, secret_sealed, state, created_at, updated_at)
         values (gen_random_uuid(), $1, $2, $3, $4, 'webhook', $5, $6, 'enabled', now(), now()) returning id`,
        [
          root.id,
          agency.id,
          client.id,
          campaign.id,
          `https://127.0.0.1/${canary}`,
          app.platform.vault.seal('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'integration.secret'),
        ],
      )
    ).rows[0].id;
    const personId = (await make.user(client, { name: canary })).id;
    return {
      name,
      client,
      campaign,
      leadId: rows[0].id,
      transferId: rows[0].transfer_id,
      webhookId,
      importId,
      personId,
      canary,
    };
