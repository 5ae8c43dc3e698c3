import type { z } from 'zod';
import { usd } from '../../../../contract/primitives.ts';
import { timeWords } from '../../../../contract/text.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { dueOf, type Invoices, ownerOf as payerOf } from '../invoices/index.ts';
import type { Notices } from '../ledger/index.ts';
import type { Payments } from '../payments/index.ts';
import { mailJob } from './queue.ts';

type MailOf = z.output<typeof mailJob.payload>;

/** The emails about money that is requested, paid or reversed: invoices, receipts, disputes. */
export function createMails(
  { db, events, jobs }: Pick<Platform, 'db' | 'events' | 'jobs'>,
  {
    tenants,
    notices,
    invoices,
    payments,
  }: {
    tenants: Tenants;
    notices: Notices;
    invoices: Invoices;
    payments: Payments;
  },
) {
  events.on('invoice.issued', async (tx, { invoiceId, owner }) => {
    await jobs.send(tx, mailJob, [{ what: 'issued', rootId: owner.root_id, invoiceId }]);
  });
  events.on('receipt.issued', async (tx, { invoiceId, owner }) => {
    await jobs.send(tx, mailJob, [{ what: 'paid', rootId: owner.root_id, invoiceId }]);
  });
  events.on('charge.disputed', async (tx, { owner, amountMicros, reason, dueBy }) => {
    await jobs.send(tx, mailJob, [
      {
        what: 'disputed',
        rootId: owner.root_id,
        agencyId: owner.agency_id,
        companyId: owner.company_id,
        micros: amountMicros.toString(),
        reason,
        dueBy,
      },
    ]);
  });

  const within = <T>(rootId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId }, work);

  async function ofInvoice({
    what,
    rootId,
    invoiceId,
  }: Extract<MailOf, { invoiceId: string }>): Promise<void> {
    const known = await within(rootId, async (tx) => {
      const invoice = await invoices.byId(tx, invoiceId);
      const payer = invoice && (await tenants.card(tx, invoice.company_id));
      return payer ? { invoice, payer, card: await payments.cards.of(tx, payer.id) } : null;
    });
    if (!known || known.invoice.total_micros <= 0n) return;
    const { invoice, card } = known;
    const { number } = invoice;
    const isReceipt = invoice.kind === 'receipt';
    const sender = await notices.sender(payerOf(invoice));
    const due = dueOf(invoice);
    const side = invoice.side === 'wholesale' ? 'side=wholesale&' : '';
    const page = {
      label: what === 'paid' ? 'View and download the PDF' : 'View invoice and PDF',
      path: `/configuration/invoices?${side}invoice=${invoice.id}`,
    };
    await within(rootId, (tx) =>
      what === 'paid'
        ? notices.tell(tx, 'invoice.receipt', sender, payerOf(invoice), {
            subject: isReceipt ? `Receipt ${number}` : `Receipt for invoice ${number}`,
            lines: [
              isReceipt
                ? `We received ${usd(invoice.paid_micros)} for prepaid leads. Thank you.`
                : `We received ${usd(invoice.paid_micros)} for invoice ${number}. Thank you.`,
            ],
            page,
          })
        : notices.tell(tx, 'invoice.new', sender, payerOf(invoice), {
            subject: `Invoice ${number} for ${usd(invoice.total_micros)}`,
            lines: [
              `Invoice ${number} from ${invoice.issuer.name} is ready. The total is ${usd(invoice.total_micros)}.`,
              due === 0n
                ? 'It is paid. You don’t need to do anything.'
                : card
                  ? `We’ll charge ${usd(due)} to your card ending in ${card.last4}.`
                  : 'You have no card on file. Add one under Card Setting to pay.',
            ],
            page,
          }),
    );
  }

  async function ofDispute(of: Extract<MailOf, { what: 'disputed' }>): Promise<void> {
    const { rootId, agencyId, companyId } = of;
    // A dispute has a deadline, whether or not its payer is still here.
    const payer = await within(rootId, (tx) => tenants.pastCard(tx, companyId));
    if (!payer) return;
    // The party that was paid answers the dispute: a client's charge is on its agency's account, an agency's on its
    // root's.
    const isClient = payer.kind === 'client';
    const issuer = {
      root_id: rootId,
      agency_id: isClient ? agencyId : null,
      company_id: isClient ? agencyId : rootId,
    };
    const own = await within(rootId, (tx) => tenants.card(tx, issuer.company_id));
    const sender = await notices.sender(issuer);
    await within(rootId, (tx) =>
      notices.tell(tx, 'payment.disputed', sender, issuer, {
        subject: `${mailName(payer.name)} disputed a payment of ${usd(BigInt(of.micros))}`,
        lines: [
          `The cardholder of ${payer.name} disputed ${usd(BigInt(of.micros))}${of.reason ? ` (${of.reason.replaceAll('_', ' ')})` : ''}. The money was withdrawn, and what it paid for is due again.`,
          of.dueBy
            ? `Respond in your payment provider’s dashboard by ${timeWords(new Date(of.dueBy), own?.time_zone ?? 'America/Chicago')}. After that, the dispute is lost.`
            : 'Respond in your payment provider’s dashboard. It shows the deadline.',
        ],
        page: { label: 'View statement', path: '/configuration/statement' },
      }),
    );
  }

  return { send: (of: MailOf): Promise<void> => (of.what === 'disputed' ? ofDispute(of) : ofInvoice(of)) };
}
