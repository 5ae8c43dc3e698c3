import { afterEach, describe, expect, it } from 'vitest';
import { attempt, outcomeOf, Stopped } from '../attempt.ts';
import { type Bench, bench } from '../bench.ts';
import type { Answer, Ask } from '../http.ts';
import type { Request, Way } from '../port.ts';
import { AT, integrationSuite, LEAD } from '../suite.ts';
import { letters } from './api.ts';
import * as files from './files.ts';
import { googleSheets } from './index.ts';
import { type GoogleSheetsStub, googleSheetsStub } from './stub.ts';

const quota = (message: string) => ({
  status: 429,
  json: { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED' } },
});

integrationSuite(googleSheets, {
  stub: googleSheetsStub,
  tooMany: {
    answer: quota('User-rate limit exceeded.  Retry after 2026-03-02T15:00:30.500Z'),
    afterMs: 30_500,
  },
});

describe('Google Sheets: its own rules', () => {
  let at: Bench<GoogleSheetsStub>;
  const open = async (options: { columns?: number } = {}) => {
    at = await bench(googleSheets, googleSheetsStub(options));
    return at;
  };
  afterEach(() => at?.stop());
  const send = (more: Partial<Request> = {}, remoteId: string | null = null, isInDoubt = false) =>
    attempt(googleSheets, at.way, at.request(more), remoteId, isInDoubt);
  const lead = (number: number, fields: Record<string, string> = {}): Partial<Request> => ({
    leadId: `lead-${number}`,
    fields: { email: `${number}@example.com`, ...fields },
  });

  it('[INTG-03] writes the header once, our id first, and every value as it is', async () => {
    const { stub, running } = await open();
    await send();
    await send(lead(2));
    const [header, first, second] = stub.cells();
    expect(header).toEqual(['Lead ID', ...googleSheets.fields.map(({ label }) => label)]);
    expect(first![0]).toBe(LEAD.lead_id);
    expect(first).toContain('=1 Main St');
    expect(second![0]).toBe('lead-2');
    const appended = running.requests.filter(({ path }) => path.endsWith(':append'));
    expect(appended).toHaveLength(2);
    for (const { query } of appended)
      expect(Object.fromEntries(query)).toEqual({ valueInputOption: 'RAW', insertDataOption: 'INSERT_ROWS' });
  });

  it('[INTG-04] updates a row where it is after people sorted, and leaves their notes', async () => {
    const { stub } = await open();
    const first = await send(lead(1));
    await send(lead(2));
    const [header, one, two] = stub.cells();
    header![18] = 'Notes';
    one![18] = 'Called on Monday';
    stub.tab()!.cells = [header!, two!, one!];
    const again = await send(lead(1, { city: 'Salem' }), first.remoteId);
    expect(again.result.kind).toBe('delivered');
    expect(again.remoteId).toContain('A3:');
    expect(stub.cells()).toHaveLength(3);
    expect(stub.cells()[1]).not.toContain('Salem');
    expect(stub.cells()[2]).toEqual(expect.arrayContaining(['lead-1', 'Salem', 'Called on Monday']));
  });

  it('[INTG-04] reads column A before it appends again, in parts where it is long', async () => {
    const { stub, running } = await open();
    await send(lead(1));
    stub.tab()!.rows = 40_000;
    running.requests.length = 0;
    expect((await send(lead(2), null, true)).result.kind).toBe('delivered');
    const reads = running.requests.map(({ path }) => decodeURIComponent(path).split('!')[1]);
    expect(reads.filter((range) => range?.startsWith('A'))).toEqual([
      'A25001:A40000',
      'A10001:A25000',
      'A2:A10000',
      'A1:append',
    ]);
    expect((await send(lead(1), null, true)).result.kind).toBe('delivered');
    expect(stub.records()).toHaveLength(2);
  });

  it('[INTG-04] appends nothing while the column of ids cannot be read', async () => {
    const { stub, running } = await open();
    running.answerNext({ status: 200, text: '{"sheets": [cut off' });
    expect((await send(lead(1), null, true)).result).toMatchObject({ kind: 'retry' });
    running.answerNext({ status: 200, json: { values: 7 } });
    expect((await send(lead(1))).result).toMatchObject({ kind: 'retry' });
    expect(stub.cells()).toEqual([]);
  });

  it('[INTG-03] follows columns that were moved, and brings back those that were renamed', async () => {
    const { stub } = await open({ columns: 18 });
    await send(lead(1));
    stub.tab()!.cells = [
      ['Lead ID', 'City', 'Mail'],
      ['lead-1', '', '1@example.com'],
    ];
    stub.tab()!.columns = 3;
    await send(lead(2, { city: 'Salem' }));
    expect(stub.cells()).toEqual([
      ['Lead ID', 'City', 'Mail', 'Email'],
      ['lead-1', '', '1@example.com'],
      ['lead-2', 'Salem', undefined, '2@example.com'],
    ]);
  });

  it('[INTG-03] creates the sheet that the settings name, in any letters', async () => {
    const { stub } = await open();
    const settings = { ...stub.settings, sheet: "Zoë's leads! 2026/1" };
    const first = await send({ settings });
    expect(first.result.kind).toBe('delivered');
    await send({ settings }, first.remoteId);
    expect(stub.cells(settings.sheet)).toHaveLength(2);
    expect(stub.cells()).toEqual([]);
    await googleSheets.erase!(at.way, first.remoteId!);
    expect(stub.cells(settings.sheet)).toHaveLength(1);
  });

  it('[INTG-03] takes a name with half a character for what it can be', async () => {
    const { stub } = await open();
    const { result } = await send({ settings: { ...stub.settings, sheet: 'A\ud800' } });
    expect(result.kind).toBe('delivered');
    expect(stub.cells('A\ufffd')).toHaveLength(2);
  });

  it('[INTG-03] uses the sheet “Leads” unless told otherwise', async () => {
    const { stub } = await open();
    await send({ settings: { spreadsheet: stub.settings.spreadsheet! } });
    expect(stub.cells('Leads')).toHaveLength(2);
  });

  it('[INTG-04] touches no sheet whose first column is something else', async () => {
    const { stub } = await open();
    stub.tab()!.cells = [
      ['Name', 'Price'],
      ['Apple', '1'],
    ];
    expect((await send()).result).toMatchObject({
      kind: 'final',
      fix: expect.stringContaining('empty sheet'),
    });
    expect(stub.cells()).toEqual([
      ['Name', 'Price'],
      ['Apple', '1'],
    ]);
  });

  it('[INTG-04] erases the row of the lead, wherever it is, and nothing of a spreadsheet that is gone', async () => {
    const { stub, way } = await open();
    const first = await send(lead(1));
    await send(lead(2));
    const [header, one, two] = stub.cells();
    stub.tab()!.cells = [header!, two!, one!];
    await googleSheets.erase!(way, first.remoteId!);
    expect(stub.records().map(({ id }) => id)).toEqual(['lead-2']);
    stub.delete(stub.settings.spreadsheet!);
    await googleSheets.erase!(way, first.remoteId!);
    await googleSheets.erase!(way, 'nonsense');
  });

  it('[INTG-04] says what to choose when the spreadsheet is gone or missing', async () => {
    const { stub } = await open();
    expect((await send({ settings: {} })).result).toMatchObject({ kind: 'final', status: null });
    stub.delete(stub.settings.spreadsheet!);
    expect((await send()).result).toMatchObject({
      kind: 'final',
      fix: expect.stringContaining('Choose a spreadsheet'),
    });
  });

  it.each([
    [quota('Quota exceeded for quota metric.'), { kind: 'retry', afterMs: 60_000 }],
    [
      { ...quota('Quota exceeded for quota metric.'), headers: { 'retry-after': '7' } },
      { kind: 'retry', afterMs: 7_000 },
    ],
    [quota('Retry after 2020-01-01T00:00:00Z'), { kind: 'retry', afterMs: 60_000 }],
    [quota('Retry after 2099-01-01T00:00:00Z'), { kind: 'retry', afterMs: 86_400_000 }],
    [
      { status: 403, json: { error: { message: 'Slow', errors: [{ reason: 'userRateLimitExceeded' }] } } },
      { kind: 'retry', afterMs: 60_000 },
    ],
    [
      { status: 403, json: { error: { details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] } } },
      { kind: 'broken' },
    ],
    [{ status: 403, json: { error: { message: 'The caller does not have permission' } } }, { kind: 'final' }],
  ])('[INTG-04] takes %j for what it is', async (answer, result) => {
    const { running } = await open();
    running.answerNext(answer, 2);
    expect((await send()).result).toMatchObject(result);
  });

  it('[INTG-03] creates, shares, lists, withdraws and protects', async () => {
    const { stub, way, running } = await open();
    const { id, url } = await files.createSpreadsheet(way, 'Leads of Zoë');
    // Google's own address of it.
    expect(url).toBe(`${way.base}/?of=google-sheets`);
    expect((await googleSheets.choices!(way)).spreadsheet).toContainEqual({ id, name: 'Leads of Zoë' });

    const one = await files.share(way, id, 'one@example.com');
    await files.share(way, id, 'two@gmail.com', 'reader');
    expect(await files.permissions(way, id)).toEqual([
      { id: 'owner', email: 'owner@example.com', role: 'owner' },
      { id: one, email: 'one@example.com', role: 'writer' },
      { id: expect.any(String), email: 'two@gmail.com', role: 'reader' },
    ]);
    const invited = running.requests.filter(
      ({ method, path }) => method === 'POST' && path.endsWith('/permissions'),
    );
    expect(invited.map(({ query }) => query.get('sendNotificationEmail'))).toEqual(['false', 'false']);
    await files.unshare(way, id, one);
    await files.unshare(way, id, one);
    expect(await files.permissions(way, id)).toHaveLength(2);

    await files.protect(way, id);
    await files.protect(way, id);
    const sheetId = stub.tab('Leads', id)!.id;
    expect(stub.tab('Leads', id)!.protections).toMatchObject([
      { range: { sheetId, startRowIndex: 0, endRowIndex: 1 }, warningOnly: true },
      { range: { sheetId, startColumnIndex: 0, endColumnIndex: 1 }, warningOnly: true },
    ]);
  });

  it('[INTG-03] tells whether a spreadsheet still exists', async () => {
    const { stub, way } = await open();
    const { id } = await files.createSpreadsheet(way, 'A');
    expect(await files.spreadsheetExists(way, id)).toBe(true);
    stub.trash(id);
    expect(await files.spreadsheetExists(way, id)).toBe(false);
    stub.delete(id);
    expect(await files.spreadsheetExists(way, id)).toBe(false);
    stub.revoke();
    await expect(files.spreadsheetExists(way, id)).rejects.toMatchObject({ result: { kind: 'broken' } });
  });

  it('[INTG-03] says whom a spreadsheet cannot be shared with', async () => {
    const { stub, way } = await open();
    const error = await files
      .share(way, stub.settings.spreadsheet!, 'someone@company.test')
      .catch((error) => error);
    expect(error).toBeInstanceOf(Stopped);
    expect(error.result).toMatchObject({ kind: 'final', fix: expect.stringContaining('Google Account') });
  });

  it('[INTG-03] asks Sheets and Drive at their own addresses', async () => {
    const asked: string[] = [];
    const answer: Answer = {
      status: 200,
      headers: {},
      text: '',
      json: { range: 'A', spreadsheetId: 'x', access_token: 't' },
      at: AT,
    };
    const http = ({ url }: Ask) => {
      asked.push(new URL(url).host);
      return Promise.resolve(answer);
    };
    const way: Way = {
      base: googleSheets.base,
      credentials: googleSheetsStub().credentials(''),
      http,
      now: () => AT,
    };
    await files.createSpreadsheet(way, 'A');
    await files.spreadsheetExists(way, 'x');
    expect(asked).toEqual(['oauth2.googleapis.com', 'sheets.googleapis.com', 'www.googleapis.com']);
  });

  it('[INTG-03] names columns as spreadsheets do', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(letters)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
  });
});

describe('Google Sheets: signing in', () => {
  const way = (at: Bench<GoogleSheetsStub>, more: Partial<Way> = {}): Way => ({ ...at.way, ...more });
  const tokensAsked = (at: Bench<GoogleSheetsStub>) =>
    at.running.requests.filter(({ path }) => path === '/token').length;

  it('[INTG-03] asks for one token, and for another when it is about to end or is refused', async () => {
    const at = await bench(googleSheets, googleSheetsStub());
    const later = (minutes: number) => ({ now: () => new Date(AT.getTime() + minutes * 60_000) });
    for (const minutes of [0, 10, 54]) await googleSheets.test(way(at, later(minutes)));
    expect(tokensAsked(at)).toBe(1);
    await googleSheets.test(way(at, later(56)));
    expect(tokensAsked(at)).toBe(2);
    at.running.answerNext({ status: 401, json: {} });
    await googleSheets.test(way(at, later(57)));
    expect(await googleSheets.test(way(at, later(57)))).toMatchObject({ isConnected: true });
    expect(tokensAsked(at)).toBe(3);
    await at.stop();
  });

  it('[INTG-03] says what is wrong with a key', async () => {
    const at = await bench(googleSheets, googleSheetsStub());
    const file = JSON.parse(at.way.credentials.service_account!);
    const tried = async (key: string) => {
      const result = await googleSheets
        .test(way(at, { credentials: { service_account: key } }))
        .catch(outcomeOf);
      return 'why' in result ? result.why : '';
    };
    expect(await tried('not a file')).toMatch(/not the JSON key file/);
    expect(await tried(JSON.stringify({ ...file, private_key: 'none' }))).toMatch(
      /private key .* cannot be read/,
    );
    expect(await tried(JSON.stringify({ ...file, client_email: 'someone@else' }))).toMatch(
      /Invalid JWT Signature/,
    );
    expect(tokensAsked(at)).toBe(1);
    await at.stop();
  });
});
