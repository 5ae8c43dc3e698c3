import type { Db } from '../../../platform/db/scope.ts';
import type { Notice } from '../../../platform/payments.ts';

/** Stores a notice; returns whether it has been handled before. */
export async function keepNotice(db: Db, notice: Notice, at: Date): Promise<{ handled: boolean }> {
  await db
    .insertInto('payment_notice')
    .values({ id: notice.id, kind: notice.kind, content: JSON.stringify(notice), received_at: at })
    .onConflict((c) => c.column('id').doNothing())
    .execute();
  const row = await db
    .selectFrom('payment_notice')
    .select('handled_at')
    .where('id', '=', notice.id)
    .executeTakeFirstOrThrow();
  return { handled: row.handled_at !== null };
}

export async function noticeDone(db: Db, id: string, outcome: string, at: Date): Promise<void> {
  await db
    .updateTable('payment_notice')
    .set({ handled_at: at, outcome: outcome.slice(0, 500) })
    .where('id', '=', id)
    .execute();
}

export async function noticeFailed(db: Db, id: string, why: string): Promise<void> {
  await db
    .updateTable('payment_notice')
    .set((eb) => ({ tries: eb('tries', '+', 1), outcome: why.slice(0, 500) }))
    .where('id', '=', id)
    .execute();
}

/** Notices that could not be handled when they arrived, oldest first. */
export async function waitingNotices(db: Db, most: number, limit: number): Promise<Notice[]> {
  const rows = await db
    .selectFrom('payment_notice')
    .select('content')
    .where('handled_at', 'is', null)
    .where('tries', '<', most)
    .orderBy('received_at')
    .limit(limit)
    .execute();
  return rows.map(({ content }) => {
    const notice = content as unknown as Notice;
    return { ...notice, createdAt: new Date(notice.createdAt) };
  });
}
