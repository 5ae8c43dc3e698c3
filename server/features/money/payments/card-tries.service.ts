import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Notices } from '../ledger/index.ts';
import type { AgencyOwner } from './account.service.ts';
import { payerOf } from './card.store.ts';

const hour = 3600;
const day = 24 * hour;
/** Forms that a company may open: each can be used to find out whether a stolen card works. */
const FORMS: LimitRule = { name: 'card.forms', max: 15, base: 300, cap: day, window: day };
/** Cards and payments of a company that were declined while a person was waiting for the answer. */
const DECLINES: LimitRule = { name: 'card.declines', max: 8, base: 300, cap: day, window: day };
/** The same for all companies of an account that have never paid. Those that have are never held up by the others. */
const NEW_FORMS: LimitRule = { name: 'card.forms.new', max: 100, base: 300, cap: hour, window: hour };
const NEW_DECLINES: LimitRule = { name: 'card.declines.new', max: 40, base: 300, cap: hour, window: hour };

/** Whose account a company's card is charged on: a client's agency, or an agency's root. */
const payeeOf = ({ root_id, agency_id, company_id }: AgencyOwner) =>
  company_id === agency_id
    ? { root_id, agency_id: null, company_id: root_id }
    : { root_id, agency_id, company_id: agency_id };

/** A card that is being tried. */
export interface CardTry {
  /** What was not declined is not counted. */
  end(isDeclined: boolean): Promise<void>;
}

export type CardTries = ReturnType<typeof createCardTries>;

/**
 * Whoever has stolen card numbers tries them where a form says whether a card works. Forms and declines are counted by
 * company, and by account for companies that have never paid, and the payee is notified.
 */
export function createCardTries(
  { db, clock }: Pick<Platform, 'db' | 'clock'>,
  { limits, notices, audit }: { limits: Limits; notices: Notices; audit: Audit },
) {
  /** Logs the first pause, and notifies those in charge of the account. */
  async function report(owner: AgencyOwner, name: string, what: 'form' | 'decline'): Promise<void> {
    const payee = payeeOf(owner);
    const isClient = payee.agency_id !== null;
    const sender = await notices.sender(payee);
    await inScope(db.app, { rootId: owner.root_id }, async (tx) => {
      const description =
        what === 'form'
          ? 'Paused card forms: too many were opened'
          : 'Paused payments by card: too many were declined';
      await audit.recordSystem(tx, clock.now(), owner, {
        action: 'card.paused',
        objectKind: 'company',
        objectId: owner.company_id,
        description,
      });
      await notices.tell(tx, 'card.paused', sender, payee, {
        subject: 'Someone may be testing cards',
        lines: [
          `${what === 'form' ? 'Many card forms were opened' : 'Many cards were declined'} in a short time for ${name}, so more attempts have to wait.`,
          'People who test stolen cards do this. If you do not know this customer, suspend the company. Otherwise, there is nothing to do.',
        ],
        page: isClient
          ? { label: 'View clients', path: '/configuration/client-management' }
          : { label: 'View agencies', path: '/configuration/agency-list' },
      });
    });
  }

  async function count(owner: AgencyOwner, what: 'form' | 'decline', tx?: Tx) {
    const payer = await (tx
      ? payerOf(tx, owner.company_id)
      : inScope(db.app, { rootId: owner.root_id }, (tx) => payerOf(tx, owner.company_id)));
    const [own, all] = what === 'form' ? [FORMS, NEW_FORMS] : [DECLINES, NEW_DECLINES];
    const rules: [LimitRule, string][] = [[own, owner.company_id]];
    if (!payer.has_paid) rules.push([all, payeeOf(owner).company_id]);
    const tries = await limits.takeAll(rules, tx);
    const isFirst = tries.some((taken, index) => taken === rules[index]![0].max);
    return { rules, isFirst, name: payer.name };
  }

  return {
    /**
     * Counts a card form that is about to be opened.
     * @throws Refusal 429 with Retry-After
     */
    async form(owner: AgencyOwner): Promise<void> {
      const { isFirst, name } = await count(owner, 'form');
      if (isFirst) await report(owner, name, 'form');
    },

    /**
     * Counts what may be declined, before it is tried, so that parallel attempts are counted; `end` says how it went.
     * @throws Refusal 429 with Retry-After
     */
    async begin(owner: AgencyOwner, tx?: Tx): Promise<CardTry> {
      const { rules, isFirst, name } = await count(owner, 'decline', tx);
      return {
        async end(isDeclined) {
          if (!isDeclined) await limits.giveBackAll(rules);
          else if (isFirst) await report(owner, name, 'decline');
        },
      };
    },
  };
}
