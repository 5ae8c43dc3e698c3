import type { Tx } from '../../../platform/db/scope.ts';

const AT_ONCE = 200;

interface Moved {
  owner: { root_id: string; agency_id: string; company_id: string };
  campaignId: string | null;
  term: 'One Time' | 'Prepaid';
  amountMicros: bigint;
  transferId: string;
  topUpId: string;
  description: string;
}

/** Whether a document of a purchase waits for its tax. */
export const waits = async (tx: Tx, topUpId: string): Promise<boolean> =>
  (await tx
    .selectFrom('receipt_due')
    .select('serial')
    .where('top_up_id', '=', topUpId)
    .executeTakeFirst()) !== undefined;

export async function add(tx: Tx, { owner, ...moved }: Moved & { at: Date }): Promise<void> {
  await tx
    .insertInto('receipt_due')
    .values({
      ...owner,
      top_up_id: moved.topUpId,
      transfer_id: moved.transferId,
      campaign_id: moved.campaignId,
      term: moved.term,
      description: moved.description,
      amount_micros: moved.amountMicros,
      created_at: moved.at,
    })
    .execute();
}

/** What waits in a root after a number, oldest first. */
export const due = (tx: Tx, rootId: string, after: bigint) =>
  tx
    .selectFrom('receipt_due')
    .select(['serial', 'top_up_id'])
    .where('root_id', '=', rootId)
    .where('serial', '>', after)
    .orderBy('serial')
    .limit(AT_ONCE)
    .execute();

/** Takes one off the list; undefined if someone else already has. */
export async function take(tx: Tx, serial: bigint): Promise<Moved | undefined> {
  const row = await tx
    .deleteFrom('receipt_due')
    .where('serial', '=', serial)
    .returningAll()
    .executeTakeFirst();
  return (
    row && {
      owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
      campaignId: row.campaign_id,
      term: row.term,
      amountMicros: row.amount_micros,
      transferId: row.transfer_id,
      topUpId: row.top_up_id,
      description: row.description,
    }
  );
}
