import type { z } from 'zod';
import type { Duplicate, GraphPerson, Merge } from '../../../../contract/audience/people.ts';
import { MATCH_KINDS } from '../../../../contract/campaigns/leads.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { type KnownPerson, people } from './match.service.ts';
import { areAlike, MOST_ALIKE, type Place, placeOf, TELLING, textOf } from './merge.policy.ts';
import * as store from './merge.store.ts';

/** Suggestions per page, keys read in one query, and the maximum number of such queries per response. */
const PAIRS = 25;
const STEP = 50_000;
const STEPS = 8;
/** Shared keys whose people are read at once, and the maximum number of such reads per response. */
const GROUP = 200;
const READS = 50;
/** The number of rows that one person may consist of. */
const MOST_ROWS = 50;

const refuse = (field: 'kept' | 'absorbed', rule: string): Refusal => refusalOf(field, rule, 'conflict');

/** Merges people of a root's graph, and undoes merges (docs/decisions/0077-evidence.md). `read`: for tests. */
export function createMerges(
  { db, clock, events }: Platform,
  { audit }: { audit: Audit },
  read: typeof people = people,
) {
  const shown = async (tx: Tx, id: string): Promise<Inside<z.input<typeof Merge>>> =>
    wire((await store.mergeById(tx, id))!);

  /** The people who share some keys, reading only those who are not known from the keys before. */
  async function readMissing(
    tx: Tx,
    rootId: string,
    shared: readonly store.Shared[],
    known: Map<string, KnownPerson>,
  ): Promise<Map<string, KnownPerson>> {
    const ids = [...new Set(shared.flatMap((one) => one.ids))];
    const missing = ids.filter((id) => !known.has(id));
    const added = missing.length > 0 ? await read(tx, rootId, missing) : new Map<string, KnownPerson>();
    return new Map(
      ids.flatMap((id) => {
        const one = known.get(id) ?? added.get(id);
        return one ? [[id, one] as const] : [];
      }),
    );
  }

  return {
    /**
     * Returns likely duplicates from a place on, one page at a time. @throws Refusal 422 where `after` is not a place
     */
    duplicates: (ctx: Ctx, from: string | undefined) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rootId } = ctx.scope;
        let place: Place | null = from ? placeOf(from) : { kind: TELLING[0], after: null };
        if (!place)
          throw new Refusal('invalid', 'after: is not a valid cursor', {
            errors: { after: ['is not a valid cursor'] },
          });
        const data: Inside<z.input<typeof Duplicate>>[] = [];
        const found = createPairs(data);
        let known = new Map<string, KnownPerson>();
        let reads = 0;
        steps: for (let step = 0; place && step < STEPS; step++) {
          const begin: Place = place;
          const { kind } = begin;
          const { shared, last } = await store.sharedKeys(tx, rootId, begin, STEP);
          place = last ? { kind, after: last } : nextKind(kind);
          const few = shared.filter(({ ids }) => ids.length <= MOST_ALIKE);
          for (let at = 0; at < few.length; at += GROUP) {
            const group = few.slice(at, at + GROUP);
            if (reads++ === READS) {
              place = { kind, after: few[at - 1]?.value ?? begin.after };
              break steps;
            }
            known = await readMissing(tx, rootId, group, known);
            for (const { value, ids } of group) {
              found.among(kind, ids, known);
              if (data.length < PAIRS) continue;
              place = { kind, after: value };
              break steps;
            }
          }
        }
        return { data, next: place && textOf(place) };
      }),

    list: (ctx: Ctx, asked: { page: number; per_page: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOfMerges(
          tx,
          asked.per_page,
          (asked.page - 1) * asked.per_page,
        );
        return page(rows.map(wire), total, asked);
      }),

    /**
     * Merges two people into one: what is known of either applies to both. Nothing of either is changed.
     * @throws Refusal 404 for people who are not in this graph, 409 where one of them is merged into someone else
     */
    merge: (ctx: Ctx, { kept, absorbed }: { kept: string; absorbed: string }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rootId } = ctx.scope;
        await store.lockMerges(tx, rootId);
        if (kept === absorbed) throw refuse('absorbed', 'must be a different person');
        if ((await store.heldPeople(tx, rootId, [kept, absorbed])).length < 2)
          throw new Refusal('not_found', ownMessages.notFound);
        const before = await store.absorption(tx, rootId, absorbed);
        if (before?.into_id === kept)
          return { result: 'success' as const, message: messages.updated, data: await shown(tx, before.id) };
        const rule = 'is merged into another person. Undo that merge first';
        if (before) throw refuse('absorbed', rule);
        if (await store.absorption(tx, rootId, kept)) throw refuse('kept', rule);
        const personIds = [
          ...(await store.groupOf(tx, rootId, kept)),
          ...(await store.groupOf(tx, rootId, absorbed)),
        ];
        if (personIds.length > MOST_ROWS)
          throw refuse('absorbed', `would create a person with more than ${MOST_ROWS} rows`);
        const at = clock.now();
        const id = newId(at);
        await store.addMerge(tx, rootId, { id, kept, absorbed, by: ctx.actor.userId, at });
        await events.emit(tx, 'people.merged', { rootId, personIds });
        await audit.record(tx, ctx, {
          action: 'person.merge',
          objectKind: 'person_merge',
          objectId: id,
          description: `Merged person ${absorbed} into ${kept} in the people data`,
        });
        return { result: 'success' as const, message: messages.updated, data: await shown(tx, id) };
      }),

    /** Undoes a merge, in any order relative to others. @throws Refusal 404 */
    undo: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rootId } = ctx.scope;
        await store.lockMerges(tx, rootId);
        const row = await store.mergeById(tx, id);
        if (!row) throw new Refusal('not_found', ownMessages.notFound);
        if (!row.undone_at) {
          const personIds = await store.groupOf(tx, rootId, row.top_id);
          await store.endMerge(tx, row, ctx.actor.userId, clock.now());
          await events.emit(tx, 'people.merged', { rootId, personIds });
          await audit.record(tx, ctx, {
            action: 'person.unmerge',
            objectKind: 'person_merge',
            objectId: id,
            description: `Undid the merge of person ${row.person_id} into ${row.into_id} in the people data`,
          });
        }
        return { result: 'success' as const, message: messages.updated, data: await shown(tx, id) };
      }),
  };
}

/** Adds those who are likely the same to `data`, each two once. */
function createPairs(data: Inside<z.input<typeof Duplicate>>[]) {
  const paired = new Set<string>();
  // Two people who share many keys are compared once for each kind.
  const compared = new Map<string, boolean>();
  const alike = (kind: Place['kind'], a: KnownPerson, b: KnownPerson): boolean => {
    const name = `${kind} ${a.id} ${b.id}`;
    const answer = compared.get(name) ?? areAlike(kind, a, b);
    compared.set(name, answer);
    return answer;
  };
  return {
    among(kind: Place['kind'], ids: readonly string[], known: ReadonlyMap<string, KnownPerson>): void {
      const people = new Map(ids.flatMap((id) => known.get(id) ?? []).map((one) => [one.id, one]));
      const sharers = [...people.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      // Pairs each person with the first similar one: of three who share a phone, the two who are the same need not be
      // adjacent.
      for (const [i, other] of sharers.entries()) {
        const first = sharers.slice(0, i).find((one) => alike(kind, one, other));
        if (!first || paired.has(`${first.id} ${other.id}`)) continue;
        paired.add(`${first.id} ${other.id}`);
        data.push({ key: MATCH_KINDS[kind] as 'phone', people: [personOf(first), personOf(other)] });
      }
    },
  };
}

function nextKind(kind: Place['kind']): Place | null {
  const next = TELLING[TELLING.indexOf(kind) + 1];
  return next ? { kind: next, after: null } : null;
}

function personOf(one: KnownPerson): Inside<z.input<typeof GraphPerson>> {
  const { id, first_name, last_name, email, phone, address, city, state, zip, company_name, source } = one;
  return {
    ...{ id, first_name, last_name, email, phone, address, city, state, zip, company_name, source },
    created_at: one.created_at.toISOString(),
    updated_at: one.updated_at.toISOString(),
    rows: one.members.length,
  };
}

function wire(row: store.ShownMerge): Inside<z.input<typeof Merge>> {
  const side = (who: 'kept' | 'absorbed') => {
    const id = row[`${who}_id`];
    return id
      ? {
          id,
          first_name: row[`${who}_first_name`],
          last_name: row[`${who}_last_name`],
          email: row[`${who}_email`],
          phone: row[`${who}_phone`],
        }
      : null;
  };
  return {
    id: row.id,
    kept: side('kept'),
    absorbed: side('absorbed'),
    merged_at: row.merged_at.toISOString(),
    undone_at: row.undone_at?.toISOString() ?? null,
  };
}
