import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPE_NAMES } from '../../../../contract/developer/developer-rules.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let other: Company;
let key: string;
const tokens = { root: '', agency: '', client: '' };
const HOSTS = { root: 'root.test', agency: 'acme.test', client: 'acme.test' };
const BLOCKED =
  'has “cancer treatment”, which is on the theme Health. Keywords on this theme are blocked unless the platform allows them';

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  agency = await app.make.agency(root, { host: 'acme.test', name: 'Acme' });
  client = await app.make.client(agency, { name: 'Bakery' });
  other = await app.make.client(agency, { name: 'Florist' });
  await app.make.user(root, { email: 'root@x.test', name: 'Rita Root', password: PASSWORD });
  const owner = await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.developer(agency, owner.id);
  key = (await app.make.apiKey(agency, owner.id, { scopes: [...SCOPE_NAMES], mode: 'live' })).secret;
  for (const who of Object.keys(tokens) as (keyof typeof tokens)[])
    tokens[who] = await app.signIn(`${who}@x.test`, HOSTS[who]);
});
afterAll(() => app?.close());

const call = (
  who: keyof typeof tokens,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: any call's answer
): Promise<{ status: number; body: any }> =>
  app.call(method, `/api${path}`, { host: HOSTS[who], token: tokens[who], ...(body ? { body } : {}) });
const viaKey = (method: 'POST' | 'PATCH', url: string, body: object, headers = {}) => {
  app.clock.advance(1000);
  return app.call(method as 'POST', url, { host: HOSTS.agency, token: key, body, headers });
};
const search = (keywords: string[], of = client, more: object = {}) =>
  app.make.campaign(of, { search: { keywords }, price: 1_000_000n, balance: 90_000_000n, ...more });
/** What a campaign looks for, as the form sends it. */
const aimed = (campaign: MadeCampaign, keywords: string) =>
  call('client', 'PUT', '/leadspeek/client/locator/update', {
    leadspeekID: campaign.id,
    locationtarget: 'National Targeting',
    locatorkeyword: keywords,
  });
const keywordsOf = async (campaign: MadeCampaign): Promise<string[]> =>
  (await app.admin.query('select keywords from campaign_target where campaign_id = $1', [campaign.id]))
    .rows[0].keywords;
const allow = (theme: string, company_id?: string) =>
  call('root', 'POST', '/keyword-themes', {
    theme,
    reason: 'A clinic',
    ...(company_id ? { company_id } : {}),
  });

describe('[BEY-27] keywords on sensitive themes are blocked', () => {
  test('whichever way they come in: form, pasted file, count, program, assistant, and template', async () => {
    const campaign = await search(['running shoes']);
    // The form, and a file, whose text the form sends.
    const form = await aimed(campaign, 'boots\ncancer treatment\nstop foreclosure');
    expect([form.status, form.body.errors.locatorkeyword]).toEqual([
      422,
      [BLOCKED.replace('. Keywords', ', and 1 more on blocked themes. Keywords')],
    ]);
    const count = await call('client', 'POST', '/bigdbm/services/queuecount', {
      target_location: 'National Targeting',
      keyword: 'cancer treatment',
    });
    expect([count.status, count.body.errors]).toEqual([422, { keyword: [BLOCKED] }]);

    const targeting = { keywords: ['cancer treatment'], location: 'national' };
    const body = { client_id: client.id, product: 'search_id', name: 'Care', targeting };
    const program = await viaKey('POST', '/v1/campaigns', body);
    expect([program.status, JSON.stringify(program.body.errors)]).toEqual([
      422,
      expect.stringContaining('theme Health'),
    ]);
    const change = await viaKey('PATCH', `/v1/campaigns/${campaign.id}`, { targeting });
    expect([change.status, JSON.stringify(change.body.errors)]).toEqual([
      422,
      expect.stringContaining('theme Health'),
    ]);
    const counted = await viaKey('POST', '/v1/keyword-counts', { client_id: client.id, targeting });
    expect([counted.status, JSON.stringify(counted.body.errors)]).toEqual([
      422,
      expect.stringContaining('theme Health'),
    ]);
    const assistant = await viaKey(
      'POST',
      '/mcp',
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'create_campaign', arguments: body },
      },
      { accept: 'application/json, text/event-stream' },
    );
    expect(JSON.stringify(assistant.body)).toContain('theme Health');

    // A template of a client that may.
    const allowed = await allow('health', other.id);
    const source = await search(['cancer treatment'], other);
    const made = await call('agency', 'POST', '/templates', {
      ...{ kind: 'campaign', name: 'Care', source_id: source.id, fields: ['keywords'] },
    });
    expect([made.status, made.body.message]).toEqual([200, 'The template was created.']);
    const push = await call('agency', 'POST', `/templates/${made.body.id}/pushes`, {
      version: 1,
      target_ids: [campaign.id],
    });
    await app.features.templates.run({ rootId: root.id, pushId: push.body.id });
    const { data } = (await call('agency', 'GET', `/template-pushes/${push.body.id}?PerPage=10`)).body;
    expect(JSON.stringify(data)).toContain('theme Health');
    await call('root', 'DELETE', `/keyword-themes/${allowed.body.id}`);

    expect(await keywordsOf(campaign)).toEqual(['running shoes']);
    expect((await app.admin.query(`select from campaign where name = 'Care'`)).rowCount).toBe(0);
  });

  test('only the root allows a theme, for a client, an agency, or everyone, and it is logged', async () => {
    const campaign = await search(['boots']);
    const elsewhere = await search(['boots'], other);
    for (const who of ['agency', 'client'] as const) {
      const refused = await call(who, 'POST', '/keyword-themes', { theme: 'health', reason: 'I want to' });
      expect(refused.status).toBe(403);
      expect((await call(who, 'GET', '/keyword-themes')).status).toBe(403);
    }
    const foreign = await app.make.root({ host: 'foreign.test' });
    expect((await allow('health', foreign.id)).status).toBe(404);

    const one = await allow('health', client.id);
    expect([one.status, (await allow('health', client.id)).status]).toEqual([200, 409]);
    expect((await aimed(campaign, 'cancer treatment')).status).toBe(200);
    // Another theme, and another client, stay blocked.
    expect((await aimed(campaign, 'cancer treatment\nmosque')).body.errors.locatorkeyword[0]).toContain(
      'theme Religion',
    );
    const rest = { locationtarget: 'National Targeting', locatorkeyword: 'cancer treatment' };
    const theirs = await call('agency', 'PUT', '/leadspeek/client/locator/update', {
      leadspeekID: elsewhere.id,
      ...rest,
    });
    expect(theirs.status).toBe(422);
    expect((await call('root', 'GET', '/keyword-themes')).body.data).toMatchObject([
      { theme: 'health', company_name: 'Bakery', reason: 'A clinic', allowed_by_name: 'Rita Root' },
    ]);

    // For the agency, then for everyone.
    for (const of of [agency.id, undefined]) {
      const more = await allow('religion', of);
      expect((await aimed(campaign, 'mosque')).status).toBe(200);
      expect((await call('root', 'DELETE', `/keyword-themes/${more.body.id}`)).status).toBe(200);
      expect((await aimed(campaign, 'mosque')).status).toBe(422);
    }
    expect((await call('root', 'DELETE', `/keyword-themes/${one.body.id}`)).status).toBe(200);
    const { rows } = await app.admin.query(
      `select action, count(*)::int as n from user_log where action like 'privacy.theme%' group by 1 order by 1`,
    );
    expect(rows).toEqual([
      { action: 'privacy.theme_allow', n: 4 },
      { action: 'privacy.theme_block', n: 4 },
    ]);
  });

  test('keywords from before are judged, and left out of audiences of ads', async () => {
    const campaign = await search(['boots']);
    // As an earlier version of the product left it.
    await app.admin.query(
      `update campaign_keyword set words = 'mosqu', hash = hashtextextended('x', 0), themes = 0 where campaign_id = $1`,
      [campaign.id],
    );
    await app.admin.query(
      `update campaign_target set keywords = '{mosques}', themes_version = 0 where campaign_id = $1`,
      [campaign.id],
    );
    await app.features.campaigns.judgeKeywords(root.id);
    const { rows } = await app.admin.query('select themes from campaign_keyword where campaign_id = $1', [
      campaign.id,
    ]);
    expect(rows).toEqual([{ themes: 4 }]);

    await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
      expect(await app.features.keywordThemes.allowed(tx, campaign.owner, ['mosques', 'boots'])).toEqual([
        'boots',
      ]);
    });
  });
});
