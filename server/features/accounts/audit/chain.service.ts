import { derive, keyId, mac } from '../../../platform/crypto.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import {
  fitsSeal,
  hashOfDetail,
  hashOfRow,
  hashOfSeal,
  isErased,
  microsOf,
  NO_HASH,
} from './chain.policy.ts';
import * as store from './chain.store.ts';
import { rowsById } from './verify.store.ts';

/** Maximum number of rows per seal. */
const BATCH = 1000;

/** The key under which an installation marks its seals as its own. */
export const sealKey = (appKey: Buffer): Buffer => derive(appKey, 'log seals');

export type LogChain = ReturnType<typeof createLogChain>;

/** Seals the user log: its rows become a chain of hashes, one chain per root (docs/decisions/0014-audit-chain.md). */
export function createLogChain({ db, clock, config }: Pick<Platform, 'db' | 'clock' | 'config'>) {
  const key = sealKey(config.appKey);

  /**
   * Seals up to a batch of a root's rows, in one transaction. Returns how many; fewer than requested means that none
   * are left.
   */
  async function sealBatch(rootId: string, batch: number): Promise<number> {
    return inScope(db.app, { rootId }, async (tx) => {
      await store.lockChain(tx, rootId);
      const rows = await store.unsealedRows(tx, rootId, batch + 1);
      const drained = rows.length <= batch;
      if (!drained) rows.pop();
      if (rows.length === 0) return 0;
      const last = await store.lastSeal(tx, rootId);
      const at = clock.now();
      const first = (last?.last_position ?? 0n) + 1n;
      const seal = {
        root_id: rootId,
        seq: (last?.seq ?? 0n) + 1n,
        first_position: first,
        last_position: first + BigInt(rows.length) - 1n,
        log_ids: rows.map((row) => row.id),
        row_hashes: rows.map(hashOfRow),
        drained,
        previous_hash: last?.hash ?? NO_HASH,
        key_id: keyId(config.appKey),
      };
      const hash = hashOfSeal({ ...seal, sealed_at: microsOf(at) });
      await store.insertSeal(tx, {
        ...seal,
        agency_id: null,
        company_id: rootId,
        hash,
        mac: mac(key, hash.toString('hex')),
        sealed_at: at,
      });
      return rows.length;
    });
  }

  return {
    /**
     * Whether rows of a root's log are still as they were sealed, and their details as they were written. A row that
     * is in no seal and does not wait for one was not written by the product. Details that were erased are no change.
     */
    sealsOf: (rootId: string, ids: string[]): Promise<Map<string, 'sealed' | 'waiting' | 'changed'>> =>
      inScope(db.app, { rootId }, async (tx) => {
        const rows = await rowsById(tx, ids);
        const sealed = await store.hashesOf(tx, rootId, ids);
        const waiting = await store.waitingOf(tx, rootId, ids);
        return new Map(
          ids.map((id) => {
            const row = rows.get(id);
            const hash = sealed.get(id);
            const isWhole =
              row && (isErased(row.detail) || hashOfDetail(row.detail!).equals(row.detail_hash));
            if (!isWhole) return [id, 'changed'];
            if (hash) return [id, fitsSeal(row, hash) ? 'sealed' : 'changed'];
            return [id, waiting.has(id) ? 'waiting' : 'changed'];
          }),
        );
      }),

    /** Seals every committed row of every root. Safe to run in several processes at once. Returns how many. */
    async seal(batch = BATCH): Promise<number> {
      let sealed = 0;
      for (const rootId of await store.rootsToSeal(db.app)) {
        for (let count = batch; count === batch; ) {
          count = await sealBatch(rootId, batch);
          sealed += count;
        }
      }
      return sealed;
    },
  };
}
