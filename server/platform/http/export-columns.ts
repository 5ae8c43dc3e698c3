import type { AnyContractProcedure, ContractProcedure, InferSchemaOutput } from '@orpc/contract';
import { dollarsOf } from '../../../contract/primitives.ts';
import type { Inside } from '../../../contract/wire.ts';
import type { ExportColumn, ExportList } from './csv-file.ts';

/**
 * How features declare the columns of their lists' files (docs/decisions/0063). A file may contain only what its call
 * returns, so nothing in it can reveal more than the list itself.
 */

type Answer<Call> =
  Call extends ContractProcedure<infer _I, infer O, infer _E, infer _M>
    ? Inside<InferSchemaOutput<O>>
    : never;
/** A row of a list whose rows are the call's `data`. */
export type RowOf<Call> = Answer<Call> extends { data: readonly (infer Row)[] } ? Row : never;

/** An amount in micro-dollars as dollars; empty for null. */
export const usd = (micros: number | null): string => (micros === null ? '' : dollarsOf(micros));
export const yes = (flag: boolean | string): string => (flag === true || flag === 'T' ? 'yes' : 'no');
export const phone = (row: { phone_calling: string; phone: string }): string =>
  row.phone && `${row.phone_calling} ${row.phone}`.trim();

/** A list whose rows are the call's `data`. */
export function list<Call extends AnyContractProcedure>(
  name: string,
  call: Call,
  columns: readonly ExportColumn<RowOf<Call>>[],
): ExportList {
  return of(name, call, (answer) => (answer as { data: readonly RowOf<Call>[] }).data, columns);
}

/** A list whose rows are elsewhere in the call's answer. */
export function of<Call extends AnyContractProcedure, Row>(
  name: string,
  call: Call,
  rows: (answer: Answer<Call>) => readonly Row[],
  columns: readonly ExportColumn<Row>[],
): ExportList {
  return {
    name,
    call,
    fileName: () => name,
    columns: () => columns as readonly ExportColumn<unknown>[],
    rows: (answer) => rows(answer as Answer<Call>),
  };
}

/** The entries that a row contains, and how many more there are. */
export function listed(lines: string, count: number): string {
  const shown = lines.split('\n').filter(Boolean);
  return [...shown, ...(count > shown.length ? [`and ${count - shown.length} more`] : [])].join(', ');
}
