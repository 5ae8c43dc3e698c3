import { timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { derive, mac } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { PaymentGateway } from '../../../platform/payments.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Accounts, AgencyOwner } from './account.service.ts';
import * as store from './card.store.ts';
import type { CardTries } from './card-tries.service.ts';
import { failed } from './gateway-errors.ts';

export type Cards = ReturnType<typeof createCards>;
type Known = NonNullable<Awaited<ReturnType<typeof store.cardOf>>>;

/** The start of a card form. `clientSecret` is for the requesting user's browser only, and must never be logged. */
export interface CardForm {
  setup: string;
  clientSecret: string;
  /** The connected account that it is on; '' for the root's own. */
  account: string;
}

/**
 * Cards on file (PROF-04): an agency's on the root's account with the provider, a client's on its agency's connected
 * account. Card numbers never reach us; we only store what people recognize a card by.
 */
export function createCards(
  { db, clock, config }: Pick<Platform, 'db' | 'clock' | 'config'>,
  {
    gateway,
    audit,
    accounts,
    tries,
  }: { gateway: PaymentGateway; audit: Audit; accounts: Accounts; tries: CardTries },
) {
  const sealKey = derive(config.appKey, 'card-setup');
  /** Ties a form to the company that began it: no one else can finish it. */
  const sealed = (companyId: string, account: string, setup: string): string =>
    `${setup}.${mac(sealKey, `${companyId} ${account} ${setup}`).toString('base64url')}`;
  const opened = (companyId: string, account: string, text: string): string => {
    const setup = text.slice(0, text.lastIndexOf('.'));
    const expected = Buffer.from(sealed(companyId, account, setup));
    const given = Buffer.from(text);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new Refusal('not_found', ownMessages.notFound);
    return setup;
  };
  const on = (account: string) => (account ? { account } : {});
  const within = <T>(rootId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId }, work);

  /**
   * Returns which account a company's card is on: '' for an agency, else its agency's account.
   * @throws Refusal 409 without one
   */
  async function placeOf(tx: Tx, owner: Owner): Promise<{ account: string; ready: boolean }> {
    if (!owner.agency_id) throw new Refusal('forbidden', ownMessages.forbidden);
    if (owner.company_id === owner.agency_id) return { account: '', ready: true };
    const { reference, chargesEnabled } = await accounts.referenceOf(tx, owner.agency_id);
    if (!reference) throw new Refusal('conflict', ownMessages.agencyAccountUnfinished);
    return { account: reference, ready: chargesEnabled };
  }

  /** The company's customer at the provider, created if it is new there. */
  async function customer(owner: AgencyOwner, account: string): Promise<string> {
    const known = await within(owner.root_id, (tx) =>
      store.customerOf(tx, owner.company_id, gateway.provider, account),
    );
    if (known) return known;
    const made = await gateway
      .createCustomer({
        idempotencyKey: `customer:${owner.company_id}`,
        reference: owner.company_id,
        ...on(account),
      })
      .catch(failed);
    return within(owner.root_id, (tx) =>
      store.keepCustomer(tx, {
        ...owner,
        provider: gateway.provider,
        account,
        reference: made,
        created_at: clock.now(),
      }),
    );
  }

  /**
   * Removes a card at the provider. Our record is already gone: a card that is left behind there won't be charged by
   * anyone.
   */
  async function forget(card: Known | undefined): Promise<void> {
    if (!card?.reference || card.provider !== gateway.provider) return;
    await gateway
      .removeCard({ card: card.reference, idempotencyKey: `${card.id}:remove`, ...on(card.account) })
      .catch(() => {});
  }

  async function start(owner: AgencyOwner): Promise<CardForm> {
    const { account } = await within(owner.root_id, (tx) => placeOf(tx, owner));
    const begun = await gateway
      .startCard({
        customer: await customer(owner, account),
        idempotencyKey: newId(clock.now()),
        ...on(account),
      })
      .catch(failed);
    return {
      setup: sealed(owner.company_id, account, begun.setup),
      clientSecret: begun.clientSecret,
      account,
    };
  }

  /** Saves the card that was entered into a form. */
  async function finish(
    owner: AgencyOwner,
    form: string,
    note?: (tx: Tx, card: Known) => Promise<void>,
  ): Promise<Known> {
    const { account } = await within(owner.root_id, (tx) => placeOf(tx, owner));
    const setup = opened(owner.company_id, account, form);
    const attempt = await tries.begin(owner);
    const end = await gateway.finishCard({ setup, ...on(account) }).catch(async (error) => {
      await attempt.end(false);
      return failed(error);
    });
    await attempt.end(end.status === 'failed');
    if (end.status === 'pending') throw new Refusal('conflict', ownMessages.cardPending);
    if (end.status === 'failed')
      throw new Refusal('invalid', end.message, { errors: { card: [end.message] } });
    const { card } = end;
    const known = await customer(owner, account);
    const result = await within(owner.root_id, async (tx) => {
      const before = await store.cardOf(tx, owner.company_id);
      if (before?.reference === card.id) return { before: undefined, after: before };
      const at = clock.now();
      await store.replaceCard(tx, {
        ...owner,
        id: newId(at),
        provider: gateway.provider,
        reference: card.id,
        brand: card.brand,
        last4: card.last4,
        exp_month: card.expMonth,
        exp_year: card.expYear,
        account,
        customer: known,
        fingerprint: card.fingerprint,
        created_at: at,
      });
      const after = (await store.cardOf(tx, owner.company_id))!;
      await note?.(tx, after);
      return { before, after };
    });
    await forget(result.before);
    return result.after;
  }

  const ownerOf = (ctx: Ctx): AgencyOwner => {
    const { rootId, agencyId, companyId } = ctx.actor;
    if (!agencyId) throw new Refusal('forbidden', ownMessages.forbidden);
    return { root_id: rootId, agency_id: agencyId, company_id: companyId };
  };

  /**
   * A first card only adds a way to pay, so setup does not ask for a confirmation.
   * @throws Refusal 403 without one where a card is on file
   */
  async function confirmReplacing(ctx: Ctx, owner: AgencyOwner): Promise<void> {
    if (await within(owner.root_id, (tx) => store.cardOf(tx, owner.company_id))) await ctx.mustBeConfirmed();
  }

  return {
    start,
    finish,
    confirmReplacing,
    of: store.cardOf,

    /**
     * Returns the card that can be charged.
     * @throws Refusal 409 without one, or while the account can't accept charges
     */
    async chargeable(tx: Tx, owner: Owner): Promise<Known> {
      const { account, ready } = await placeOf(tx, owner);
      const card = await store.cardOf(tx, owner.company_id);
      if (!card?.customer || card.provider !== gateway.provider || card.account !== account)
        throw new Refusal('conflict', ownMessages.noCard);
      if (!ready) throw new Refusal('conflict', ownMessages.accountNotReady);
      return card;
    },

    /**
     * Starts putting the user's own company's card on file.
     * @throws Refusal 409 while the agency has no account, 429 after too many forms
     */
    async startOwn(ctx: Ctx): Promise<CardForm> {
      const owner = ownerOf(ctx);
      await tries.form(owner);
      return start(owner);
    },

    /**
     * Puts the card that was entered into the user's own company's form on file, replacing the previous one.
     * @throws Refusal 403 for replacing one without confirmation, 404 for someone else's form, 409 while no card is
     * entered, 422 if the card was refused
     */
    async finishOwn(ctx: Ctx, form: string): Promise<Known> {
      const owner = ownerOf(ctx);
      await confirmReplacing(ctx, owner);
      return finish(owner, form, (tx, card) =>
        audit.record(tx, ctx, {
          action: 'card.saved',
          objectKind: 'card',
          objectId: card.id,
          description: `Added the ${card.brand} card ending in ${card.last4}`,
        }),
      );
    },

    /**
     * Removes the user's own company's card from file.
     * @throws Refusal 404 without one
     */
    async removeOwn(ctx: Ctx): Promise<void> {
      const owner = ownerOf(ctx);
      const card = await within(owner.root_id, async (tx) => {
        const card = await store.cardOf(tx, owner.company_id);
        if (!card) throw new Refusal('not_found', ownMessages.noCard);
        await store.removeCard(tx, owner.company_id, clock.now());
        await audit.record(tx, ctx, {
          action: 'card.removed',
          objectKind: 'card',
          objectId: card.id,
          description: `Removed the ${card.brand} card ending in ${card.last4}`,
        });
        return card;
      });
      await forget(card);
    },

    /** Handles a notice about a card: looks the card up and saves what has changed. */
    async heard(rootId: string, reference: string, account: string | undefined): Promise<string> {
      const card = await gateway.getCard({ card: reference, ...(account ? { account } : {}) });
      const changed = await within(rootId, (tx) =>
        store.changeCard(
          tx,
          reference,
          card
            ? { exp_month: card.expMonth, exp_year: card.expYear, brand: card.brand, last4: card.last4 }
            : { removed_at: clock.now() },
        ),
      );
      if (!changed) return 'card not on file';
      return card ? 'card updated' : 'card removed';
    },
  };
}
