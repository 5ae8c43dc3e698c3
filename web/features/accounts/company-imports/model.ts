import type { IMPORT_STEPS } from '../../../../contract/accounts/company-imports.ts';
import type { Client } from '../../../../contract/index.ts';
import { TRANSFER_KINDS } from '../../../../contract/money/ledger.ts';
import { prettyCode } from '../../../ui/format.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';
import { accountWords, kindWords } from '../../money/ledger/words.ts';

export type Listed = Awaited<ReturnType<Client['companyImports']['list']>>['data'][number];
export type Run = Awaited<ReturnType<Client['companyImports']['one']>>['data'];
export type Result = NonNullable<Run['result']>;

export const isUnderWay = ({ state }: Pick<Listed, 'state'>): boolean =>
  state === 'queued' || state === 'running';

/** The state of an import as a word and its tone. */
export function stateOf({ phase, state }: Pick<Listed, 'phase' | 'state'>): { words: string; tone: Tone } {
  switch (state) {
    case 'queued':
      return { words: 'Waiting', tone: 'info' };
    case 'running':
      return { words: phase === 'try' ? 'Being checked' : 'Importing', tone: 'info' };
    case 'held':
      return { words: 'On hold', tone: 'warn' };
    case 'refused':
      return { words: 'Refused', tone: 'bad' };
    case 'ready':
      return phase === 'try'
        ? { words: 'Ready to import', tone: 'warn' }
        : { words: 'Imported', tone: 'good' };
  }
}

export const STEP_WORDS: Record<(typeof IMPORT_STEPS)[number], string> = {
  checking: 'Checking the archive',
  reading: 'Reading its rows',
  importing: 'Adding the rows',
  comparing: 'Comparing the result with the archive',
};
const STEPS = Object.keys(STEP_WORDS) as (keyof typeof STEP_WORDS)[];

/** How far an import is, from 0 to 100: each step counts the same. */
export function progressOf({
  step,
  step_done,
  step_of,
}: Pick<Listed, 'step' | 'step_done' | 'step_of'>): number {
  if (!step) return 0;
  const within = step_of > 0 ? Math.min(step_done / step_of, 1) : 0;
  return (100 * (STEPS.indexOf(step) + within)) / STEPS.length;
}

/** What balances are called. */
export const BALANCES: Record<string, string> = {
  client_prepaid: 'Prepaid balances of campaigns',
  agency_wallet: 'Wallet of the agency',
};

const CODE = /^[a-z]+(_[a-z]+)*$/;

/** The name of a sum: codes of events, accounts, invoices, and charges in words, and names as they are. */
export function sumWords({ kind, name }: Pick<Result['sums'][number], 'kind' | 'name'>): string {
  switch (kind) {
    case 'events': {
      const known = TRANSFER_KINDS.find((one) => one === name);
      return known ? kindWords(known) : prettyCode(name);
    }
    case 'ledger':
      return CODE.test(name) ? accountWords(name) : prettyCode(name);
    case 'invoices':
    case 'charges':
      return prettyCode(name);
    default:
      return name;
  }
}
