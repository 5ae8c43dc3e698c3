import { usd } from '../../../contract/primitives.ts';
import type { Platform } from '../../platform/platform.ts';
import { createClose } from './close.service.ts';
import { createCredit } from './credit.service.ts';
import { createFees } from './fees.service.ts';
import { createIssue } from './issue.service.ts';
import type { InvoiceParts } from './parts.ts';
import { feeJob } from './queue.ts';
import { createRead } from './read.service.ts';
import { createSettle } from './settle.service.ts';
import { invoiceById } from './store.ts';
import { words } from './words.ts';

export type Invoices = ReturnType<typeof createInvoices>;

/** Invoices, final at birth (decision 0051): issued, corrected by credit notes, given up; and the fees that are on them. */
export function createInvoices(platform: Platform, parts: InvoiceParts) {
  const { events, jobs, clock } = platform;
  const issue = createIssue({ ...parts, events });
  const settle = createSettle({ ...parts, events });
  const read = createRead(platform, parts);
  const credit = createCredit(platform, { ...parts, settle, includeTax: issue.includeTax });
  // In whatever scope it was started: the fees are posted by the job, in the root's.
  events.on('campaign.started', (tx, { rootId, campaignId }) =>
    jobs.send(tx, feeJob, [{ rootId, campaignId, at: clock.now().toISOString() }]),
  );
  // Money that a client's card brings in for a campaign has its receipt, and what is given back of it a credit note.
  events.on(
    'prepaid.topped_up',
    async (tx, { owner, campaignId, term, amountMicros, transferId, ...bought }) => {
      const description = `${bought.leads === 1 ? '1 lead' : `${bought.leads} leads`} at ${usd(bought.priceMicros)}`;
      await issue.receipt(
        tx,
        { owner, campaignId, term, amountMicros, transferId, description },
        clock.now(),
      );
    },
  );
  events.on(
    'prepaid.refunded',
    async (tx, { owner, campaignId, term, amountMicros, topUpId, transferId }) => {
      const at = clock.now();
      if (amountMicros > 0n)
        await credit.creditReceipt(
          tx,
          {
            transferId: topUpId,
            refundTransferId: transferId,
            amountMicros,
            reason: words.givenBack,
            key: transferId,
            userId: null,
          },
          at,
        );
      // A credit note is never taken back: what could not be given back is bought again.
      else
        await issue.receipt(
          tx,
          {
            owner,
            campaignId,
            term,
            amountMicros: -amountMicros,
            transferId,
            description: words.notGivenBack,
          },
          at,
        );
    },
  );
  return {
    bill: issue.bill,
    receipt: issue.receipt,
    /** An invoice that the scope may see; undefined: none. */
    byId: invoiceById,
    locked: settle.locked,
    paid: settle.paid,
    unpaid: settle.unpaid,
    revive: settle.revive,
    releaseFee: settle.releaseFee,
    creditReceipt: credit.creditReceipt,
    fees: createFees(platform, parts),
    /** Closes the weeks and months of a root that have ended. Returns how many invoices were issued. */
    close: createClose(platform, { ...parts, bill: issue.bill }),
    read,
    credit,
  };
}
