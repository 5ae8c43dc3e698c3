import { Stopped } from '../attempt.ts';
import { type Answer, listAt, textAt } from '../http.ts';
import { type Choice, isOk, type Request, type TargetField, type Vendor, type Way } from '../port.ts';
import {
  cells,
  change,
  checked,
  drive,
  judged,
  letters,
  rangeOf,
  sheets,
  type Tab,
  tabOf,
  valuesIn,
  words,
} from './api.ts';
import {
  createSpreadsheet,
  permissions,
  protect,
  removeFile,
  share,
  spreadsheetExists,
  unshare,
} from './files.ts';
import { keyOf, SHEETS } from './token.ts';

const ID_LABEL = 'Lead ID';

const FIELDS: readonly (readonly [key: string, label: string])[] = [
  ['created_at', 'Time'],
  ['first_name', 'First name'],
  ['last_name', 'Last name'],
  ['email', 'Email'],
  ['phone', 'Phone number'],
  ['phone2', 'Second phone number'],
  ['address', 'Street address'],
  ['city', 'City'],
  ['state', 'State'],
  ['zip', 'ZIP code'],
  ['company_name', 'Company name'],
  ['job_title', 'Job title'],
  ['website', 'Website'],
  ['campaign_id', 'Campaign ID'],
  ['campaign_name', 'Campaign name'],
  ['page_url', 'Page visited'],
  ['referrer', 'Referrer'],
  ['phone_dnc', 'On a do-not-call list'],
  ['phone_dnc_checked_at', 'Do-not-call lists checked'],
  ['phone2_dnc', 'Second phone on a do-not-call list'],
];

/**
 * A row of a Google spreadsheet for each lead. Appending is not idempotent, so our id of the lead is in column A, and
 * that column is read before a row is appended again. Rows move when people sort, so a row is always looked up by its id.
 */
export const googleSheets: Vendor = {
  id: 'google-sheets',
  name: 'Google Sheets',
  summary: 'Adds a row to a spreadsheet for each lead.',
  category: 'Spreadsheet',
  steps: [
    'In the Google Cloud console, turn on the Google Sheets API and the Google Drive API for a project.',
    'Under IAM & Admin, Service Accounts, create an account, then add a key of type JSON. A file is downloaded.',
    'Share your spreadsheet with the address of that account, as an editor.',
    'Keep the column Lead ID first. You can sort rows, move the other columns, and add your own.',
  ],
  isUnverified: true,
  noun: 'row',
  base: SHEETS,
  credentials: [
    {
      key: 'service_account',
      label: 'Service account key',
      help: 'Everything in the JSON key file. It starts with { and contains a private key.',
      isSecret: true,
      placeholder: '{ "type": "service_account", … }',
    },
  ],
  oauth: {
    provider: 'Google',
    signIn: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    revoke: 'https://oauth2.googleapis.com/revoke',
    // Reaches only files that the platform has made, so that Google asks for no review.
    scopes: ['https://www.googleapis.com/auth/drive.file'],
    hasPkce: true,
    signInParameters: { access_type: 'offline', prompt: 'consent' },
    fills: 'access_token',
  },
  settings: [
    {
      key: 'spreadsheet',
      label: 'Spreadsheet',
      help: 'Spreadsheets that are shared with the service account.',
      kind: 'choice',
      isRequired: true,
    },
    {
      key: 'sheet',
      label: 'Sheet',
      help: 'The sheet (tab) that rows are added to. It is created if there is none. Blank uses “Leads”.',
      kind: 'text',
    },
  ],
  fields: FIELDS.map(([key, label]): TargetField => ({ key, label, from: key })),
  judgesEmail: null,

  async test(way) {
    const answer = await drive(way, 'GET', '/about?fields=user(emailAddress,displayName)');
    if (!isOk(answer)) {
      const result = judged(answer);
      return { isConnected: false, why: words(answer) ?? ('why' in result ? result.why : 'Google refused.') };
    }
    const account =
      textAt(answer.json, 'user', 'emailAddress') ?? keyOf(way.credentials.service_account)?.email;
    return { isConnected: true, account: account?.trim() || 'Google Account' };
  },

  async choices(way) {
    const query = new URLSearchParams({
      q: "mimeType = 'application/vnd.google-apps.spreadsheet' and trashed = false",
      fields: 'files(id,name)',
      orderBy: 'modifiedTime desc',
      pageSize: '1000',
    });
    const answer = checked(await drive(way, 'GET', `/files?${query}`));
    return {
      spreadsheet: listAt(answer.json, 'files').flatMap((file): Choice[] => {
        const id = textAt(file, 'id');
        return id ? [{ id, name: textAt(file, 'name') ?? id }] : [];
      }),
    };
  },

  documents: {
    noun: 'spreadsheet',
    settingsOf: (document) => ({ spreadsheet: document, sheet: 'Leads' }),
    async create(way, title) {
      const made = await createSpreadsheet(way, title);
      await protect(way, made.id);
      return made;
    },
    remove: removeFile,
    exists: spreadsheetExists,
    async share(way, document, email, mayEdit) {
      await share(way, document, email, mayEdit ? 'writer' : 'reader');
    },
    async unshare(way, document, email) {
      const all = await permissions(way, document);
      const found = all.find(
        (one) => one.email.toLowerCase() === email.toLowerCase() && one.role !== 'owner',
      );
      if (found) await unshare(way, document, found.id);
    },
  },
  // Google allows an account 60 calls a minute for reading, and as many for writing. Together they stay below that, with
  // room for what people do on the screens.
  queue: { most: 500, quota: { calls: 54, everyMs: 60_000, eachBatch: 12 } },

  async find(way, request) {
    const { spreadsheet, sheet } = placeOf(request);
    const row = await rowOf(way, spreadsheet, sheet, request.leadId);
    return row ? remember(spreadsheet, request.leadId, rangeOf(sheet, `A${row.number}`)) : null;
  },

  async deliver(way, request, remoteId) {
    const { spreadsheet, sheet } = placeOf(request);
    if (!spreadsheet) return NO_SPREADSHEET;
    const header = await headerOf(way, spreadsheet, sheet, Object.keys(request.fields).map(labelOf));
    const values = valuesOf(header, request);
    // Last, because nothing keeps people from sorting between this and the write.
    const row = remoteId ? await rowOf(way, spreadsheet, sheet, request.leadId) : undefined;
    if (row) {
      const range = `A${row.number}:${letters(values.length - 1)}${row.number}`;
      const answer = await write(way, spreadsheet, sheet, range, values);
      const id = remember(spreadsheet, request.leadId, rangeOf(sheet, range));
      return { kind: 'delivered', remoteId: id, status: answer.status };
    }
    const path = `${cells(spreadsheet, sheet, 'A1')}:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS`;
    const answer = checked(await sheets(way, 'POST', path, { values: [values] }));
    const range = textAt(answer.json, 'updates', 'updatedRange') ?? rangeOf(sheet, 'A:A');
    return {
      kind: 'delivered',
      remoteId: remember(spreadsheet, request.leadId, range),
      status: answer.status,
    };
  },

  async deliverMany(way, batch) {
    const { spreadsheet, sheet } = placeOf(batch[0]!.request);
    if (!spreadsheet) throw new Stopped(NO_SPREADSHEET);
    const labels = new Set(batch.flatMap(({ request }) => Object.keys(request.fields).map(labelOf)));
    const header = await headerOf(way, spreadsheet, sheet, [...labels]);
    const values = batch.map(({ request }) => valuesOf(header, request));
    // Last, because nothing keeps people from sorting between this and the write.
    const mayBeThere = batch.some(({ remoteId, isInDoubt }) => remoteId || isInDoubt);
    const ids = batch.map(({ request }) => request.leadId);
    const rows = mayBeThere ? await rowsOf(way, spreadsheet, sheet, ids) : new Map<string, Row>();
    const ranges = new Map<string, string>();
    const data = batch.flatMap(({ request: { leadId } }, at) => {
      const row = rows.get(leadId);
      if (!row) return [];
      const range = rangeOf(sheet, `A${row.number}:${letters(header.length - 1)}${row.number}`);
      ranges.set(leadId, range);
      return [{ range, values: [values[at]] }];
    });
    let last: Answer | undefined;
    if (data.length > 0) {
      const path = `/${encodeURIComponent(spreadsheet)}/values:batchUpdate`;
      last = checked(await sheets(way, 'POST', path, { valueInputOption: 'RAW', data }));
    }
    const fresh = values.filter((_, at) => !rows.has(ids[at]!));
    if (fresh.length > 0) {
      const path = `${cells(spreadsheet, sheet, 'A1')}:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS`;
      last = checked(await sheets(way, 'POST', path, { values: fresh }));
      const first = Number(/!\$?A\$?(\d+)/.exec(textAt(last.json, 'updates', 'updatedRange') ?? '')?.[1]);
      let number = Number.isSafeInteger(first) ? first : undefined;
      for (const id of ids) {
        if (rows.has(id)) continue;
        ranges.set(id, rangeOf(sheet, number === undefined ? 'A:A' : `A${number++}`));
      }
    }
    const status = last?.status ?? 200;
    return ids.map((id) => ({
      kind: 'delivered',
      remoteId: remember(spreadsheet, id, ranges.get(id)!),
      status,
    }));
  },

  async erase(way, remoteId) {
    const [, spreadsheet = '', leadId = '', name = ''] =
      /^([^/]+)\/([^/]+)\/(.*)![^!]*$/s.exec(remoteId) ?? [];
    const sheet = name.replace(/^'(.*)'$/s, '$1').replace(/''/g, "'");
    if (!spreadsheet || !sheet) return;
    let row: Row | undefined;
    try {
      row = await rowOf(way, spreadsheet, sheet, leadId);
    } catch (error) {
      // The whole spreadsheet is gone, and the row with it.
      if (error instanceof Stopped && error.result.kind === 'final' && error.result.status === 404) return;
      throw error;
    }
    if (!row) return;
    const range = {
      sheetId: row.tab.id,
      dimension: 'ROWS',
      startIndex: row.number - 1,
      endIndex: row.number,
    };
    await change(way, spreadsheet, [{ deleteDimension: { range } }]);
  },
};

const NO_SPREADSHEET = {
  kind: 'final',
  why: 'This destination has no spreadsheet.',
  fix: 'Choose a spreadsheet in the settings of this destination, then resend.',
  status: null,
} as const;

const LABELS = new Map(FIELDS);
const labelOf = (key: string): string => LABELS.get(key) ?? key;

const placeOf = ({ settings }: Request) => ({
  // Typed text may hold half a character, which no address can.
  spreadsheet: (settings.spreadsheet ?? '').toWellFormed(),
  sheet: settings.sheet?.toWellFormed().trim() || 'Leads',
});

/**
 * What is kept of a row: the spreadsheet, our id of the lead, and the range that it had. An erasure knows nothing else,
 * and the range alone would soon be another lead's.
 */
const remember = (spreadsheet: string, leadId: string, range: string): string =>
  `${spreadsheet}/${leadId}/${range}`;

interface Row {
  /** Counted from 1. */
  number: number;
  tab: Tab;
}

/** Rows that are read at once: their ids fit into one response. */
const ROWS_AT_ONCE = 15_000;

const rowOf = async (
  way: Way,
  spreadsheet: string,
  sheet: string,
  leadId: string,
): Promise<Row | undefined> => (await rowsOf(way, spreadsheet, sheet, [leadId])).get(leadId);

/** Looks up leads' rows by their ids in column A, the newest rows first. */
async function rowsOf(
  way: Way,
  spreadsheet: string,
  sheet: string,
  leadIds: readonly string[],
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const wanted = new Set(leadIds);
  const tab = await tabOf(way, spreadsheet, sheet);
  for (let last = tab?.rows ?? 0; tab && last > 1 && found.size < wanted.size; last -= ROWS_AT_ONCE) {
    const first = Math.max(2, last - ROWS_AT_ONCE + 1);
    const path = `${cells(spreadsheet, sheet, `A${first}:A${last}`)}?majorDimension=COLUMNS`;
    const [ids] = valuesIn(checked(await sheets(way, 'GET', path)));
    if (!Array.isArray(ids)) continue;
    for (const [index, id] of ids.entries())
      if (wanted.has(id) && !found.has(id)) found.set(id, { number: first + index, tab });
  }
  return found;
}

/**
 * The names of the columns, after writing those that are missing: all of them into an empty sheet, and a column that
 * was renamed or deleted again at the end, so that no value is lost.
 */
async function headerOf(way: Way, spreadsheet: string, sheet: string, wanted: string[]): Promise<string[]> {
  const answer = await sheets(way, 'GET', cells(spreadsheet, sheet, '1:1'));
  let header: string[] = [];
  if (answer.status === 400 && /Unable to parse range/i.test(words(answer) ?? '')) {
    const gridProperties = { frozenRowCount: 1 };
    await change(way, spreadsheet, [{ addSheet: { properties: { title: sheet, gridProperties } } }]);
  } else {
    const [row] = valuesIn(checked(answer));
    if (Array.isArray(row)) header = row.map((name) => (typeof name === 'string' ? name : ''));
  }
  const isEmpty = header.length === 0;
  if (!isEmpty && header[0] !== ID_LABEL)
    throw new Stopped({
      kind: 'final',
      why: `The first column of the sheet “${sheet}” is not “${ID_LABEL}”.`,
      fix: `Move the column “${ID_LABEL}” back to the first place, or enter the name of an empty sheet, then resend.`,
      status: answer.status,
    });
  const all = isEmpty ? [ID_LABEL, ...FIELDS.map(([, label]) => label), ...wanted] : wanted;
  const missing = [...new Set(all)].filter((name) => !header.includes(name));
  if (missing.length === 0) return header;
  const names = [...header, ...missing];
  const tab = await tabOf(way, spreadsheet, sheet);
  if (tab && tab.columns < names.length) {
    const length = names.length - tab.columns;
    await change(way, spreadsheet, [{ appendDimension: { sheetId: tab.id, dimension: 'COLUMNS', length } }]);
  }
  const range = `${letters(header.length)}1:${letters(names.length - 1)}1`;
  await write(way, spreadsheet, sheet, range, missing);
  return names;
}

/** A row's values in the order of its columns. Null leaves a cell as it is: what people add there stays. */
function valuesOf(header: readonly string[], { fields, leadId }: Request): (string | null)[] {
  const values: (string | null)[] = header.map(() => null);
  values[0] = leadId;
  for (const [key, value] of Object.entries(fields)) {
    const column = header.indexOf(labelOf(key));
    if (column > 0) values[column] = value;
  }
  return values;
}

/** Writes one row as it is: with RAW, Google takes no value of a lead for a formula. */
const write = async (way: Way, spreadsheet: string, sheet: string, range: string, row: (string | null)[]) =>
  checked(
    await sheets(way, 'PUT', `${cells(spreadsheet, sheet, range)}?valueInputOption=RAW`, { values: [row] }),
  );
