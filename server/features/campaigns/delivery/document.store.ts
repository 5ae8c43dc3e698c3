import type { Insertable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

const ofCampaign = (tx: Tx, campaignId: string) =>
  tx
    .selectFrom('destination_document as d')
    .innerJoin('integration as i', 'i.id', 'd.integration_id')
    .where('i.campaign_id', '=', campaignId);

/** The document that a campaign's leads go to; of several destinations, that of the newest. */
export async function currentOf(tx: Tx, campaignId: string) {
  const row = await ofCampaign(tx, campaignId)
    .selectAll('d')
    .select(['i.connection_id', 'i.settings'])
    .where('i.state', '!=', 'removed')
    .where('i.connection_id', 'is not', null)
    .where('d.ended_at', 'is', null)
    .orderBy('d.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { ...row, connection_id: row.connection_id! };
}

/** The documents of a campaign, the newest first. */
export const history = (tx: Tx, campaignId: string) =>
  ofCampaign(tx, campaignId).selectAll('d').orderBy('d.created_at', 'desc').limit(100).execute();

export async function insert(tx: Tx, row: Insertable<Schema['destination_document']>): Promise<void> {
  await tx.insertInto('destination_document').values(row).execute();
}

export async function end(tx: Tx, integrationId: string, at: Date): Promise<void> {
  await tx
    .updateTable('destination_document')
    .set({ ended_at: at })
    .where('integration_id', '=', integrationId)
    .where('ended_at', 'is', null)
    .execute();
}

/**
 * Notes whom a document is shared with from now on, and returns all of them. Others may have shared it meanwhile: nobody
 * who can open it is left out.
 */
export async function changeRecipients(
  tx: Tx,
  integrationId: string,
  documentId: string,
  change: { removed: readonly string[]; added: readonly string[] },
): Promise<string[]> {
  const { recipients } = await tx
    .selectFrom('destination_document')
    .select('recipients')
    .where('integration_id', '=', integrationId)
    .where('document_id', '=', documentId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const all = [
    ...new Set([...recipients.filter((email) => !change.removed.includes(email)), ...change.added]),
  ];
  await tx
    .updateTable('destination_document')
    .set({ recipients: all })
    .where('integration_id', '=', integrationId)
    .where('document_id', '=', documentId)
    .execute();
  return all;
}

/** Whether those that a client's documents are shared with may edit them; undefined for a company out of sight. */
export async function sheetEditor(tx: Tx, companyId: string): Promise<boolean | undefined> {
  const row = await tx
    .selectFrom('company')
    .select('sheet_editor')
    .where('id', '=', companyId)
    .executeTakeFirst();
  return row?.sheet_editor;
}
