import { MODULES, PAYMENT_TERMS } from '../../../../contract/choices.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { messages } from '../../../../contract/messages.ts';
import { usd } from '../../../../contract/primitives.ts';

/** Returns a refusal for one field, by its wire name. */
export const refuse = (field: string, why: string): Refusal =>
  new Refusal('invalid', why, { errors: { [field]: [why] } });

/** Maps field names in other features' refusals to the names in these calls. */
const NAMES: Record<string, string> = { subdomain: 'subdomain_name', domain: 'domain' };

/** Returns the same failure with the names of these calls; an address that is taken is explained in words. */
export function translate(error: unknown, taken: string): unknown {
  if (error instanceof Refusal) {
    const [field] = Object.keys(error.errors);
    const name = field && NAMES[field];
    if (!name) return error;
    const why = error.errors[field]!.join(' ');
    const words = `${name === 'domain' ? 'The domain' : 'The subdomain'} ${why}.`;
    return new Refusal(error.code, words, { errors: { [name]: [why] } });
  }
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' && constraint?.startsWith('user_account') ? refuse('email', taken) : error;
}

/** The available options, and those that a company has; null: all. */
export interface Choosable {
  modules: readonly string[];
  terms: readonly string[];
}

/**
 * The options of `above` that a company has after some were checked and unchecked; null: all, including ones added
 * later.
 */
function chosen(
  above: readonly string[],
  had: readonly string[] | null,
  given: readonly { name: string; status: boolean }[],
): string[] | null {
  const status = new Map(given.map((one) => [one.name, one.status]));
  const kept = above.filter((one) => status.get(one) ?? (!had || had.includes(one)));
  return kept.length === above.length ? null : kept;
}

/**
 * The payment terms after a save.
 * @throws Refusal 422 if there are none, or for one that is not available
 */
export function termsAfter(
  above: Choosable,
  had: readonly string[] | null,
  given: readonly { term: string; status: boolean }[],
): string[] | null {
  const strange = given.find((one) => one.status && !above.terms.includes(one.term));
  if (strange) throw refuse('selected_terms', `${strange.term} cannot be selected here`);
  const after = chosen(
    above.terms,
    had,
    given.map((one) => ({ name: one.term, status: one.status })),
  );
  if (after?.length === 0) throw refuse('selected_terms', messages.selectPaymentTerm);
  return after;
}

/**
 * The products after a save, and those that it removes.
 * @throws Refusal 422 for one that is not available
 */
export function modulesAfter(
  above: Choosable,
  had: readonly string[] | null,
  given: readonly { type: string; status: boolean }[],
): { after: string[] | null; taken: string[] } {
  const strange = given.find((one) => one.status && !above.modules.includes(one.type));
  if (strange) throw refuse('selected_modules', `${nameOf(strange.type)} cannot be selected here`);
  const after = chosen(
    above.modules,
    had,
    given.map((one) => ({ name: one.type, status: one.status })),
  );
  const before = above.modules.filter((one) => !had || had.includes(one));
  return { after, taken: before.filter((one) => after !== null && !after.includes(one)) };
}

const nameOf = (module: string): string => MODULES.find((one) => one.module === module)?.name ?? module;

/** Products and terms in words, for the user log. */
export const wordsOf = (chosen: readonly string[] | null): string =>
  chosen === null
    ? 'all'
    : chosen
        .map((one) => ((PAYMENT_TERMS as readonly string[]).includes(one) ? one : nameOf(one)))
        .join(', ') || 'none';

/** Whether a change in the user log is one of what programs read of its client. */
export const changesClient = (action: string): boolean =>
  /^(?:company|campaign|profile|user)\./.test(action) || action === 'email.changed';

/**
 * Why a company cannot be removed; null: it can. Amounts in micro-dollars. `has`: in its balances; `credit`: toward its
 * next invoice, which whoever removes it can let it keep.
 */
export function removalFault(
  { name, kind }: { name: string; kind: string },
  found: { campaigns: number; has: bigint; credit: bigint; owes: bigint },
): Refusal | null {
  const { campaigns, has, credit, owes } = found;
  const conflict = (words: string): Refusal => new Refusal('conflict', words);
  if (campaigns > 0)
    return conflict(
      `${name} has ${campaigns === 1 ? '1 active campaign' : `${campaigns} active campaigns`}. Stop ${campaigns === 1 ? 'it' : 'them'} first, then remove it.`,
    );
  if (has > 0n)
    return conflict(
      `${name} still has ${usd(has)} in its balances. Refund it or wait until it is used, then remove the company.`,
    );
  if (owes > 0n)
    return conflict(
      `${name} still owes ${usd(owes)}. Collect the amount or write it off, then remove the company.`,
    );
  if (credit > 0n)
    return new Refusal(
      'conflict',
      `${kind === 'agency' ? `${name}, including its clients,` : name} still has a credit of ${usd(credit)} toward its next invoice. Confirm that it stays on the account, where nothing can use it.`,
      { errors: { keep_credit: ['must be on to remove a company with a credit'] } },
    );
  return null;
}
