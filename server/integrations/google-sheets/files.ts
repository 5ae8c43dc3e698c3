import { Stopped } from '../attempt.ts';
import { at, listAt, textAt } from '../http.ts';
import { isOk, type Way } from '../port.ts';
import { change, checked, drive, judged, sheets, tabOf } from './api.ts';

/** What is done with spreadsheets besides delivering leads. All of these throw Stopped when Google refuses. */

export interface Permission {
  id: string;
  email: string;
  role: string;
}

/** Creates a spreadsheet with one empty sheet; its header row comes with the first lead. */
export async function createSpreadsheet(
  way: Way,
  title: string,
  sheet = 'Leads',
): Promise<{ id: string; url: string }> {
  const answer = checked(
    await sheets(way, 'POST', '', {
      properties: { title },
      sheets: [{ properties: { title: sheet, gridProperties: { frozenRowCount: 1 } } }],
    }),
  );
  const id = textAt(answer.json, 'spreadsheetId');
  if (!id)
    throw new Stopped({ kind: 'retry', why: 'Google returned no spreadsheet.', status: answer.status });
  const url = URL.parse(textAt(answer.json, 'spreadsheetUrl') ?? '');
  const isPage = url !== null && /^https?:$/.test(url.protocol);
  return {
    id,
    url: isPage ? url.href : `https://docs.google.com/spreadsheets/d/${encodeURIComponent(id)}/edit`,
  };
}

/** Deletes a file that the platform made; one that is gone is fine. */
export async function removeFile(way: Way, file: string): Promise<void> {
  const answer = await drive(way, 'DELETE', `/files/${encodeURIComponent(file)}`);
  if (answer.status !== 404) checked(answer);
}

/** Whether a spreadsheet still exists, outside the trash. */
export async function spreadsheetExists(way: Way, spreadsheet: string): Promise<boolean> {
  const answer = await drive(way, 'GET', `/files/${encodeURIComponent(spreadsheet)}?fields=id,trashed`);
  if (answer.status === 404) return false;
  return at(checked(answer).json, 'trashed') !== true;
}

/** Shares a spreadsheet with an address, without an email from Google. Returns the permission's ID. */
export async function share(
  way: Way,
  spreadsheet: string,
  email: string,
  role: 'reader' | 'writer' = 'writer',
): Promise<string> {
  const path = `/files/${encodeURIComponent(spreadsheet)}/permissions?sendNotificationEmail=false&fields=id`;
  const answer = await drive(way, 'POST', path, { type: 'user', role, emailAddress: email });
  const result = isOk(answer) ? undefined : judged(answer);
  if (result?.kind === 'final' && answer.status === 400) {
    // Without a notification, Google shares with Google Accounts only.
    const fix = 'Enter an address that has a Google Account.';
    throw new Stopped({ ...result, fix });
  }
  if (result) throw new Stopped(result);
  const id = textAt(answer.json, 'id');
  if (!id) throw new Stopped({ kind: 'retry', why: 'Google returned no permission.', status: answer.status });
  return id;
}

const MOST_PAGES = 10;

/** Everyone who has access to a spreadsheet, its owner among them. */
export async function permissions(way: Way, spreadsheet: string): Promise<Permission[]> {
  const all: Permission[] = [];
  let next: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = new URLSearchParams({
      fields: 'nextPageToken,permissions(id,emailAddress,role)',
      pageSize: '100',
      ...(next ? { pageToken: next } : {}),
    });
    const path = `/files/${encodeURIComponent(spreadsheet)}/permissions?${query}`;
    const { json } = checked(await drive(way, 'GET', path));
    for (const entry of listAt(json, 'permissions')) {
      const id = textAt(entry, 'id');
      if (id) all.push({ id, email: textAt(entry, 'emailAddress') ?? '', role: textAt(entry, 'role') ?? '' });
    }
    next = textAt(json, 'nextPageToken');
    if (!next) break;
  }
  return all;
}

/** Removes someone's access; access that is already gone is fine. */
export async function unshare(way: Way, spreadsheet: string, permission: string): Promise<void> {
  const path = `/files/${encodeURIComponent(spreadsheet)}/permissions/${encodeURIComponent(permission)}`;
  const answer = await drive(way, 'DELETE', path);
  if (answer.status !== 404) checked(answer);
}

const HEADER = 'Header row: leads are sorted into columns by these names';
const IDS = 'Lead IDs: they keep a lead from being added twice';

/** Lets Google warn whoever edits the header row or the column of lead IDs. Protects each only once. */
export async function protect(way: Way, spreadsheet: string, sheet = 'Leads'): Promise<void> {
  const tab = await tabOf(way, spreadsheet, sheet);
  if (!tab) return;
  const guard = (description: string, range: object) => ({
    addProtectedRange: {
      protectedRange: { range: { sheetId: tab.id, ...range }, description, warningOnly: true },
    },
  });
  const requests = [
    ...(tab.protections.includes(HEADER) ? [] : [guard(HEADER, { startRowIndex: 0, endRowIndex: 1 })]),
    ...(tab.protections.includes(IDS) ? [] : [guard(IDS, { startColumnIndex: 0, endColumnIndex: 1 })]),
  ];
  if (requests.length > 0) await change(way, spreadsheet, requests);
}
