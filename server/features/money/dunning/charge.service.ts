import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { usd } from '../../../../contract/primitives.ts';
import { timeWords } from '../../../../contract/text.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import { dueOf, type InvoiceRow, type Invoices, ownerOf as payerOf } from '../invoices/index.ts';
import type { Notices } from '../ledger/index.ts';
import type { Charge, ChargeAsk, ChargeResult, Payments } from '../payments/index.ts';
import type { Books } from './books.service.ts';
import * as policy from './policy.ts';
import * as store from './store.ts';

/** The outcome of charging an invoice. `moot`: there was nothing to charge (anymore), `message` says why. */
export type Outcome =
  | { status: 'paid' }
  | { status: 'failed'; message: string }
  | { status: 'authenticate'; message: string; charge: Charge }
  | { status: 'unknown'; message: string }
  | { status: 'moot'; message: string };

/** Cancels an intent that is no longer needed. */
class Moot extends Error {}

export type Collector = ReturnType<typeof createCollector>;

/** Charges open invoices: when they are issued, on the days after a failure, and when a user requests it. */
export function createCollector(
  platform: Pick<Platform, 'db' | 'clock' | 'events' | 'log'>,
  parts: {
    tenants: Tenants;
    audit: Audit;
    notices: Notices;
    invoices: Invoices;
    payments: Payments;
    campaigns: Campaigns;
    books: Books;
  },
) {
  const { db, clock, events, log } = platform;
  const { tenants, audit, notices, invoices, payments, campaigns, books } = parts;
  const { charges, cards } = payments;
  const within = <T>(rootId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId }, work);

  const askOf = async (tx: Tx, invoice: InvoiceRow, key: string): Promise<ChargeAsk> => {
    const amountMicros = policy.chargeOf(dueOf(invoice));
    const fee = await books.feeLeft(tx, invoice);
    return {
      owner: payerOf(invoice),
      purpose: policy.purposeOf(invoice),
      referenceId: invoice.id,
      amountMicros,
      feeMicros: policy.least(fee, amountMicros),
      key,
      description: `Invoice ${invoice.number}`,
    };
  };
  const nextKey = (invoice: InvoiceRow): string => `invoice:${invoice.id}:${invoice.attempts + 1}`;

  const isGone = async (tx: Tx, companyId: string): Promise<boolean> =>
    (await tenants.card(tx, companyId)) === undefined;

  /** Why a company cannot be charged at all; null: it can. No one of a removed company could ask about a charge. */
  async function cannotPay(tx: Tx, invoice: InvoiceRow): Promise<string | null> {
    if (await isGone(tx, invoice.company_id)) return ownMessages.payerRemoved;
    return cards.chargeable(tx, payerOf(invoice)).then(
      () => null,
      (error: unknown) => {
        if (error instanceof Refusal) return error.message;
        throw error;
      },
    );
  }

  // The first charge is written with its invoice: both are or neither is.
  events.on('invoice.issued', async (tx, { invoiceId }) => {
    const invoice = await invoices.locked(tx, invoiceId);
    if (dueOf(invoice) < policy.LEAST) return;
    const at = clock.now();
    const why = await cannotPay(tx, invoice);
    // The company will not come back between two attempts.
    if (why) return books.fail(tx, invoice, why, at, await isGone(tx, invoice.company_id));
    const id = await charges.intend(tx, await askOf(tx, invoice, nextKey(invoice)));
    // It could not be written although there is a card: the job will try again.
    if (id === null) await invoices.setCollection(tx, invoiceId, { next_attempt_at: at });
  });

  function outcomeOf(result: ChargeResult): Outcome {
    if (result.status === 'succeeded') return { status: 'paid' };
    if (result.status === 'unknown') return { status: 'unknown', message: ownMessages.chargeUnknown };
    return result.needsAuthentication
      ? { status: 'authenticate', message: result.message, charge: result.charge }
      : { status: 'failed', message: result.message };
  }

  /**
   * Charges what is due on an invoice and waits for the result; of several concurrent calls, only one charges. Called
   * again under the same key, it returns what happened to that charge.
   * @param by.key a user's key; without it the key is that of the invoice's next attempt
   * @param by.scheduled only if it is time for it; a missing card counts as a failure then
   * @param by.note runs with a new intent, such as writing the audit row for the user who requested it
   */
  async function charge(
    rootId: string,
    invoiceId: string,
    by: {
      key?: string;
      scheduled?: boolean;
      userId?: string;
      ip?: string;
      note?: (tx: Tx, invoice: InvoiceRow, amount: bigint) => Promise<void>;
    } = {},
  ): Promise<Outcome> {
    const plan = await within(rootId, async (tx) => {
      const invoice = await invoices.byId(tx, invoiceId);
      if (!invoice) throw new Refusal('not_found', ownMessages.notFound);
      const key = by.key ? `invoice:${invoiceId}:by:${by.key}` : nextKey(invoice);
      const before = await charges.byKey(tx, invoice.company_id, policy.purposeOf(invoice), key);
      if (before) return { before };
      if (invoice.status === 'paid') return { outcome: { status: 'paid' } as const };
      const due = dueOf(invoice);
      if (due < policy.LEAST)
        return {
          outcome: {
            status: 'moot',
            message: due === 0n ? ownMessages.invoiceNotDue : ownMessages.invoiceTooSmall,
          } as const,
        };
      const why = await cannotPay(tx, invoice);
      if (why && by.scheduled) {
        const locked = await invoices.locked(tx, invoiceId);
        const at = clock.now();
        if (dueOf(locked) >= policy.LEAST && isTime(locked, at)) await books.fail(tx, locked, why, at);
      }
      if (why) return { outcome: { status: 'failed', message: why } as const };
      return { invoice, ask: await askOf(tx, invoice, key) };
    });
    if (plan.outcome) return plan.outcome;
    if (plan.before) return outcomeOf(await charges.ask(rootId, plan.before.id));
    const { invoice, ask } = plan;
    try {
      const result = await charges.charge({
        ...ask,
        userId: by.userId ?? null,
        ip: by.ip ?? null,
        check: async (tx) => {
          const now = await invoices.locked(tx, invoiceId);
          const isSame = now.attempts === invoice.attempts && dueOf(now) === dueOf(invoice);
          if (!isSame || (by.scheduled && !isTime(now, clock.now()))) throw new Moot();
          await by.note?.(tx, now, ask.amountMicros);
        },
      });
      return outcomeOf(result);
    } catch (error) {
      if (error instanceof Moot) return { status: 'unknown', message: ownMessages.paymentUnderWay };
      // Another charge for it is in progress, or has just been completed.
      if (error instanceof Refusal && error.code === 'conflict')
        return { status: 'unknown', message: error.message };
      throw error;
    }
  }
  const isTime = (invoice: InvoiceRow, at: Date): boolean =>
    invoice.next_attempt_at !== null && invoice.next_attempt_at <= at;

  /**
   * Charges everything in a root that is due for collection; one failure does not hold up the others. Returns how many.
   */
  async function collect(rootId: string): Promise<number> {
    const ids = await within(rootId, (tx) => store.toCharge(tx, rootId, clock.now(), 500));
    for (const id of ids)
      await charge(rootId, id, { scheduled: true }).catch((error: unknown) =>
        log.error({ err: error, invoice: id }, 'an invoice could not be charged'),
      );
    // Those whose attempts were over before their wholesale was let go along with the last.
    for (const id of await within(rootId, (tx) => store.holding(tx, rootId, 500)))
      await within(rootId, async (tx) => books.letGo(tx, await invoices.locked(tx, id), clock.now())).catch(
        (error: unknown) =>
          log.error({ err: error, invoice: id }, 'the wholesale part of an invoice could not be released'),
      );
    return ids.length;
  }

  /**
   * Pauses or resumes a company's campaigns (for an agency: all its clients') depending on what it owes. Safe to run
   * any number of times.
   */
  async function follow({ rootId, companyId }: { rootId: string; companyId: string }): Promise<void> {
    await within(rootId, async (tx) => {
      const company = await tenants.card(tx, companyId);
      if (!company?.agency_id) return;
      const at = clock.now();
      const clientId = company.kind === 'client' ? companyId : undefined;
      const of = { agencyId: company.agency_id, ...(clientId ? { clientId } : {}) };
      const bar = await campaigns.barOf(tx, of.agencyId, clientId ?? null);
      const isHeld = bar === 'payment_failed';
      const rows = isHeld
        ? await campaigns.hold(tx, of, 'payment_failed', at)
        : await campaigns.release(tx, of, at);
      for (const row of rows)
        await audit.recordSystem(
          tx,
          at,
          { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
          {
            action: isHeld ? 'campaign.paused' : 'campaign.resumed',
            objectKind: 'campaign',
            objectId: row.id,
            description: isHeld
              ? `Campaign #${row.number} was paused: ${ownMessages.heldUnpaid}`
              : `Campaign #${row.number} resumed because the balance due was paid`,
          },
        );
    });
  }

  /**
   * Emails the payer that a charge has failed; also emails the invoice's issuer the first time, and when it will not be
   * retried. If the payer was removed, only the issuer is left to act.
   */
  async function tell(of: {
    rootId: string;
    invoiceId: string;
    attempts: number;
    isFirst?: boolean | undefined;
  }): Promise<void> {
    const known = await within(of.rootId, async (tx) => {
      const invoice = await invoices.byId(tx, of.invoiceId);
      const payer = invoice && (await tenants.pastCard(tx, invoice.company_id));
      return invoice && payer ? { invoice, payer } : null;
    });
    // A later attempt has its own email; what was paid meanwhile needs none.
    if (!known || known.invoice.attempts !== of.attempts || known.invoice.first_failed_at === null) return;
    const { invoice, payer } = known;
    const issuer = {
      root_id: invoice.root_id,
      agency_id: invoice.side === 'retail' ? invoice.agency_id : null,
      company_id: invoice.issuer_id,
    };
    const senders = {
      payer: await notices.sender(payerOf(invoice)),
      issuer: await notices.sender(issuer),
    };
    const due = usd(dueOf(invoice));
    const next = invoice.next_attempt_at;
    const again = next && timeWords(next, payer.time_zone);
    const page = (side: string) => ({
      label: 'View invoice',
      path: `/configuration/invoices?${side}invoice=${invoice.id}`,
    });
    const isAgency = payer.kind === 'agency';
    const isRemoved = payer.removed_at !== null;
    await within(of.rootId, async (tx) => {
      if (!isRemoved)
        await notices.tell(tx, 'invoice.failed', senders.payer, payerOf(invoice), {
          subject: `Payment of invoice ${invoice.number} failed`,
          lines: [
            `We couldn’t charge ${due} for invoice ${invoice.number} to your card: ${invoice.last_failure ?? ''}`,
            again
              ? `We’ll try again on ${again}. Campaigns keep running until the last attempt. You can pay now, or add another card under Card Setting.`
              : `We won’t try again, and ${isAgency ? 'your clients’ campaigns are' : 'your campaigns are'} paused. They resume when the balance due is paid. Pay now, or add another card under Card Setting first.`,
          ],
          page: page(isAgency ? 'side=wholesale&' : ''),
        });
      if (again && !of.isFirst) return;
      await notices.tell(tx, again ? 'invoice.first_failed' : 'invoice.unpaid', senders.issuer, issuer, {
        subject: again
          ? `${mailName(payer.name)}: payment of invoice ${invoice.number} failed`
          : `${mailName(payer.name)}: invoice ${invoice.number} is unpaid`,
        lines: [
          `We couldn’t charge ${due} for invoice ${invoice.number} to ${payer.name}: ${invoice.last_failure ?? ''}`,
          ...(!again && (await books.isLetGo(tx, invoice))
            ? ['The platform costs that it would have passed on will be on your own next invoice instead.']
            : []),
          again
            ? `We’ll try again on ${again} and have notified ${payer.name}. Campaigns keep running until the last attempt.`
            : isRemoved
              ? `We won’t try again. Collect the amount outside the platform, or write the invoice off.`
              : `We won’t try again. ${isAgency ? 'Campaigns of its clients are' : 'Its campaigns are'} paused until the invoice is paid.`,
        ],
        page: page(''),
      });
    });
  }

  return {
    charge,
    collect,
    follow,
    tell,

    /** Charges everything a company has to pay, one invoice after another. */
    async chargeAll(
      rootId: string,
      companyId: string,
      by: { userId?: string; ip?: string } = {},
    ): Promise<{ number: string; outcome: Outcome }[]> {
      const open = await within(rootId, (tx) => store.openOf(tx, companyId));
      const outcomes: { number: string; outcome: Outcome }[] = [];
      for (const invoice of open)
        outcomes.push({ number: invoice.number, outcome: await charge(rootId, invoice.id, by) });
      return outcomes;
    },

    /** Refunds what was paid although it was no longer due, unless it has gone back otherwise in the meantime. */
    async giveBack(of: { rootId: string; chargeId: string; micros: string; key: string }) {
      const { rootId, chargeId, micros, key } = of;
      const amountMicros = await within(rootId, async (tx) => {
        const charge = await charges.byId(tx, chargeId);
        return books.overLeft(tx, charge!.referenceId, BigInt(micros));
      });
      if (amountMicros === 0n) return;
      try {
        await charges.refund({
          rootId,
          chargeId,
          amountMicros,
          key,
          reason: 'Paid twice',
        });
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'conflict') throw error;
        // The cardholder has reversed it in the meantime, or someone has refunded it. Anything else is tried again.
        const charge = await within(rootId, (tx) => charges.byId(tx, chargeId));
        if (charge?.state !== 'disputed' && charge?.state !== 'refunded') throw error;
        log.warn({ charge: chargeId }, 'the duplicate payment had already been refunded');
      }
    },
  };
}
