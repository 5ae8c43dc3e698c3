import { DROP_LISTS, type DropList, type DropStatus } from '../../../../contract/audience/drop-rules.ts';

const DAY_MS = 86_400_000;
/** How often a data broker must access the lists and deal with them (Cal. Civ. Code 1798.99.86). */
const CYCLE_DAYS = 45;
/** Deadlines this close are warned of by email, once a day. */
const WARN_DAYS = 10;

export const dueAfter = (at: Date): Date => new Date(at.getTime() + CYCLE_DAYS * DAY_MS);

/** How near a deadline is. */
export function urgencyOf(due: Date, now: Date): 'late' | 'soon' | 'fine' {
  const left = due.getTime() - now.getTime();
  return left <= 0 ? 'late' : left <= WARN_DAYS * DAY_MS ? 'soon' : 'fine';
}

/** Whether a warning is due: a deadline is near or past, and the last warning was a day ago or longer. */
export const warns = (due: Date, warnedAt: Date | null, now: Date): boolean =>
  urgencyOf(due, now) !== 'fine' && (!warnedAt || now.getTime() - warnedAt.getTime() >= DAY_MS);

/** The number by which a list is stored. */
export const listNumber = (list: DropList): number => DROP_LISTS.indexOf(list) + 1;

/** A file of an archive: what the names of its batch begin with, and what it holds; null for any other name. */
export function fileOf(name: string): { base: string; holds: DropList | 'Removed' } | null {
  const [, base, holds] = /^(\d{8}_\d{4})_([A-Za-z]+)\.csv$/.exec(name) ?? [];
  if (!base || !holds) return null;
  const list = DROP_LISTS.find((one) => one === holds);
  return list || holds === 'Removed' ? { base, holds: list ?? 'Removed' } : null;
}

/** What the names of a batch begin with, by the name of its archive; null for any other name. */
export const baseOf = (archive: string): string | null =>
  /^(\d{8}_\d{4})_DROP\.zip$/.exec(archive)?.[1] ?? null;

/** The name of a file of answers: that of the list, with a suffix that makes it unique in its batch. */
export const answerName = (base: string, list: DropList, part: number, amend: boolean): string =>
  `${base}_${list}_${amend ? 'fix' : 'part'}${String(part).padStart(3, '0')}.csv`;

/** What was sent, as the service wants it. */
export const answerText = (rows: readonly { drop_id: string; status: number }[]): string =>
  ['Id,Status', ...rows.map((row) => `${row.drop_id},${row.status}`), ''].join('\r\n');

export interface Row {
  id: string;
  hash: Buffer;
  /** Of removed rows. */
  list?: DropList;
}

/** A row of a list; null if it is none. Hashes are the Base64 form of 32 bytes. */
export function readRow(line: string, isRemoved: boolean): Row | null {
  const [id = '', hash = '', list, more] = line
    .split(',')
    .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  if (!/^[A-Za-z0-9]{12}$/.test(id) || !/^[A-Za-z0-9+/]{43}=$/.test(hash) || more !== undefined) return null;
  const row = { id, hash: Buffer.from(hash, 'base64') };
  if (!isRemoved) return list === undefined ? row : null;
  const of = DROP_LISTS.find((one) => one === list);
  return of ? { ...row, list: of } : null;
}

/** The first line of a file of an archive. */
export const headerOf = (isRemoved: boolean): string => (isRemoved ? 'ID,Hash,ListType' : 'ID,Hash');

/**
 * What an entry is answered with, by how many people have its identifier: one is deleted; several are opted out, since it
 * cannot be known whose request it is.
 */
export const statusOf = (people: number): DropStatus => (people === 0 ? 5 : people === 1 ? 3 : 4);
