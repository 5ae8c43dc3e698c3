import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { at, listAt, textAt } from '../http.ts';
import { createOAuthStub } from '../oauth-stub.ts';
import type { Stub, StubAnswer, StubRequest } from '../stub.ts';
import { googleSheets } from './index.ts';

interface StubTab {
  id: number;
  title: string;
  rows: number;
  columns: number;
  cells: string[][];
  protections: object[];
}

interface StubFile {
  title: string;
  tabs: StubTab[];
  permissions: Map<string, { emailAddress: string; role: string }>;
  trashed: boolean;
}

export interface GoogleSheetsStub extends Stub {
  /** The cells of a sheet, which a person may change. */
  cells(sheet?: string): string[][];
  tab(sheet?: string, spreadsheet?: string): StubTab | undefined;
  /** Who may do what with a spreadsheet. */
  shared(spreadsheet: string): { emailAddress: string; role: string }[];
  trash(spreadsheet: string): void;
  delete(spreadsheet: string): void;
}

const TOKEN = 'ya29.stub-token';
const EMAIL = 'leads@stub-project.iam.gserviceaccount.com';
/** Made once, when first needed: it takes a moment. */
let pair: { publicKey: KeyObject; file: string } | undefined;
function keys() {
  if (pair) return pair;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const file = JSON.stringify({
    type: 'service_account',
    client_email: EMAIL,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  });
  pair = { publicKey, file };
  return pair;
}

/** Google's token endpoint: the assertion must be signed with the account's key. */
function issue(form: URLSearchParams): StubAnswer {
  const refused = {
    status: 400,
    json: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
  };
  const [head = '', body = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    keys().publicKey,
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned || form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return refused;
  const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
  if (textAt(claims, 'iss') !== EMAIL || textAt(claims, 'aud') !== 'https://oauth2.googleapis.com/token')
    return refused;
  return { status: 200, json: { access_token: TOKEN, expires_in: 3599, token_type: 'Bearer' } };
}
const FILE = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms';
const LABELS = new Map(googleSheets.fields.map(({ key, label }) => [label, key]));

/**
 * Google's spreadsheets and their permissions, as far as files of the app reach: append puts a row below the table that
 * begins in A1, null leaves a cell alone, RAW takes nothing for a formula, and ranges outside the grid are refused.
 */
export function googleSheetsStub({ columns = 26 } = {}): GoogleSheetsStub {
  const files = new Map<string, StubFile>();
  let isRevoked = false;
  let next = 1;

  const newTab = (title: string, more: unknown = {}): StubTab => ({
    id: next++,
    title,
    rows: Number(textAt(more, 'rowCount') ?? 1000),
    columns,
    cells: [],
    protections: [],
  });
  const newFile = (title: string, tabs: StubTab[]): StubFile => ({
    title,
    tabs,
    permissions: new Map([['owner', { emailAddress: 'owner@example.com', role: 'owner' }]]),
    trashed: false,
  });
  files.set(FILE, newFile('Leads of Springfield Roofing', [newTab('Leads')]));

  const problem = (
    code: number,
    message: string,
    status = 'INVALID_ARGUMENT',
    more: object = {},
  ): StubAnswer => ({
    status: code,
    json: { error: { code, message, status, ...more } },
  });
  const missing = () => problem(404, 'Requested entity was not found.', 'NOT_FOUND');

  interface Place {
    tab: StubTab;
    from: { row: number; column: number };
    to: { row: number; column: number };
  }
  function place(file: StubFile, text: string): Place | StubAnswer {
    const [, quoted, plain, range = ''] = /^(?:'((?:[^']|'')*)'|([^!']+))!(.+)$/.exec(text) ?? [];
    const tab = file.tabs.find(({ title }) => title === (quoted?.replace(/''/g, "'") ?? plain));
    const ends = range.split(':').map((end) => /^([A-Z]*)(\d*)$/.exec(end));
    if (!tab || ends.some((end) => !end)) return problem(400, `Unable to parse range: ${text}`);
    const cell = (end: RegExpExecArray, otherwise: { row: number; column: number }) => ({
      row: end[2] ? Number(end[2]) - 1 : otherwise.row,
      column: end[1]
        ? [...end[1]].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
        : otherwise.column,
    });
    const from = cell(ends[0]!, { row: 0, column: 0 });
    const to = cell(ends[1] ?? ends[0]!, { row: tab.rows - 1, column: tab.columns - 1 });
    if (from.row >= tab.rows || from.column >= tab.columns || to.column >= tab.columns)
      return problem(
        400,
        `Range (${text}) exceeds grid limits. Max rows: ${tab.rows}, max columns: ${tab.columns}`,
      );
    return { tab, from, to };
  }

  function read({ tab, from, to }: Place, isByColumn: boolean): string[][] {
    const rows = tab.cells
      .slice(from.row, to.row + 1)
      .map((row) => trimmed(row.slice(from.column, to.column + 1)));
    while (rows.length > 0 && rows.at(-1)!.length === 0) rows.pop();
    if (!isByColumn) return rows;
    const width = Math.max(0, ...rows.map((row) => row.length));
    return Array.from({ length: width }, (_, column) => trimmed(rows.map((row) => row[column] ?? '')));
  }
  const trimmed = (row: string[]): string[] => {
    const end = row.findLastIndex((value) => value !== '' && value !== undefined);
    return Array.from(row.slice(0, end + 1), (value) => value ?? '');
  };

  /** Writes one row; null leaves a cell as it is. */
  function put(tab: StubTab, row: number, column: number, values: unknown, isRaw: boolean): void {
    if (!Array.isArray(values)) return;
    while (tab.cells.length <= row) tab.cells.push([]);
    values.forEach((value, index) => {
      if (value === null) return;
      const text = String(value);
      tab.cells[row]![column + index] = !isRaw && /^[=+]/.test(text) ? '#ERROR!' : text;
    });
  }

  function values(request: StubRequest, file: StubFile, text: string): StubAnswer {
    const isAppend = text.endsWith(':append');
    const found = place(file, isAppend ? text.slice(0, -':append'.length) : text);
    if (!('tab' in found)) return found;
    const { tab, from } = found;
    if (request.method === 'GET') {
      const isByColumn = request.query.get('majorDimension') === 'COLUMNS';
      const list = read(found, isByColumn);
      return { status: 200, json: { range: text, ...(list.length > 0 ? { values: list } : {}) } };
    }
    const option = request.query.get('valueInputOption');
    if (option !== 'RAW' && option !== 'USER_ENTERED')
      return problem(400, "'valueInputOption' is required but not specified");
    const rows = at(request.json, 'values');
    const isFitting = (row: unknown) => Array.isArray(row) && from.column + row.length <= tab.columns;
    if (!Array.isArray(rows) || rows.length === 0 || !rows.every(isFitting))
      return problem(
        400,
        `Range (${text}) exceeds grid limits. Max rows: ${tab.rows}, max columns: ${tab.columns}`,
      );
    let target = from.row;
    if (isAppend) {
      target = tab.cells.findIndex((cells) => trimmed(cells).length === 0);
      if (target < 0) target = tab.cells.length;
      if (request.query.get('insertDataOption') === 'INSERT_ROWS') {
        tab.cells.splice(target, 0, ...rows.map(() => []));
        tab.rows += rows.length;
      }
    }
    for (const [index, row] of rows.entries()) put(tab, target + index, from.column, row, option === 'RAW');
    const updatedRange = `${tab.title}!A${target + 1}:Z${target + rows.length}`;
    const updates = { updatedRange, updatedRows: rows.length };
    return { status: 200, json: isAppend ? { spreadsheetId: FILE, updates } : updates };
  }

  function batch(request: StubRequest, file: StubFile): StubAnswer {
    for (const entry of listAt(request.json, 'data')) {
      const found = place(file, textAt(entry, 'range') ?? '');
      const row = at(entry, 'values', 0);
      if (!('tab' in found)) return found;
      put(
        found.tab,
        found.from.row,
        found.from.column,
        row,
        textAt(request.json, 'valueInputOption') === 'RAW',
      );
    }
    return { status: 200, json: { spreadsheetId: FILE } };
  }

  function change(file: StubFile, request: Record<string, unknown>): StubAnswer | undefined {
    const byId = (...path: string[]) => file.tabs.find(({ id }) => id === at(request, ...path));
    const added = at(request, 'addSheet', 'properties');
    if (added) {
      const title = textAt(added, 'title') ?? `Sheet${next}`;
      if (file.tabs.some((tab) => tab.title === title))
        return problem(400, `A sheet with the name "${title}" already exists.`);
      file.tabs.push(newTab(title));
      return undefined;
    }
    const deleted = byId('deleteDimension', 'range', 'sheetId');
    if (deleted) {
      const start = Number(at(request, 'deleteDimension', 'range', 'startIndex'));
      const count = Number(at(request, 'deleteDimension', 'range', 'endIndex')) - start;
      deleted.cells.splice(start, count);
      deleted.rows -= count;
      return undefined;
    }
    const widened = byId('appendDimension', 'sheetId');
    if (widened) {
      widened.columns += Number(at(request, 'appendDimension', 'length'));
      return undefined;
    }
    const range = at(request, 'addProtectedRange', 'protectedRange');
    const tab = byId('addProtectedRange', 'protectedRange', 'range', 'sheetId');
    if (!tab) return problem(400, 'Invalid requests[0]: No request set.');
    tab.protections.push(range as object);
    return undefined;
  }

  function spreadsheets(request: StubRequest, rest: string): StubAnswer {
    const { method, json, headers } = request;
    if (method === 'POST' && rest === '') {
      const id = `spreadsheet${next++}`;
      const tabs = listAt(json, 'sheets').map((sheet) =>
        newTab(textAt(sheet, 'properties', 'title') ?? 'Sheet1'),
      );
      files.set(id, newFile(textAt(json, 'properties', 'title') ?? 'Untitled', tabs));
      // In the demo, the page that shows what has arrived.
      const spreadsheetUrl = `http://${headers.host}/?of=google-sheets`;
      return { status: 200, json: { spreadsheetId: id, spreadsheetUrl } };
    }
    const [, id = '', action, range = ''] = /^\/([^/:]+)(:batchUpdate|\/values\/)?(.*)/s.exec(rest) ?? [];
    const file = files.get(id);
    if (!file) return missing();
    if (rest.endsWith('/values:batchUpdate')) return batch(request, file);
    if (action === '/values/') return values(request, file, decodeURIComponent(range));
    if (action) {
      for (const one of listAt(json, 'requests')) {
        const wrong = change(file, one);
        if (wrong) return wrong;
      }
      return { status: 200, json: { spreadsheetId: id, replies: [] } };
    }
    const list = file.tabs.map(({ id, title, rows, columns, protections }) => ({
      properties: { sheetId: id, title, gridProperties: { rowCount: rows, columnCount: columns } },
      ...(protections.length > 0 ? { protectedRanges: protections } : {}),
    }));
    return { status: 200, json: { sheets: list } };
  }

  function drive({ method, query, json }: StubRequest, rest: string): StubAnswer {
    if (rest === '/about') return { status: 200, json: { user: { emailAddress: 'owner@example.com' } } };
    if (rest === '/files') {
      const list = [...files].filter(([, { trashed }]) => !trashed);
      return { status: 200, json: { files: list.map(([id, { title }]) => ({ id, name: title })) } };
    }
    const [, id = '', part, one] = /^\/files\/([^/]+)(\/permissions)?(?:\/([^/]+))?$/.exec(rest) ?? [];
    const file = files.get(id);
    if (!file) return problem(404, `File not found: ${id}.`, 'NOT_FOUND');
    if (!part && method === 'DELETE') {
      files.delete(id);
      return { status: 204 };
    }
    if (!part) return { status: 200, json: { id, trashed: file.trashed } };
    if (method === 'DELETE')
      return file.permissions.delete(one ?? '')
        ? { status: 204 }
        : problem(404, `Permission not found: ${one}.`);
    if (method === 'POST') {
      const emailAddress = textAt(json, 'emailAddress') ?? '';
      if (query.get('sendNotificationEmail') === 'false' && !/@(gmail|example)\.com$/.test(emailAddress))
        return problem(
          400,
          `You are trying to invite ${emailAddress}. Since there is no Google account associated with this email address, you must check the "Notify people" box to invite this recipient.`,
        );
      const permission = `permission${next++}`;
      file.permissions.set(permission, { emailAddress, role: textAt(json, 'role') ?? '' });
      return { status: 200, json: { id: permission } };
    }
    const all = [...file.permissions].map(([id, entry]) => ({ id, type: 'user', ...entry }));
    const start = Number(query.get('pageToken') ?? 0);
    const more = start + 2 < all.length ? { nextPageToken: String(start + 2) } : {};
    return { status: 200, json: { permissions: all.slice(start, start + 2), ...more } };
  }

  const signIn = createOAuthStub(googleSheets.oauth!);
  const tabOf = (sheet = 'Leads', spreadsheet = FILE) =>
    files.get(spreadsheet)?.tabs.find(({ title }) => title === sheet);
  const tabs = () => [...files.values()].flatMap((file) => file.tabs);
  const rows = () => tabs().flatMap(({ cells }) => cells.slice(1).map((row) => [cells[0]!, row]));

  return {
    credentials: () => ({ service_account: keys().file }),
    settings: { spreadsheet: FILE, sheet: 'Leads' },
    records: () =>
      rows().map(([header = [], row = []]) => ({
        id: row[0] ?? '',
        fields: Object.fromEntries(
          header.flatMap((label, index) => {
            const key = LABELS.get(label);
            return key && row[index] ? [[key, row[index]]] : [];
          }),
        ),
      })),
    remove: (id) => {
      for (const tab of tabs()) tab.cells = tab.cells.filter((row) => row[0] !== id);
    },
    revoke: () => {
      isRevoked = true;
    },
    signIn,
    cells: (sheet) => tabOf(sheet)?.cells ?? [],
    tab: tabOf,
    shared: (spreadsheet) => [...(files.get(spreadsheet)?.permissions.values() ?? [])],
    trash: (spreadsheet) => {
      const file = files.get(spreadsheet);
      if (file) file.trashed = true;
    },
    delete: (spreadsheet) => void files.delete(spreadsheet),
    handle(request) {
      const { path, headers } = request;
      if (!isRevoked && path === '/token') return issue(request.form);
      const isKey = !isRevoked && headers.authorization === `Bearer ${TOKEN}`;
      if (!isKey && !signIn.accepts({ headers }))
        return problem(401, 'Request had invalid authentication credentials.', 'UNAUTHENTICATED');
      const [, which, rest = ''] = /^\/(v4\/spreadsheets|drive\/v3)(.*)$/.exec(path) ?? [];
      if (which === 'v4/spreadsheets') return spreadsheets(request, rest);
      return which ? drive(request, rest) : missing();
    },
  };
}
