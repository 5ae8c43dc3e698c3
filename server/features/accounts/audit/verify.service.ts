import { type Clock, systemClock } from '../../../platform/clock.ts';
import { keyId, mac } from '../../../platform/crypto.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { fitsSeal, hashOfDetail, hashOfSeal, isErased, type LogDetail, NO_HASH } from './chain.policy.ts';
import { sealKey } from './chain.service.ts';
import * as store from './verify.store.ts';

/**
 * How much later than its date a row may be committed, microseconds: longer than any transaction may last. A row that
 * predates earlier seals by more than this was inserted afterward.
 */
const LATE = 15n * 60n * 1_000_000n;
const PAGE = 20;
const NIL = '00000000-0000-0000-0000-000000000000';

/** What is wrong with a log. `seal`: the seal itself, or its place in the chain. */
export interface Break {
  kind: 'altered' | 'missing' | 'inserted' | 'late' | 'detail' | 'double' | 'seal';
  rootId: string;
  /** The log row; for 'seal', the seal's number. */
  id: string;
  words: string;
}

/** One root's log, checked row by row. */
export interface Verdict {
  rootId: string;
  seals: number;
  rows: number;
  erased: number;
  /** Rows waiting for the next seal, and since when the oldest has been waiting. */
  unsealed: number;
  unsealedSince: Date | null;
  /** Seals with a key that is no longer known: their hashes match, but who made them is not proven. */
  unproven: number;
  /** The hash at the end of the chain, hex; to be noted elsewhere. */
  head: string | null;
  breaks: Break[];
  /** The hashes of all seals, hex. */
  hashes: Set<string>;
}

/** Recomputes the chains of all roots at the admin's connection string. Safe on a database that is in use. */
export function verifyLog(
  adminUrl: string,
  appKeys: Buffer[],
  clock: Clock = systemClock,
): Promise<Verdict[]> {
  const now = BigInt(clock.now().getTime()) * 1000n;
  const keys = new Map(appKeys.map((key) => [keyId(key), sealKey(key)]));
  return store.onSnapshot(adminUrl, async (tx) => {
    const verdicts: Verdict[] = [];
    for (const rootId of await store.rootsWithLog(tx)) verdicts.push(await verifyRoot(tx, rootId, keys, now));
    return verdicts;
  });
}

const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);

async function verifyRoot(tx: Tx, rootId: string, keys: Map<string, Buffer>, now: bigint): Promise<Verdict> {
  const verdict: Verdict = {
    rootId,
    seals: 0,
    rows: 0,
    erased: 0,
    unsealed: 0,
    unsealedSince: null,
    unproven: 0,
    head: null,
    breaks: [],
    hashes: new Set(),
  };
  const broken = (kind: Break['kind'], id: string, words: string): void => {
    verdict.breaks.push({ kind, rootId, id, words });
  };
  const lookAtDetail = (row: { id: string; detail: LogDetail | null; detail_hash: Buffer }): void => {
    if (isErased(row.detail)) verdict.erased++;
    else if (!hashOfDetail(row.detail!).equals(row.detail_hash))
      broken('detail', row.id, 'its detail does not match the hash stored in the row');
  };

  let end = { seq: 0n, last_position: 0n, hash: NO_HASH };
  /** Every row committed before this moment is in the seals so far. */
  let drainedAt: bigint | null = null;
  for (let seals = await store.sealsAfter(tx, rootId, 0n, PAGE); seals.length > 0; ) {
    for (const seal of seals) {
      const name = String(seal.seq);
      verdict.seals++;
      if (seal.seq !== end.seq + 1n)
        broken('seal', name, `the seal before it is missing; the last one was ${end.seq}`);
      else if (!seal.previous_hash.equals(end.hash))
        broken('seal', name, 'it does not follow the previous seal');
      if (seal.first_position !== end.last_position + 1n)
        broken('seal', name, `it starts at position ${seal.first_position}, after ${end.last_position}`);
      const hash = hashOfSeal(seal);
      if (!hash.equals(seal.hash)) broken('seal', name, 'it was altered, and its hash does not match');
      const key = keys.get(seal.key_id);
      if (!key) verdict.unproven++;
      else if (!mac(key, seal.hash.toString('hex')).equals(seal.mac))
        broken('seal', name, 'it was not made by this installation');
      verdict.hashes.add(seal.hash.toString('hex'));

      const rows = await store.rowsById(tx, seal.log_ids);
      for (const [at, id] of seal.log_ids.entries()) {
        const row = rows.get(id);
        verdict.rows++;
        if (!row) {
          broken(
            'missing',
            id,
            `it was sealed at position ${seal.first_position + BigInt(at)} and is missing`,
          );
          continue;
        }
        if (!fitsSeal(row, seal.row_hashes[at] ?? NO_HASH))
          broken('altered', id, 'it does not match what was sealed');
        // A seal dated before the one before it: the machine's clock was set back, and rows with it.
        if (drainedAt !== null && row.created_at < earlier(drainedAt, seal.sealed_at) - LATE)
          broken('late', id, 'it is dated before a seal that does not include it, so it was inserted later');
        lookAtDetail(row);
      }
      if (seal.drained) drainedAt = seal.sealed_at;
      end = seal;
    }
    seals = await store.sealsAfter(tx, rootId, end.seq, PAGE);
  }
  verdict.head = verdict.seals > 0 ? end.hash.toString('hex') : null;

  for (let last = NIL; ; ) {
    const waiting = await store.waitingAfter(tx, rootId, last, 1000);
    for (const { log_id, row } of waiting) {
      last = log_id;
      if (!row) {
        broken('missing', log_id, 'it was waiting for its seal and is missing');
        continue;
      }
      verdict.unsealed++;
      const at = new Date(Number(row.created_at / 1000n));
      if (!verdict.unsealedSince || at < verdict.unsealedSince) verdict.unsealedSince = at;
      if (drainedAt !== null && row.created_at < earlier(drainedAt, now) - LATE)
        broken(
          'late',
          log_id,
          'it is dated before a seal that does not include it, so it was inserted later',
        );
      lookAtDetail(row);
    }
    if (waiting.length < 1000) break;
  }
  for (const { id, at } of await store.strayRows(tx, rootId))
    broken('inserted', id, `it is dated ${at.toISOString()}, but is in no seal and not waiting for one`);
  for (const id of await store.doubleRows(tx, rootId)) broken('double', id, 'it appears in the chain twice');
  return verdict;
}
