import { type Selectable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db } from '../../../platform/db/scope.ts';
import type { SandboxStore, SandboxTx } from '../../../providers/sandbox-cards/index.ts';

/** The sandbox's network in the database, so that it outlives the process. */
export function sandboxStore(db: Db): SandboxStore {
  return {
    transaction: (work) =>
      db.transaction().execute(async (tx) => {
        // One at a time, even across processes: no other transaction can get in between.
        await sql`select pg_advisory_xact_lock(hashtext('sandbox_network'))`.execute(tx);
        const rows = () => tx.selectFrom('sandbox_network').select('body');
        const bodies = (found: Pick<Selectable<Schema['sandbox_network']>, 'body'>[]) =>
          found.map((row) => row.body as never);
        const mine: SandboxTx = {
          async get(kind, id) {
            const row = await rows().where('kind', '=', kind).where('id', '=', id).executeTakeFirst();
            return row?.body as never;
          },
          async put(kind, object, { owner, dueAt }) {
            const values = { owner, due_at: dueAt ?? null, body: JSON.stringify(object) };
            await tx
              .insertInto('sandbox_network')
              .values({ kind, id: object.id, ...values })
              .onConflict((c) => c.columns(['kind', 'id']).doUpdateSet(values))
              .execute();
          },
          list: async (kind, owner) =>
            bodies(await rows().where('kind', '=', kind).where('owner', '=', owner).orderBy('seq').execute()),
          due: async (kind, now, limit) =>
            bodies(
              await rows()
                .where('kind', '=', kind)
                .where('due_at', '<=', now)
                .orderBy('due_at')
                .orderBy('seq')
                .limit(limit)
                .execute(),
            ),
          async remove(kind, id) {
            await tx.deleteFrom('sandbox_network').where('kind', '=', kind).where('id', '=', id).execute();
          },
        };
        return work(mine);
      }),
  };
}
