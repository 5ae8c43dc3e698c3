import { usd } from '../../../../contract/primitives.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createClose } from './close.service.ts';
import { createCredit } from './credit.service.ts';
import { createFees } from './fees.service.ts';
import { createIssue } from './issue.service.ts';
import type { InvoiceParts } from './parts.ts';
import { feeJob } from './queue.ts';
import { createRead } from './read.service.ts';
import { createReceipts } from './receipt.service.ts';
import { createSettle } from './settle.service.ts';
import { invoiceById, setCollection } from './store.ts';
import { createWaits } from './waits.service.ts';
import { words } from './words.ts';

export type Invoices = ReturnType<typeof createInvoices>;

/**
 * Invoices, final once issued (decision 0051): issuing, correcting by credit notes, writing off; and the fees on them.
 */
export function createInvoices(platform: Platform, parts: InvoiceParts) {
  const { events, jobs, clock } = platform;
  const issue = createIssue({ ...parts, events });
  const waits = createWaits(platform);
  const settle = createSettle({ ...parts, events });
  const read = createRead(platform, parts);
  const credit = createCredit(platform, { ...parts, settle, includeTax: issue.includeTax });
  const receipts = createReceipts(platform, {
    taxes: parts.taxes,
    receipt: issue.receipt,
    creditReceipt: credit.creditReceipt,
  });
  // The campaign may have been started in any scope: a job posts the fees, in the root's scope.
  events.on('campaign.started', (tx, { rootId, campaignId }) =>
    jobs.send(tx, feeJob, [{ rootId, campaignId, at: clock.now().toISOString() }]),
  );
  // Money that a client's card brings in for a campaign gets a receipt, and any refund of it a credit note.
  events.on('prepaid.topped_up', (tx, { owner, campaignId, term, amountMicros, transferId, ...bought }) =>
    receipts.moved(tx, {
      owner,
      campaignId,
      term,
      amountMicros,
      transferId,
      topUpId: transferId,
      description: `${bought.leads === 1 ? '1 lead' : `${bought.leads} leads`} at ${usd(bought.priceMicros)}`,
    }),
  );
  // A credit note is never reversed: if a refund fails or a dispute is won, the amount is treated as a new purchase.
  events.on('prepaid.refunded', (tx, { owner, campaignId, term, cause, amountMicros, topUpId, transferId }) =>
    receipts.moved(tx, {
      owner,
      campaignId,
      term,
      amountMicros: -amountMicros,
      transferId,
      topUpId,
      description:
        amountMicros > 0n
          ? words[cause === 'refund' ? 'givenBack' : 'disputed']
          : words[cause === 'refund' ? 'notGivenBack' : 'disputeWon'],
    }),
  );
  return {
    bill: issue.bill,
    receipt: issue.receipt,
    /** Writes the receipts of a root that have waited for their tax. */
    writeReceipts: receipts.writeAll,
    /** An invoice that the scope may see; undefined if there is none. */
    byId: invoiceById,
    setCollection,
    locked: settle.locked,
    paid: settle.paid,
    unpaid: settle.unpaid,
    revive: settle.revive,
    releaseFee: settle.releaseFee,
    creditReceipt: credit.creditReceipt,
    fees: createFees(platform, parts),
    /** Closes the weeks and months of a root that have ended. Returns how many invoices were issued. */
    close: createClose(platform, { ...parts, bill: issue.bill, waits }),
    /** Payers that cannot be billed now, for whoever bills by periods. */
    waits,
    read,
    credit,
  };
}
