import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GoogleSheetsStub, googleSheetsStub } from '../../../integrations/google-sheets/stub.ts';
import { type RunningStub, startStub } from '../../../integrations/stub.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

let app: TestApp;
let stub: GoogleSheetsStub;
let running: RunningStub;
let client: Company;
let campaign: MadeCampaign;
let email: string;
let token: string;
let connectionID: string;
const host = 'sheets.test';

beforeAll(async () => {
  stub = googleSheetsStub();
  running = await startStub(stub, 'sheets');
  app = await testApp({
    outboundExceptions: [running.host],
    standIns: { 'google-sheets': { base: running.base } },
  });
  const root = await app.make.root();
  const agency = await app.make.agency(root, { host });
  client = await app.make.client(agency);
  email = (await app.make.user(client, { password: PASSWORD })).email;
  campaign = await app.make.campaign(client, { name: 'Spring' });
  token = await app.signIn(email, host);
  const made = await ok('POST', '/api/integrations/connections', {
    vendor: 'google-sheets',
    credentials: stub.credentials(running.base),
  });
  connectionID = made.data.id;
});
afterAll(async () => {
  await running?.stop();
  await app?.close();
});

type Method = 'GET' | 'POST' | 'PUT';
const call = (method: Method, path: string, body?: unknown) =>
  app.call(method, path, { host, token, ...(body === undefined ? {} : { body }) });
async function ok(method: Method, path: string, body?: unknown) {
  const answer = await call(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its call returns
  return answer.body as any;
}
const sheet = (method: Method, path: string, body: object = {}) =>
  method === 'GET'
    ? ok(method, `/api/leadspeek/${path}?leadspeekID=${campaign.id}`)
    : ok(method, `/api/leadspeek/${path}`, { leadspeekID: campaign.id, ...body });

const idOf = async (): Promise<string> =>
  (await app.admin.query(`select document_id from destination_document where ended_at is null`)).rows[0]
    .document_id;
const changes = async (): Promise<number> =>
  (await app.admin.query(`select from user_log where object_kind = 'integration'`)).rowCount!;

describe('[INTG-03] the spreadsheet of a campaign', () => {
  it('is made, protected, shared as far as Google lets it, and written into', async () => {
    const emails = ['ann@example.com', 'bob@shop.test'];
    const made = await sheet('POST', 'spreadsheet', { connectionID, emails });
    expect(made).toMatchObject({
      unshared: [{ email: 'bob@shop.test', why: expect.stringContaining('Google Account') }],
      data: { kind: 'google-sheets', settings: { sheet: 'Leads' }, state: 'enabled' },
    });
    const id = await idOf();
    expect(stub.tab('Leads', id)!.protections).toHaveLength(2);
    expect(await changes()).toBe(1);
    expect(await sheet('GET', 'spreadsheet/check')).toEqual({
      destination_id: made.data.id,
      exists: true,
      url: made.url,
      account: expect.stringMatching(/\S/),
      recipients: ['ann@example.com'],
    });
    await ok('POST', `/api/integrations/custom/${made.data.id}/test`, {});
    expect(stub.tab('Leads', id)!.cells).toHaveLength(2);
  });

  it('is shared with exactly those who are named, to read unless the client lets them edit', async () => {
    const shared = await sheet('PUT', 'spreadsheet/share', { emails: ['cat@example.com'] });
    expect(shared).toMatchObject({ recipients: ['cat@example.com'], unshared: [] });
    const current = await idOf();
    const roles = () => stub.shared(current).filter(({ role }) => role !== 'owner');
    expect(roles()).toEqual([{ emailAddress: 'cat@example.com', role: 'reader' }]);
    await app.admin.query('update company set sheet_editor = true where id = $1', [client.id]);
    await sheet('PUT', 'spreadsheet/share', { emails: ['cat@example.com', 'dan@example.com'] });
    expect(roles()).toContainEqual({ emailAddress: 'dan@example.com', role: 'writer' });
    const many = await call('PUT', '/api/leadspeek/spreadsheet/share', {
      leadspeekID: campaign.id,
      emails: Array.from({ length: 21 }, (_, at) => `a${at}@example.com`),
    });
    expect(many.status).toBe(422);
  });

  it('names everyone who can open it when two share it at once', async () => {
    const both = ['cat@example.com', 'dan@example.com'];
    const current = await idOf();
    const open = () =>
      stub
        .shared(current)
        .filter(({ role }) => role !== 'owner')
        .map(({ emailAddress }) => emailAddress);
    // Nobody notes anything before both have shared it.
    await app.admin.query('begin');
    await app.admin.query('select from destination_document where document_id = $1 for update', [current]);
    const sharing = ['eve@example.com', 'fay@example.com'].map((email) =>
      sheet('PUT', 'spreadsheet/share', { emails: [...both, email] }),
    );
    await expect.poll(open).toHaveLength(4);
    await app.admin.query('commit');
    await Promise.all(sharing);
    const { recipients } = await sheet('GET', 'spreadsheet/check');
    expect([...recipients].sort()).toEqual(open().sort());
    await sheet('PUT', 'spreadsheet/share', { emails: both });
    expect((await sheet('GET', 'spreadsheet/check')).recipients).toEqual(both);
  });

  it('gives way to a new one, shared alike, and stays as it is', async () => {
    const former = await idOf();
    const before = stub.tab('Leads', former)!.cells.length;
    app.clock.advance(1000);
    const { unshared } = await sheet('POST', 'spreadsheet/reset');
    expect(unshared).toEqual([]);
    const now = await idOf();
    expect(now).not.toBe(former);
    expect((await sheet('GET', 'spreadsheet/history')).data).toMatchObject([
      { ended_at: null },
      { ended_at: expect.any(String) },
    ]);
    expect((await sheet('GET', 'spreadsheet/check')).recipients).toEqual([
      'cat@example.com',
      'dan@example.com',
    ]);
    app.clock.advance(61_000);
    const { destination_id } = await sheet('GET', 'spreadsheet/check');
    await ok('POST', `/api/integrations/custom/${destination_id}/test`, {});
    expect(stub.tab('Leads', former)!.cells).toHaveLength(before);
    expect(stub.tab('Leads', now)!.cells).toHaveLength(2);
  });

  it('sends its link to the client', async () => {
    await sheet('POST', 'client/resendgooglelink');
    const { rows } = await app.admin.query(
      `select to_address, body_sealed from mail where kind = 'delivery.document'`,
    );
    expect(rows).toMatchObject([{ to_address: email }]);
    const { text } = JSON.parse(app.platform.vault.open(rows[0].body_sealed, 'mail.body'));
    expect(text).toContain((await sheet('GET', 'spreadsheet/check')).url);
    // Not again and again.
    const again = () => call('POST', '/api/leadspeek/client/resendgooglelink', { leadspeekID: campaign.id });
    const answers = await Promise.all(Array.from({ length: 10 }, again));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    expect((await again()).status).toBe(429);
  });

  it('is said to be gone when someone deleted it, and no half of one stays behind a refusal', async () => {
    stub.trash(await idOf());
    expect((await sheet('GET', 'spreadsheet/check')).exists).toBe(false);
    const files = running.requests.filter(({ path }) => path === '/v4/spreadsheets').length;
    stub.revoke();
    const refused = await call('POST', '/api/leadspeek/spreadsheet', {
      leadspeekID: campaign.id,
      connectionID,
    });
    expect(refused.status).toBe(409);
    expect(running.requests.filter(({ path }) => path === '/v4/spreadsheets')).toHaveLength(files + 1);
    expect((await sheet('GET', 'spreadsheet/history')).data).toHaveLength(2);
  });

  it('[INTG-03] Google Sheets is connected or not, and is disconnected as a whole', async () => {
    const check = () => ok('GET', '/api/integrations/google-sheet/check-connect');
    expect(await check()).toMatchObject({ connected: true, data: [{ id: connectionID }] });
    await ok('POST', '/api/integrations/google-sheet/revoke', {});
    expect(await check()).toEqual({ connected: false, data: [] });
    const gone = await call('GET', `/api/leadspeek/spreadsheet/check?leadspeekID=${campaign.id}`);
    expect(gone.status).toBe(404);
  });
});
