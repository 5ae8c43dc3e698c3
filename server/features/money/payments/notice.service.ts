import { Refusal } from '../../../../contract/errors.ts';
import { type Notice, NoticeRefused, type PaymentGateway } from '../../../platform/payments.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Accounts } from './account.service.ts';
import type { Cards } from './card.service.ts';
import type { ChargeCore } from './charge.service.ts';
import { placeOf } from './charge.store.ts';
import * as store from './notice.store.ts';
import type { createRefunds } from './refund.service.ts';

const MOST_TRIES = 1000;

/**
 * Notices from the provider (webhooks). A notice is trusted by its signature, stored by its id, and taken only as a
 * hint to ask about the object it refers to, so it may arrive twice, late, or in any order.
 */
export function createNoticeDesk(
  { db, clock, log }: Pick<Platform, 'db' | 'clock' | 'log'>,
  parts: {
    gateway: PaymentGateway;
    core: ChargeCore;
    refunds: ReturnType<typeof createRefunds>;
    cards: Cards;
    accounts: Accounts;
  },
) {
  const { gateway, core, refunds, cards, accounts } = parts;

  /** Does what a notice calls for; returns the result. */
  async function handle(notice: Notice): Promise<string> {
    const { kind } = notice;
    if (kind === 'account.updated' || kind === 'account.disconnected' || kind === 'payout.failed') {
      const state = notice.account ? await accounts.heard(notice.account, notice.payout) : undefined;
      return state ? `account ${state.status || 'gone'}` : 'unknown account';
    }
    const place = await placeOf(db.app, notice);
    if (!place) return 'unknown account';
    switch (kind) {
      case 'charge.processing':
      case 'charge.succeeded':
      case 'charge.failed':
      case 'charge.needs_authentication':
      case 'charge.canceled': {
        if (!place.charge_id) return 'unknown charge';
        const { charge } = await core.ask(place.root_id, place.charge_id);
        return `charge ${charge.state}`;
      }
      case 'charge.refunded':
      case 'refund.changed': {
        if (!place.charge_id) return 'unknown charge';
        await refunds.hear(place.root_id, place.charge_id);
        return 'refunds booked';
      }
      case 'dispute.opened':
      case 'dispute.closed': {
        if (!place.charge_id) return 'unknown charge';
        if (!notice.dispute) return 'no dispute details';
        // Its success may not have been reported yet.
        await core.ask(place.root_id, place.charge_id);
        return `dispute ${await core.dispute(place.root_id, place.charge_id, notice.dispute)}`;
      }
      case 'card.updated':
      case 'card.removed':
        return notice.card ? cards.heard(place.root_id, notice.card, notice.account) : 'no card specified';
      case 'card.saved':
      case 'card.failed':
      case 'other':
        return 'noted';
    }
  }

  async function attend(notice: Notice): Promise<void> {
    try {
      await store.noticeDone(db.app, notice.id, await handle(notice), clock.now());
    } catch (error) {
      // It is stored: the job will pick it up again.
      log.warn({ err: error, notice: notice.id }, 'could not process the notice yet');
      await store.noticeFailed(db.app, notice.id, (error as Error).message);
    }
  }

  return {
    /**
     * Accepts a notice as received over the wire.
     * @throws Refusal 400 if it can't be trusted or can't be read
     */
    async take(
      rawBody: Buffer | string,
      headers: Record<string, string | string[] | undefined>,
    ): Promise<'handled' | 'duplicate'> {
      let notice: Notice;
      try {
        notice = gateway.readNotice(rawBody, headers);
      } catch (error) {
        if (error instanceof NoticeRefused) throw new Refusal('bad_request', `The notice is ${error.code}.`);
        throw error;
      }
      const { handled } = await store.keepNotice(db.app, notice, clock.now());
      if (handled) return 'duplicate';
      await attend(notice);
      return 'handled';
    },

    /** Handles notices that could not be handled when they arrived. */
    async again(): Promise<void> {
      for (const notice of await store.waitingNotices(db.app, MOST_TRIES, 100)) await attend(notice);
    },
  };
}
