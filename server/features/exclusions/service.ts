import type { Owner } from '../../platform/db/owner.ts';
import type { Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import { KIND, readRow } from './policy.ts';
import * as store from './store.ts';

/** Everything by which a person could stand on a list. */
export interface Identity {
  /** The companies and the campaign whose lists apply: root, agency, client, campaign. */
  owners: string[];
  sha256: Buffer[];
  md5: Buffer[];
  phones: string[];
  emails: string[];
}

export type Verdict = 'clear' | 'excluded' | 'cannot_compare';

export type Exclusions = ReturnType<typeof createExclusions>;

/** Lists of people who must not become leads. */
export function createExclusions() {
  return {
    /**
     * Checks identities against every list that applies, in one look-up. An identity known only by one hash, where an
     * applicable list has rows known only by the other, cannot be compared and counts as refused (domain, The life of a lead).
     */
    async check(tx: Tx, identities: Identity[]): Promise<Verdict[]> {
      const keys: { owner: string; kind: number; value: Buffer; of: number }[] = [];
      identities.forEach((one, of) => {
        const values = [
          ...one.sha256.map((value) => ({ kind: KIND.sha256, value })),
          ...one.md5.map((value) => ({ kind: KIND.md5, value })),
          ...one.phones.map((phone) => ({ kind: KIND.phone, value: Buffer.from(phone) })),
          ...one.emails.map((email) => ({
            kind: KIND.domain,
            value: Buffer.from(email.toLowerCase().split('@')[1] ?? ''),
          })),
        ];
        for (const owner of one.owners)
          for (const { kind, value } of values) keys.push({ owner, kind, value, of });
      });
      const found = await store.hits(tx, keys);
      const excluded = new Set([...found].map((position) => keys[position]!.of));
      const sides = await store.oneSided(tx, [...new Set(identities.flatMap((one) => one.owners))]);
      return identities.map((one, i) => {
        if (excluded.has(i)) return 'excluded';
        const blind = one.owners.some((owner) => {
          const side = sides.get(owner);
          return (
            side &&
            ((side.md5Only && one.md5.length === 0 && one.sha256.length > 0) ||
              (side.sha256Only && one.sha256.length === 0 && one.md5.length > 0))
          );
        });
        return blind ? 'cannot_compare' : 'clear';
      });
    },

    /** Adds a list of plain or hashed e-mails, phones (E.164) and domains; returns the lines that are none of these. */
    async addList(
      tx: Tx,
      given: {
        owner: Owner;
        ownerId: string;
        level: 'root' | 'agency' | 'client' | 'campaign';
        name: string;
        lines: string[];
      },
      at: Date,
    ): Promise<{ id: string; added: number; bad: { line: number; value: string }[] }> {
      const id = newId(at);
      const bad: { line: number; value: string }[] = [];
      let md5Only = 0n;
      let sha256Only = 0n;
      const rows = given.lines.flatMap((text, i) => {
        if (text.trim() === '') return [];
        const read = readRow(text);
        if (!read) {
          bad.push({ line: i + 1, value: text.slice(0, 200) });
          return [];
        }
        if (read.length === 1 && read[0]!.kind === KIND.md5) md5Only++;
        if (read.length === 1 && read[0]!.kind === KIND.sha256) sha256Only++;
        return read.map((one) => ({ owner_id: given.ownerId, ...one, list_id: id, ...given.owner }));
      });
      await store.insertList(tx, {
        id,
        ...given.owner,
        owner_id: given.ownerId,
        level: given.level,
        name: given.name,
        md5_only: md5Only,
        sha256_only: sha256Only,
        created_at: at,
      });
      if (rows.length > 0) await store.insertExclusions(tx, rows);
      return { id, added: rows.length, bad };
    },
  };
}
