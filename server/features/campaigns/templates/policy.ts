/** The values of fields, by name. */
export type Values = Record<string, unknown>;

/** One field that a push changed. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** Whether two values of a field are the same; the order of the entries of a list says nothing. */
export function same(a: unknown, b: unknown): boolean {
  const form = (value: unknown): string =>
    JSON.stringify(Array.isArray(value) ? [...value].map(String).sort() : (value ?? null));
  return form(a) === form(b);
}

/** What a push does to one target. */
export interface Plan {
  /** What is changed. */
  changes: FieldChange[];
  /** What was changed since the last push, and stays as it is. `after`: what the push would have set. */
  kept: FieldChange[];
}

/**
 * What a push changes: fields that differ from the template. One that was changed since the template was last pushed here
 * (`last`: what the fields were after that) is a conflict: it stays as it is unless `overwrite`.
 */
export function planOf(current: Values, wanted: Values, last: Values | null, overwrite: boolean): Plan {
  const plan: Plan = { changes: [], kept: [] };
  for (const [field, after] of Object.entries(wanted)) {
    const before = current[field] ?? null;
    if (same(before, after)) continue;
    const isConflict = last !== null && Object.hasOwn(last, field) && !same(before, last[field]);
    (isConflict && !overwrite ? plan.kept : plan.changes).push({ field, before, after });
  }
  return plan;
}

/** The fields of a rollback: those that still are as the push left them are restored, and the others stay. */
export function undoOf(current: Values, changes: readonly FieldChange[]) {
  const stays = ({ field, after }: FieldChange) => same(current[field] ?? null, after);
  return { restore: changes.filter(stays), changedSince: changes.filter((change) => !stays(change)) };
}

/** The values that a change sets. */
export const valuesOf = (changes: readonly FieldChange[], side: 'before' | 'after'): Values =>
  Object.fromEntries(changes.map((change) => [change.field, change[side]]));

/**
 * The stage of each target, in order: those of the first clients are the first stage. All are the first stage if nothing is
 * chosen, or if no client would be left for the second.
 */
export function stagesOf(
  companyIds: readonly string[],
  first: { clients?: number | undefined; percent?: number | undefined },
): (1 | 2)[] {
  const order = [...new Set(companyIds)];
  const many =
    first.clients ??
    (first.percent === undefined
      ? order.length
      : Math.max(1, Math.ceil((order.length * first.percent) / 100)));
  const early = new Set(order.slice(0, many));
  return companyIds.map((id) => (early.has(id) ? 1 : 2));
}
