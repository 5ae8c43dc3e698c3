import { Stopped } from '../attempt.ts';
import { type Answer, at, listAt, textAt } from '../http.ts';
import { isOk, type Result, refusal, type Way, waitAsked } from '../port.ts';
import { forgetToken, SHEETS, tokenOf } from './token.ts';

/** Google's answers mean the same in Sheets and in Drive; both are asked through here. */

const DRIVE = 'https://www.googleapis.com';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Asks Sheets: `path` begins after /v4/spreadsheets. */
export const sheets = (way: Way, method: Method, path: string, json?: unknown) =>
  ask(way, method, `${way.base}/v4/spreadsheets${path}`, json);

/** Asks Drive, which has another host, except where one server stands for all of Google. */
export const drive = (way: Way, method: Method, path: string, json?: unknown) =>
  ask(way, method, `${way.base === SHEETS ? DRIVE : way.base}/drive/v3${path}`, json);

async function ask(way: Way, method: Method, url: string, json?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${await tokenOf(way, judged)}` };
  const answer = await way.http({ method, url, headers, ...(json === undefined ? {} : { json }) });
  if (answer.status === 401) forgetToken(way);
  return answer;
}

/** Returns a success. Throws Stopped with what any other answer means. */
export function checked(answer: Answer): Answer {
  if (!isOk(answer)) throw new Stopped(judged(answer));
  return answer;
}

/** What a refusal means: quotas are 429 in Sheets and 403 in Drive, and a token without the scope is of no use. */
export function judged(answer: Answer): Result {
  const said = words(answer);
  const reasons = [
    ...listAt(answer.json, 'error', 'errors').map((error) => textAt(error, 'reason')),
    ...listAt(answer.json, 'error', 'details').map((error) => textAt(error, 'reason')),
  ];
  const isQuota = reasons.some((reason) => /^(user)?rateLimitExceeded$/i.test(reason ?? ''));
  if (answer.status === 429 || (answer.status === 403 && isQuota))
    return {
      kind: 'retry',
      why: said ?? 'Google limits the number of requests each minute.',
      status: answer.status,
      afterMs: quotaEnds(answer),
    };
  if (answer.status === 403 && reasons.includes('ACCESS_TOKEN_SCOPE_INSUFFICIENT'))
    return {
      kind: 'broken',
      why: 'Permission to use spreadsheets was not granted. Connect again and allow access to files.',
      status: 403,
    };
  const open = 'Choose a spreadsheet again in the settings of this destination, then resend.';
  return refusal(answer, said, {
    400: 'Check the sheet and the settings of this destination, then resend.',
    403: open,
    404: open,
  });
}

/** When the quota allows more: the time in Google's words, or the minute that quotas are counted by. */
function quotaEnds(answer: Answer): number {
  const time = /\bRetry after (\d{4}-\d\d-\d\dT[\d:.]{1,20}Z)/i.exec(words(answer) ?? '')?.[1];
  const wait = time === undefined ? Number.NaN : Date.parse(time) - answer.at.getTime();
  return wait > 0 ? Math.min(wait, DAY_MS) : (waitAsked(answer) ?? MINUTE_MS);
}

export const words = (answer: Answer): string | undefined => textAt(answer.json, 'error', 'message');

/** A sheet (tab) of a spreadsheet. */
export interface Tab {
  id: number;
  rows: number;
  columns: number;
  /** What the ranges that are protected in it are described as. */
  protections: string[];
}

/** Looks up a sheet by its name; undefined if there is none. */
export async function tabOf(way: Way, spreadsheet: string, name: string): Promise<Tab | undefined> {
  const fields = 'sheets(properties(sheetId,title,gridProperties),protectedRanges(description))';
  const answer = checked(
    await sheets(way, 'GET', `/${encodeURIComponent(spreadsheet)}?${new URLSearchParams({ fields })}`),
  );
  const all = listAt(answer.json, 'sheets');
  if (all.length === 0)
    throw new Stopped({ kind: 'retry', why: 'Google returned no sheets.', status: answer.status });
  const found = all.find((sheet) => textAt(sheet, 'properties', 'title') === name);
  if (!found) return undefined;
  const number = (...path: string[]) => {
    const value = at(found, 'properties', ...path);
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
  };
  return {
    id: number('sheetId'),
    rows: number('gridProperties', 'rowCount'),
    columns: number('gridProperties', 'columnCount'),
    protections: listAt(found, 'protectedRanges').flatMap((range) => textAt(range, 'description') ?? []),
  };
}

/** Changes a spreadsheet's structure, all requests or none. */
export const change = async (way: Way, spreadsheet: string, requests: object[]): Promise<Answer> =>
  checked(await sheets(way, 'POST', `/${encodeURIComponent(spreadsheet)}:batchUpdate`, { requests }));

/** Cells of a sheet as Google writes them, such as `'Leads'!A1:B2`. */
export const rangeOf = (sheet: string, range: string): string => `'${sheet.replace(/'/g, "''")}'!${range}`;

/** The path of cells in a sheet. */
export const cells = (spreadsheet: string, sheet: string, range: string): string =>
  `/${encodeURIComponent(spreadsheet)}/values/${encodeURIComponent(rangeOf(sheet, range))}`;

/**
 * The lists of values in a response, which are missing when all cells are empty. Throws Stopped for a response that is
 * not about cells: taking it for an empty sheet would add a row twice.
 */
export function valuesIn({ json, status }: Answer): unknown[] {
  const values = at(json, 'values');
  if (!textAt(json, 'range')) throw new Stopped({ kind: 'retry', why: 'Google returned no cells.', status });
  return Array.isArray(values) ? values : [];
}

/** The letters of a column, counted from 0. */
export function letters(column: number): string {
  let left = column + 1;
  let text = '';
  for (; left > 0; left = Math.floor((left - 1) / 26))
    text = String.fromCharCode(65 + ((left - 1) % 26)) + text;
  return text;
}
