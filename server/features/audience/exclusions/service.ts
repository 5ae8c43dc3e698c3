import { join } from 'node:path';
import {
  MOST_RECORDS,
  exclusionMessages as messages,
  ownExclusionMessages,
} from '../../../../contract/audience/exclusions-messages.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { countryOf, HOME_COUNTRY } from '../../../platform/countries.ts';
import { CSV_BOM, csvLine } from '../../../platform/csv.ts';
import { FileFault, TooLarge } from '../../../platform/csv-reader.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy, checkBound } from '../../../platform/db/bounds.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Setup } from '../../accounts/setup/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { anyInForce, check, customersOf, since } from './check.ts';
import { clearJob, createLoads, loadJob } from './load.ts';
import {
  type Accepts,
  type Entry,
  isCsv,
  KIND,
  type Level,
  labelOf,
  nounOf,
  readEntry,
  safeName,
  type Use,
} from './policy.ts';
import { excess, MOST_CUSTOMERS, mostEntries, TOO_MANY_CUSTOMERS } from './quota.policy.ts';
import * as store from './store.ts';

export type Exclusions = ReturnType<typeof createExclusions>;

/** The maximum bytes of a root's file, an agency's, and a client's or campaign's. */
export const MOST_BYTES = 2 * 1024 ** 3;
export const AGENCY_BYTES = 256 * 1024 ** 2;
export const SMALL_BYTES = 8 * 1024 ** 2;
const SIZES: Record<Level, { bytes: number; words: string }> = {
  root: { bytes: MOST_BYTES, words: '2 GiB' },
  agency: { bytes: AGENCY_BYTES, words: '256 MB' },
  client: { bytes: SMALL_BYTES, words: '8 MB' },
  campaign: { bytes: SMALL_BYTES, words: '8 MB' },
};
const DONE_MS = 3_600_000;
/** What standing lists are called. */
const STANDING_NAMES: Record<store.StandingFor, string> = {
  requests: 'Privacy requests',
  drop: 'California DROP (hashes)',
};
/** Rows of a statement that fills a list from a connection. */
const REFILL_STEP = 5000;

/** Who the list belongs to. */
interface Place {
  level: Level;
  ownerId: string;
  owner: Owner;
  name: string;
}

/** Lists of people who must not become leads. */
export function createExclusions(
  platform: Platform,
  { audit, tenants, setup }: { audit: Audit; tenants: Tenants; setup: Setup },
) {
  const { db, clock, jobs } = platform;
  const loads = createLoads(platform, { audit });

  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  /** The company or campaign whose lists are meant. @throws Refusal 404 where the scope does not see it */
  async function placeOf(tx: Tx, level: Level, id: string): Promise<Place> {
    if (level === 'campaign') {
      const row = (await store.campaignById(tx, id)) ?? missing();
      const { root_id, agency_id, company_id } = row;
      return {
        level,
        ownerId: id,
        owner: { root_id, agency_id, company_id },
        name: `campaign #${row.number} ${row.name}`,
      };
    }
    const company = (await tenants.company(tx, id)) ?? missing();
    if (company.kind !== level) return missing();
    const { root_id, agency_id } = company;
    return { level, ownerId: id, owner: { root_id, agency_id, company_id: id }, name: company.name };
  }

  /**
   * Returns the same for a signed-in user. Only the root's own users see its list; only users of the agency and the
   * root see an agency's: a client's scope does not see either company's row as its own.
   */
  async function placeFor(tx: Tx, ctx: Ctx, level: Level, id: string): Promise<Place> {
    const { kind } = ctx.actor;
    if (level === 'root' && kind !== 'root') return missing();
    if (level === 'agency' && kind === 'client') return missing();
    return placeOf(tx, level, id);
  }

  async function one(tx: Tx, id: string): Promise<store.ListRow> {
    return (await store.listById(tx, id)) ?? missing();
  }

  /** A root's standing list for a purpose, locked, made when it is needed first. In the root's scope. */
  async function standing(tx: Tx, rootId: string, standingFor: store.StandingFor): Promise<store.ListRow> {
    await store.holdEntries(tx, rootId);
    const known = await store.standingList(tx, rootId, standingFor);
    if (known) return known;
    const now = clock.now();
    const id = newId(now);
    await store.insertList(tx, {
      ...{ id, root_id: rootId, agency_id: null, company_id: rootId, owner_id: rootId, level: 'root' },
      ...{ name: STANDING_NAMES[standingFor], is_standing: true, standing_for: standingFor },
      ...{ created_at: now, finished_at: now },
    });
    return one(tx, id);
  }

  /**
   * Stores an uploaded file and queues it for loading.
   * @param field the form's name for the file
   */
  async function submit(
    ctx: Ctx,
    given: {
      level: Level;
      id: string;
      /** For a campaign: the client it must belong to. */
      companyId?: string;
      fileName: string;
      accepts: 'email' | 'all';
      use?: Use;
      ignoreAliases: boolean;
      /** The country of phone numbers that do not state one. */
      country?: string;
      field: string;
    },
    body: AsyncIterable<Uint8Array>,
  ) {
    const { use = 'exclude' } = given;
    const accepts: Accepts = use === 'customers' ? 'customers' : given.accepts;
    const refuse = (code: 'invalid' | 'too_large', message: string, rule: string) =>
      new Refusal(code, message, { errors: { [given.field]: [rule] } });
    const mayHaveMore = async (tx: Tx, holder: string, check: typeof checkBound) => {
      await check(tx, 'lists', holder, given.field);
      await check(tx, 'waitingLists', holder, given.field);
    };
    // A company that has not completed its setup may be anyone who came in through open sign-up.
    const isNewcomer = !(await setup.isReady(ctx.actor.rootId, ctx.actor.companyId));
    const most = mostEntries(given.level, isNewcomer);
    const mayHaveEntries = async (tx: Tx, owner: Owner, more: number) => {
      const { company, agency, root } = await store.entriesOf(tx, owner);
      const n = BigInt(more);
      const fault =
        excess(given.level, most, { company: company + n, agency: agency + n, root: root + n }) ??
        (use === 'customers' && (await store.customerEntries(tx, owner.company_id)) + more > MOST_CUSTOMERS
          ? TOO_MANY_CUSTOMERS
          : null);
      if (fault) throw refuse('invalid', `${given.field}: ${fault}.`, fault);
    };
    const place = await inScope(db.app, ctx.scope, async (tx) => {
      const place = await placeFor(tx, ctx, given.level, given.id);
      await mayHaveMore(tx, place.owner.company_id, checkBound);
      await mayHaveEntries(tx, place.owner, 1);
      return place;
    });
    if (given.companyId && place.owner.company_id !== given.companyId) return missing();
    const country = countryOf(given.country ?? HOME_COUNTRY);
    if (!country) throw refusalOf('country', 'is not a country with phone numbers');
    if (!isCsv(given.fileName)) throw refuse('invalid', messages.csvOnly, messages.csvOnly);
    const isSmall = given.level === 'client' || given.level === 'campaign';
    if (use === 'customers' && !isSmall)
      throw refusalOf('level', 'must be client or campaign for known customers');
    const now = clock.now();
    const id = newId(now);
    const name = safeName(given.fileName);
    const file = join('exclusions', `${id}.csv`);
    const size = SIZES[given.level];
    const { rows } = await loads
      .take(body, file, {
        mostBytes: size.bytes,
        ...(isSmall ? { few: { mostRows: MOST_RECORDS, by: ctx.actor.companyId, accepts } } : {}),
      })
      .catch((error: unknown) => {
        if (error instanceof FileFault) throw refuse('invalid', messages.failed, error.message);
        if (error instanceof TooLarge)
          throw refuse('too_large', messages.failed, `The file must not be larger than ${size.words}.`);
        throw error;
      });
    try {
      await ctx.mustStill();
      return await inScope(db.app, ctx.scope, async (tx) => {
        const row = {
          id,
          ...place.owner,
          owner_id: place.ownerId,
          level: place.level,
          name,
          accepts: given.accepts,
          use,
          ignore_aliases: given.ignoreAliases,
          country,
          state: 'queued' as const,
          file_path: file,
          total_rows: BigInt(rows),
          most_entries: BigInt(most),
          created_by: ctx.actor.userId,
          created_at: now,
        };
        await mayHaveMore(tx, place.owner.company_id, boundedBy);
        await store.holdEntries(tx, place.owner.root_id);
        await mayHaveEntries(tx, place.owner, rows);
        await store.insertList(tx, row);
        await jobs.send(tx, loadJob, [{ rootId: place.owner.root_id, listId: id }], {
          turn: place.owner.agency_id ?? place.owner.company_id,
        });
        await audit.record(tx, ctx, {
          action: 'exclusion.upload',
          objectKind: 'exclusion_list',
          objectId: id,
          description: `Uploaded the ${nounOf(use)} ${name} for ${place.name}`,
          owner: place.owner,
        });
        return { result: 'success' as const, message: messages.submitted, data: view(await one(tx, id)) };
      });
    } catch (error) {
      await platform.files.remove(file).catch(() => {});
      throw error;
    }
  }

  async function remove(tx: Tx, which: Parameters<typeof store.removeLists>[1]) {
    const gone = await store.removeLists(tx, which, clock.now());
    await jobs.send(
      tx,
      clearJob,
      gone.map((row) => ({ rootId: row.root_id, listId: row.id })),
    );
    return gone;
  }

  return {
    check,
    since,
    anyInForce,
    customersOf,
    /** Loads files into lists and clears lists from the database, for the worker, benchmarks and tests. */
    loads,
    jobs,
    submit,

    /** Returns what is in progress for a company or campaign, and what ended within the last hour. */
    progress: (ctx: Ctx, level: Level, id: string, use: Use) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { ownerId } = await placeFor(tx, ctx, level, id);
        const open = await store.underWay(tx, ownerId, use);
        const ended = await store.endedSince(tx, ownerId, use, new Date(clock.now().getTime() - DONE_MS));
        return {
          running: open.map((row) => ({
            id: row.id,
            file_name: row.name,
            percentage: percentage(row),
            current_row: Number(row.rows_read),
            total_row: Number(row.total_rows),
          })),
          done: ended.map(view),
        };
      }),

    lists: (ctx: Ctx, level: Level, id: string, asked: { use: Use; page: number; per_page: number }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { ownerId } = await placeFor(tx, ctx, level, id);
        const { rows, total } = await store.pageOfLists(
          tx,
          ownerId,
          asked.use,
          asked.per_page,
          (asked.page - 1) * asked.per_page,
        );
        return page(rows.map(view), total, asked);
      }),

    /**
     * For programs: the next lists of a company or campaign after a position, the newest first, and the position of the
     * last one if there are more.
     * @throws Refusal 404
     */
    after: (ctx: Ctx, level: Level, id: string, after: { at: Date; id: string } | null, limit: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { ownerId } = await placeFor(tx, ctx, level, id);
        const found = await store.nextLists(tx, ownerId, after, limit + 1);
        const shown = found.slice(0, limit);
        const last = shown.at(-1);
        return {
          rows: shown,
          end: found.length > limit && last ? { at: last.created_at, id: last.id } : null,
        };
      }),

    /** For programs: one list that excludes, whatever its state. @throws Refusal 404 */
    one: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id);
        return row.use === 'exclude' ? row : missing();
      }),

    report: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => ({
        list: view(await one(tx, id)),
        bad: (await store.errorsAfter(tx, id, 0n, 100)).map((row) => ({ ...row, line: Number(row.line) })),
      })),

    /** The bad rows of a list as the lines of a CSV file: line, reason, value. */
    async reportLines(ctx: Ctx, id: string): Promise<AsyncGenerator<string>> {
      await inScope(db.app, ctx.scope, (tx) => one(tx, id));
      return (async function* () {
        yield CSV_BOM + csvLine(['line', 'reason', 'value']);
        for (let after = 0n; ; ) {
          const rows = await inScope(db.app, ctx.scope, (tx) => store.errorsAfter(tx, id, after, 5000));
          if (rows.length === 0) return;
          yield rows.map((row) => csvLine([row.line, row.reason, row.value])).join('');
          after = rows.at(-1)!.line;
        }
      })();
    },

    /**
     * Adds a list of customers that a connection fills, empty until it is read for the first time.
     * @throws Refusal 404, 409 if there is one already, 422
     */
    connect: (
      ctx: Ctx,
      given: { level: Level; id: string; country: string },
      connection: { id: string; company_id: string; name: string },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const place = await placeFor(tx, ctx, given.level, given.id);
        if (connection.company_id !== place.owner.company_id)
          throw refusalOf('connection_id', 'is not a connection of this client');
        const country = countryOf(given.country);
        if (!country) throw refusalOf('country', 'is not a country with phone numbers');
        await boundedBy(tx, 'lists', place.owner.company_id, 'connection_id');
        await store.holdEntries(tx, place.owner.root_id);
        if (await store.isConnected(tx, place.ownerId, connection.id))
          throw new Refusal('conflict', 'There is already a list from this connection.');
        const now = clock.now();
        const id = newId(now);
        await store.insertList(tx, {
          id,
          ...place.owner,
          owner_id: place.ownerId,
          level: place.level,
          name: connection.name,
          use: 'customers',
          country,
          ignore_aliases: true,
          connection_id: connection.id,
          created_by: ctx.actor.userId,
          created_at: now,
          finished_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'exclusion.connect',
          objectKind: 'exclusion_list',
          objectId: id,
          description: `Added a customer list from the connection ${connection.name} for ${place.name}`,
          owner: place.owner,
        });
        return view(await one(tx, id));
      }),

    /** A list that a connection fills. @throws Refusal 404 */
    connected: (tx: Tx, id: string) =>
      one(tx, id).then((row) => (row.connection_id !== null && row.state === 'active' ? row : missing())),
    /** The lists of a root that connections fill. */
    allConnected: (rootId: string) => inScope(db.app, { rootId }, (tx) => store.connectedLists(tx, rootId)),

    /**
     * Puts what a connection lists in the place of what it listed before; or says why it could not be read, and leaves
     * that in force. In the root's scope, for one list at a time.
     */
    refill: (
      rootId: string,
      listId: string,
      given: { people: readonly { name: string; email: string; phone: string }[] } | { error: string },
    ) =>
      inScope(db.app, { rootId }, async (tx) => {
        await store.holdEntries(tx, rootId);
        const list = await store.listById(tx, listId, true);
        if (list?.state !== 'active' || list.connection_id === null) return;
        const failed = (error: string) =>
          store.updateList(tx, listId, { refresh_error: error.slice(0, 500) });
        if ('error' in given) return void (await failed(given.error));
        const sums = { emails: 0n, phones: 0n, added: 0n, same: 0n, bad: 0n };
        const known = new Set<string>();
        const rows: { kind: number; value: string; label: string }[] = [];
        for (const { name, email, phone } of given.people) {
          const values = [email, phone].filter((value) => value.trim() !== '');
          const country = countryOf(list.country) ?? HOME_COUNTRY;
          const read = values.map((value) => readEntry(value, 'customers', list.ignore_aliases, country));
          const entries = read.filter((entry) => typeof entry !== 'string');
          if (entries.length === 0) sums.bad++;
          const label = labelOf(name, values[read.findIndex((entry) => typeof entry !== 'string')] ?? '');
          for (const entry of entries) {
            const [main] = entry.values;
            const key = `${main!.kind} ${main!.value}`;
            if (known.has(key)) sums.same++;
            else {
              known.add(key);
              sums[main!.kind === KIND.phone ? 'phones' : 'emails']++;
              sums.added++;
              rows.push(...entry.values.map((value) => ({ ...value, label })));
            }
          }
        }
        const more = sums.added - list.rows_added;
        const { company, agency, root } = await store.entriesOf(tx, list);
        const fault =
          excess(list.level, mostEntries(list.level, false), {
            company: company + more,
            agency: agency + more,
            root: root + more,
          }) ??
          ((await store.customerEntries(tx, list.company_id)) + Number(more) > MOST_CUSTOMERS
            ? TOO_MANY_CUSTOMERS
            : null);
        if (fault) return void (await failed(`The list ${fault}.`));
        await store.deleteEntries(tx, list);
        for (let from = 0; from < rows.length; from += REFILL_STEP)
          await store.insertEntries(tx, list, rows.slice(from, from + REFILL_STEP));
        const now = clock.now();
        const read = BigInt(given.people.length);
        await store.updateList(tx, listId, {
          emails: sums.emails,
          phones: sums.phones,
          rows_read: read,
          total_rows: read,
          rows_added: sums.added,
          rows_same: sums.same,
          rows_bad: sums.bad,
          refreshed_at: now,
          refresh_error: null,
        });
        const { root_id, agency_id, company_id } = list;
        await audit.recordSystem(
          tx,
          now,
          { root_id, agency_id, company_id },
          {
            action: 'exclusion.refresh',
            objectKind: 'exclusion_list',
            objectId: listId,
            description: `The customer list ${list.name} was refreshed: ${sums.added} entries`,
          },
        );
      }),

    /** Takes all lists of a company or campaign for one use out of force. */
    purge: (ctx: Ctx, level: Level, id: string, use: Use = 'exclude') =>
      inScope(db.app, ctx.scope, async (tx) => {
        const place = await placeFor(tx, ctx, level, id);
        const gone = await remove(tx, { ownerId: place.ownerId, use });
        const entries = gone.reduce((sum, row) => sum + (row.error ? 0n : row.rows_added), 0n);
        await audit.record(tx, ctx, {
          action: 'exclusion.purge',
          objectKind: 'exclusion_list',
          objectId: place.ownerId,
          description: `Purged the ${nounOf(use)}s of ${place.name}: ${gone.length} lists, ${entries} entries`,
          owner: place.owner,
        });
        return {
          result: 'success' as const,
          title: ownExclusionMessages.purgedTitle,
          message: ownExclusionMessages.purged(gone.length, entries.toLocaleString('en-US')),
        };
      }),

    /** Resumes a list that was set aside, from where it stopped. */
    tryAgain: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id);
        const { root_id, agency_id, company_id } = row;
        await jobs.again(tx, loadJob.name, { rootId: root_id, listId: id });
        await audit.record(tx, ctx, {
          action: 'exclusion.again',
          objectKind: 'exclusion_list',
          objectId: id,
          description: `Retried the ${nounOf(row.use)} ${row.name}`,
          owner: { root_id, agency_id, company_id },
        });
        return { result: 'success' as const, message: ownExclusionMessages.again };
      }),

    /** Removes one list; `use`: only one for this. */
    undo: (ctx: Ctx, id: string, use?: Use) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id);
        if (use && row.use !== use) return missing();
        if (row.is_standing) throw new Refusal('conflict', ownExclusionMessages.standing);
        const [gone] = await remove(tx, { id });
        if (!gone) throw new Refusal('conflict', 'This list was already undone.');
        const { root_id, agency_id, company_id } = row;
        await audit.record(tx, ctx, {
          action: 'exclusion.undo',
          objectKind: 'exclusion_list',
          objectId: id,
          description: `Undid the ${nounOf(row.use)} ${row.name}`,
          owner: { root_id, agency_id, company_id },
        });
        return {
          result: 'success' as const,
          message: row.use === 'customers' ? ownExclusionMessages.removed : ownExclusionMessages.undone,
        };
      }),

    /**
     * Puts people on the root's standing list, which is never undone: addresses and numbers as people write them, and
     * SHA-256 hashes of their other addresses. In the root's scope. Returns how many entries are new.
     */
    async suppress(
      tx: Tx,
      rootId: string,
      given: { lines: readonly string[]; hashes: readonly Buffer[] },
    ): Promise<number> {
      const list = await standing(tx, rootId, 'requests');
      const entries = given.lines.map((line) => readEntry(line, 'all'));
      const bad = entries.findIndex((entry) => typeof entry === 'string');
      if (bad >= 0) throw new Error(`Cannot be suppressed: entry ${bad + 1} ${String(entries[bad])}`);
      const read = entries.filter((entry) => typeof entry !== 'string');
      const fresh = await store.newTo(
        tx,
        list,
        read.map((entry) => entry.values[0]!),
      );
      const added = read.filter((_, at) => fresh.has(at));
      const phones = added.filter((entry) => entry.values[0]!.kind === KIND.phone).length;
      await store.insertEntries(tx, list, [
        ...read.flatMap((entry) => entry.values),
        // Not counted as known by this hash alone: whoever is known only by another one would no longer be comparable.
        ...given.hashes.map((hash) => ({ kind: KIND.sha256, value: hash.toString('hex') })),
      ]);
      const count = BigInt(added.length);
      await store.updateList(tx, list.id, {
        emails: list.emails + count - BigInt(phones),
        phones: list.phones + BigInt(phones),
        rows_read: list.rows_read + count,
        total_rows: list.total_rows + count,
        rows_added: list.rows_added + count,
      });
      return added.length;
    },

    /**
     * Puts hashes on the root's standing list of California, or takes off those whose people withdrew their request.
     * Addresses are their SHA-256, numbers that of their last ten digits. Known only by their hash, they are not counted
     * as such: otherwise nobody known by another hash could be compared.
     */
    async standHashes(
      tx: Tx,
      rootId: string,
      given: { kind: 'email' | 'phone'; hashes: readonly Buffer[]; isRemoved: boolean },
    ): Promise<number> {
      const list = await standing(tx, rootId, 'drop');
      const kind = given.kind === 'email' ? KIND.sha256 : KIND.phoneHash;
      const count = await (given.isRemoved ? store.deleteHashes : store.insertHashes)(
        tx,
        list,
        kind,
        given.hashes,
      );
      const change = BigInt(given.isRemoved ? -count : count);
      await store.updateList(tx, list.id, {
        ...(given.kind === 'email'
          ? { emails: list.emails + change }
          : { phone_hashes: list.phone_hashes + change }),
        rows_read: list.rows_read + change,
        total_rows: list.total_rows + change,
        rows_added: list.rows_added + change,
      });
      return count;
    },

    /** Adds a list immediately, without a file (demo data, tests); returns the lines that are not valid entries. */
    async addList(
      tx: Tx,
      given: { owner: Owner; ownerId: string; level: Level; name: string; lines: string[]; use?: Use },
      at: Date,
    ): Promise<{ id: string; added: number; bad: { line: number; value: string }[] }> {
      const id = newId(at);
      const bad: { line: number; value: string }[] = [];
      const sums = { emails: 0n, phones: 0n, domains: 0n, md5_only: 0n, sha256_only: 0n };
      const entries = given.lines.flatMap((text, i) => {
        if (text.trim() === '') return [];
        const read = readEntry(text, given.use === 'customers' ? 'customers' : 'all');
        if (typeof read === 'string') {
          bad.push({ line: i + 1, value: text.slice(0, 200) });
          return [];
        }
        const { kind } = read.values[0]!;
        sums[kind === 6 ? 'phones' : kind === 8 ? 'domains' : 'emails']++;
        if (read.only) sums[`${read.only}_only`]++;
        return [given.use === 'customers' ? { ...read, label: labelOf('', text) } : read];
      });
      const list = { id, ...given.owner, owner_id: given.ownerId };
      const read = BigInt(entries.length + bad.length);
      await store.insertList(tx, {
        ...list,
        level: given.level,
        name: given.name,
        use: given.use ?? 'exclude',
        ...sums,
        rows_read: read,
        total_rows: read,
        rows_added: BigInt(entries.length),
        rows_bad: BigInt(bad.length),
        created_at: at,
        finished_at: at,
      });
      if (entries.length > 0)
        await store.insertEntries(
          tx,
          list,
          entries.flatMap(({ values, label }: Entry) => values.map((value) => ({ ...value, label }))),
        );
      return { id, added: entries.length, bad };
    },
  };
}

const percentage = (row: store.ListRow): number =>
  row.total_rows > 0n ? Math.min(99, Math.floor((Number(row.rows_read) / Number(row.total_rows)) * 100)) : 0;

/** A list as the contract shows it. */
function view(row: store.ListRow) {
  return {
    id: row.id,
    file_name: row.name,
    level: row.level,
    use: row.use,
    state: row.state,
    error: row.error,
    rows_read: Number(row.rows_read),
    ignore_aliases: row.ignore_aliases,
    country: row.country,
    entries_added: Number(row.rows_added),
    entries_same: Number(row.rows_same),
    rows_bad: Number(row.rows_bad),
    emails: Number(row.emails),
    phones: Number(row.phones),
    domains: Number(row.domains),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    removed_at: row.removed_at?.toISOString() ?? null,
    connection_id: row.connection_id,
    is_standing: row.is_standing,
    refreshed_at: row.refreshed_at?.toISOString() ?? null,
    refresh_error: row.refresh_error,
  };
}
