import { canIdentify, SIGNAL_FIELDS } from '../../../../contract/audience/import-rules.ts';
import { type IMPORT_KINDS, PERSON_FIELDS } from '../../../../contract/audience/people.ts';
import { fieldOf, ignoredColumns, planColumns } from './columns.policy.ts';
import type { PersonField } from './model.ts';
import { SIGNAL_DAYS, signalFieldOf, signalPlanFault } from './signal.policy.ts';

type ImportKind = (typeof IMPORT_KINDS)[number];

/**
 * How the two kinds of imports differ before a row is read: what column names mean, and which columns each kind
 * accepts.
 */
const KINDS = {
  people: {
    fieldOf,
    fault: (plan: PersonField[]) =>
      canIdentify(plan)
        ? null
        : 'needs a column that identifies the person: an email, a hash, a phone number, an ID, or a name with an address',
  },
  signals: { fieldOf: signalFieldOf, fault: signalPlanFault },
} as const;

/** Returns what each column of a file of a kind means, by its name where `mapping` does not say. */
export const planOf = (
  kind: ImportKind,
  header: string[],
  mapping: Record<string, PersonField>,
): PersonField[] => planColumns(header, mapping, KINDS[kind].fieldOf);

/** The columns of a file of a kind that a plan leaves out, and why. */
export const ignoredOf = (kind: ImportKind, header: string[], plan: readonly PersonField[]) =>
  ignoredColumns(header, plan, KINDS[kind].fieldOf);

/** Why a file with such columns cannot be imported, or null. */
export const planFault = (kind: ImportKind, plan: PersonField[]): string | null => {
  const odd = plan.find((field) => !FIELDS_OF[kind].has(field));
  return odd ? `cannot use ${odd} for this type of import` : KINDS[kind].fault(plan);
};

const FIELDS_OF: Record<ImportKind, ReadonlySet<PersonField>> = {
  signals: new Set<PersonField>(SIGNAL_FIELDS),
  people: new Set(PERSON_FIELDS.filter((field) => !['keyword', 'page_url', 'seen_at'].includes(field))),
};

const DAY_MS = 86_400_000;
/** Returns the first and last day for which signals are kept, with an extra day on each side. */
export const signalDays = (now: Date): [Date, Date] => [
  new Date(now.getTime() - (SIGNAL_DAYS + 1) * DAY_MS),
  new Date(now.getTime() + 2 * DAY_MS),
];
