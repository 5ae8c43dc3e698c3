import { z } from 'zod';
import {
  DROP_LISTS,
  type DropList,
  type DropMode,
  type DropState,
} from '../../../../contract/audience/drop-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { takeRaw } from '../../../platform/csv-reader.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScopeWithClient } from '../../../platform/db/client.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { type DeletionPlatform, DropFault, type DropFile } from '../../../platform/deletion-platform.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut } from '../../../platform/mail-layout.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Exclusions } from '../exclusions/index.ts';
import type { Privacy } from '../privacy/index.ts';
import { ArchiveFault, readArchive } from './archive.ts';
import * as policy from './policy.ts';
import * as store from './store.ts';

export type Drop = ReturnType<typeof createDrop>;

/** What stands in for California, or reaches it. */
export interface Platforms {
  simulated: (past: { downloads: number; isOpen: boolean; now: Date }) => DeletionPlatform;
  real: (mode: 'sandbox' | 'live', apiKey: string) => DeletionPlatform;
}

/** Does whatever is due for one root. */
const runJob = defineJob('drop.run', z.object({ rootId: z.uuid() }), {
  retryLimit: 3,
  retryDelay: 300,
  expireInSeconds: 12 * 3600,
});
const sweepJob = defineJob('drop.sweep', z.object({}));

const KEY_PURPOSE = 'drop.key';
const DAY_MS = 86_400_000;
/** The largest archive that is taken in. */
const MOST_BYTES = 4 * 1024 ** 3;
/** People in one transaction, and answers in one file. */
const PEOPLE_STEP = 10;
const ANSWER_STEP = 100_000;
const CLEAR_STEP = 20_000;

const SOURCES: Record<DropMode, string> = {
  simulated: 'the simulated lists',
  sandbox: 'California’s test service',
  live: 'California',
};
const count = (n: number | bigint, one: string, many: string): string =>
  `${Number(n).toLocaleString('en-US')} ${Number(n) === 1 ? one : many}`;
/** Lists whose hashes exclude people wherever exclusion lists are checked. */
const EXCLUDES: Partial<Record<DropList, 'email' | 'phone'>> = { Email: 'email', Phone: 'phone' };

/**
 * California's Delete Request and Opt-out Platform (docs/decisions/0485-drop.md): downloads the lists, keeps them as a
 * standing exclusion, deletes whom they mean, and answers.
 */
export function createDrop(
  platform: Platform,
  deps: {
    tenants: Tenants;
    audit: Audit;
    mail: Mail;
    exclusions: Exclusions;
    privacy: Privacy;
    platforms: Platforms;
  },
) {
  const { db, clock, files, jobs, vault } = platform;
  const { tenants, audit, mail, exclusions, privacy, platforms } = deps;
  const inRoot = <T>(rootId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId }, work);
  const ownerOf = (rootId: string) => ({ root_id: rootId, agency_id: null, company_id: rootId });
  const fileOf = (batch: { id: string }): string => `drop/${batch.id}.zip`;

  const note = (tx: Tx, rootId: string, words: string, isFault = false): Promise<void> => {
    const at = clock.now();
    return store.insertEvent(tx, { id: newId(at), ...ownerOf(rootId), is_fault: isFault, words, at });
  };

  /** The service of an account. */
  async function reach(rootId: string, account: store.AccountRow): Promise<DeletionPlatform> {
    if (account.mode === 'simulated') {
      const { downloads, isOpen } = await inRoot(rootId, async (tx) => ({
        downloads: await store.countBatches(tx, rootId),
        isOpen: (await store.openBatch(tx, rootId)) !== undefined,
      }));
      return platforms.simulated({ downloads, isOpen, now: clock.now() });
    }
    return platforms.real(account.mode, vault.open(account.key_sealed!, KEY_PURPOSE));
  }

  /** Asks for an archive and keeps it, before anything else can go wrong: it is given only once. */
  async function download(rootId: string, account: store.AccountRow): Promise<void> {
    const source = SOURCES[account.mode];
    /** Does something for the account, unless another service was chosen meanwhile: its lists are then not this one's. */
    const forIt = (work: (tx: Tx) => Promise<void>): Promise<boolean> =>
      inRoot(rootId, async (tx) => {
        if ((await store.accountOf(tx, rootId, true))?.mode !== account.mode) return false;
        await work(tx);
        return true;
      });
    const got = await (await reach(rootId, account)).download();
    const now = clock.now();
    if (got.kind === 'open')
      throw new DropFault(
        'The service says that an earlier download lacks answers, but none is known here. Ask the service to allow the download again.',
        DAY_MS / 1000,
      );
    if (got.kind === 'preparing') {
      await forIt((tx) =>
        store.updateAccount(tx, rootId, { again_at: new Date(now.getTime() + got.againS * 1000) }),
      );
      return;
    }
    const well = {
      accessed_at: now,
      again_at: new Date(now.getTime() + DAY_MS),
      failing_since: null,
      last_error: null,
    };
    if (got.kind === 'nothing') {
      await forIt(async (tx) => {
        await store.updateAccount(tx, rootId, well);
        await note(tx, rootId, `Nothing new on ${source}.`);
      });
      return;
    }
    const base = policy.baseOf(got.name);
    const id = newId(now);
    await takeRaw(got.bytes, files.pathOf(fileOf({ id })), MOST_BYTES);
    await files.keep(fileOf({ id }));
    if (!base) throw new DropFault('The archive has a name that is not understood.');
    const isKept = await forIt(async (tx) => {
      await store.insertBatch(tx, {
        ...{ id, ...ownerOf(rootId), name: base, state: 'loading' },
        ...{ downloaded_at: now, due_at: policy.dueAfter(now) },
      });
      await store.updateAccount(tx, rootId, well);
      await note(tx, rootId, `Downloaded ${base} from ${source}.`);
    });
    if (!isKept) await files.remove(fileOf({ id }));
  }

  /** Takes in an archive as a whole: its lists are in force with the end of the transaction. */
  async function load(rootId: string, batch: store.BatchRow): Promise<void> {
    const path = await files.get(fileOf(batch));
    await inScopeWithClient(db, { rootId }, async (tx, client) => {
      await store.accountOf(tx, rootId, true);
      if ((await store.openBatch(tx, rootId))?.state !== 'loading') return;
      let entries = 0;
      let removed = 0;
      let bad = 0;
      for await (const part of readArchive(path)) {
        if (part.base !== batch.name) throw new ArchiveFault('The archive has files of another download.');
        bad += part.bad;
        if (part.holds !== 'Removed') {
          entries += await store.copyRows(tx, client, batch, policy.listNumber(part.holds), part.rows);
          const kind = EXCLUDES[part.holds];
          const hashes = part.rows.map((row) => row.hash);
          if (kind && hashes.length > 0)
            await exclusions.standHashes(tx, rootId, { kind, hashes, isRemoved: false });
          continue;
        }
        for (const list of DROP_LISTS) {
          const ids = part.rows.filter((row) => row.list === list).map((row) => row.id);
          if (ids.length === 0) continue;
          const gone = await store.removeRows(tx, rootId, policy.listNumber(list), ids, clock.now());
          removed += gone.removed;
          const kind = EXCLUDES[list];
          if (kind && gone.hashes.length > 0)
            await exclusions.standHashes(tx, rootId, { kind, hashes: gone.hashes, isRemoved: true });
        }
      }
      await store.keepStanding(tx, rootId);
      await store.updateBatch(tx, batch.id, {
        state: 'matching',
        ...{ entries: BigInt(entries), removed: BigInt(removed), bad_rows: BigInt(bad) },
      });
      const words = [
        count(entries, 'entry', 'entries'),
        ...(removed > 0 ? [`${count(removed, 'entry', 'entries')} withdrawn`] : []),
        ...(bad > 0 ? [`${count(bad, 'row', 'rows')} not understood`] : []),
      ];
      await note(tx, rootId, `Loaded ${batch.name}: ${words.join(', ')}.`, bad > 0);
    });
    await files.remove(fileOf(batch));
  }

  /** Finds whom the lists mean and deletes them, in steps. Returns how many entries somebody had. */
  async function match(rootId: string): Promise<number> {
    await inRoot(rootId, async (tx) => {
      await store.accountOf(tx, rootId, true);
      await store.findMatches(tx, rootId);
    });
    let done = 0;
    for (;;) {
      const step = await inRoot(rootId, async (tx) => {
        await store.accountOf(tx, rootId, true);
        const next = await store.nextMatches(tx, rootId, PEOPLE_STEP);
        const settled = [];
        for (const { list, drop_id, people } of next) {
          await privacy.fulfillFor(tx, rootId, people.length === 1 ? 'delete' : 'opt_out', people);
          settled.push({ list, drop_id, status: policy.statusOf(people.length) });
        }
        if (settled.length > 0) await store.settle(tx, rootId, settled);
        return settled.length;
      });
      if (step === 0) return done;
      done += step;
    }
  }

  /** Settles a batch: what nobody has is not found. */
  async function settle(rootId: string, batch: store.BatchRow): Promise<void> {
    await inRoot(rootId, async (tx) => {
      await store.accountOf(tx, rootId, true);
      await store.settleRest(tx, batch);
      const by = await store.statuses(tx, batch);
      const [deleted, opted, missing] = [by.get(3) ?? 0n, by.get(4) ?? 0n, by.get(5) ?? 0n];
      await store.updateBatch(tx, batch.id, {
        state: 'answering',
        ...{ deleted, opted_out: opted, not_found: missing },
      });
      await note(
        tx,
        rootId,
        `Matched ${batch.name}: ${count(deleted, 'entry', 'entries')} deleted, ${count(opted, 'opted out', 'opted out')}, ${count(missing, 'not found', 'not found')}.`,
      );
    });
  }

  /**
   * Sends the answers of the open batch, or corrections of earlier ones, file by file. A file's name and rows are the same
   * when it is sent again, so that the service knows it. Returns how many files were sent.
   */
  async function answer(rootId: string, service: DeletionPlatform, amend: boolean): Promise<number> {
    for (let sent = 0; ; sent++) {
      const next = await inRoot(rootId, async (tx) => {
        const rows = await store.unanswered(tx, rootId, amend, ANSWER_STEP);
        const batch = rows[0] && (await store.batchById(tx, rows[0].batch_id));
        return batch && { rows, batch };
      });
      if (!next) return sent;
      const { rows, batch } = next;
      const list = DROP_LISTS[rows[0]!.list - 1]!;
      const part = (amend ? batch.amended : batch.parts) + 1;
      const file: DropFile = {
        name: policy.answerName(batch.name, list, part, amend),
        text: policy.answerText(rows),
      };
      const told = await service.answer([file], amend);
      if (told === 'later') return sent;
      const { accepted, rejected } = told;
      if (!accepted.includes(file.name))
        throw new DropFault(
          `The service refused ${file.name}: ${rejected[0]?.why ?? 'no reason'}`.slice(0, 400),
        );
      await inRoot(rootId, async (tx) => {
        await store.accountOf(tx, rootId, true);
        // Another run may have sent the same file meanwhile.
        const current = await store.batchById(tx, batch.id);
        if (!current || (amend ? current.amended : current.parts) !== part - 1) return;
        await store.noteAnswers(tx, rootId, rows);
        await store.updateBatch(tx, batch.id, amend ? { amended: part } : { parts: part });
        await note(
          tx,
          rootId,
          `${amend ? 'Corrected' : 'Answered'} ${count(rows.length, 'entry', 'entries')}: ${file.name}.`,
        );
      });
    }
  }

  async function complete(rootId: string, batch: store.BatchRow): Promise<void> {
    await inRoot(rootId, async (tx) => {
      await store.updateBatch(tx, batch.id, { state: 'complete', completed_at: clock.now() });
      await note(tx, rootId, `Completed ${batch.name}.`);
    });
  }

  /** Takes the open batch as far as it goes. Returns whether one is still open. */
  async function advance(rootId: string, account: store.AccountRow): Promise<void> {
    for (;;) {
      const batch = await inRoot(rootId, (tx) => store.openBatch(tx, rootId));
      if (!batch) return;
      if (batch.state === 'loading') await load(rootId, batch);
      else if (batch.state === 'matching') {
        await match(rootId);
        await settle(rootId, batch);
      } else {
        await answer(rootId, await reach(rootId, account), false);
        await complete(rootId, batch);
      }
    }
  }

  /** Until when the lists must be accessed, or the open download dealt with. */
  const dueOf = (account: store.AccountRow, batch: { due_at: Date } | undefined): Date =>
    batch?.due_at ?? policy.dueAfter(account.accessed_at ?? account.created_at);

  /** Warns the root's owners by email, once a day, while a deadline is near or past. */
  async function warn(rootId: string): Promise<void> {
    const now = clock.now();
    const due = await inRoot(rootId, async (tx) => {
      const account = await store.accountOf(tx, rootId);
      if (account?.mode !== 'live') return null;
      const at = dueOf(account, await store.openBatch(tx, rootId));
      return policy.warns(at, account.warned_at, now) ? at : null;
    });
    if (!due) return;
    const brand = await tenants.mailBrand(rootId);
    const host = (await tenants.primaryHost(rootId)) ?? '';
    const sender = { ...brand, host };
    await inRoot(rootId, async (tx) => {
      const account = await store.accountOf(tx, rootId, true);
      if (!account || !policy.warns(due, account.warned_at, now)) return;
      await store.updateAccount(tx, rootId, { warned_at: now });
      const isLate = policy.urgencyOf(due, now) === 'late';
      const day = due.toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });
      for (const owner of await store.ownersOf(tx, rootId))
        await mail.enqueue(tx, {
          ...layOut(
            sender,
            {
              subject: isLate
                ? 'California’s deletion lists are overdue'
                : 'California’s deletion lists are due soon',
              lines: [
                `Hello ${mailName(owner.name)},`,
                isLate
                  ? `California’s deletion lists had to be processed by ${day}.`
                  : `California’s deletion lists must be processed by ${day}.`,
                ...(account.last_error ? [`The last attempt failed: ${account.last_error}`] : []),
                'The state of all downloads is under Privacy Requests, California DROP.',
              ],
              action: {
                label: 'Open Privacy Requests',
                url: `https://${host}/configuration/privacy-requests?tab=drop`,
              },
            },
            `you are an owner of ${sender.name}`,
          ),
          kind: 'drop.warning',
          owner: ownerOf(rootId),
          to: { name: owner.name, address: owner.email },
          sender,
        });
    });
  }

  /**
   * Does whatever is due for a root: finishes the open download, matches everything in force again, corrects answers, and
   * asks for a new download. A fault of the service is noted, and tried again later. `now`: also before its time.
   */
  async function run(rootId: string, { now: early = false } = {}): Promise<void> {
    const account = await inRoot(rootId, (tx) => store.accountOf(tx, rootId));
    if (!account) return;
    if (!early && account.again_at && account.again_at > clock.now()) return;
    try {
      await advance(rootId, account);
      // People who came since: whoever was not found may be in the graph now, and who was deleted may be back.
      const found = await match(rootId);
      if (found > 0)
        await inRoot(rootId, (tx) =>
          note(
            tx,
            rootId,
            `${count(found, 'entry of an earlier list was', 'entries of earlier lists were')} found and dealt with.`,
          ),
        );
      await answer(rootId, await reach(rootId, account), true);
      await download(rootId, account);
      await advance(rootId, account);
    } catch (error) {
      const isTheirs = error instanceof DropFault || error instanceof ArchiveFault;
      const words = isTheirs ? error.message : 'Something failed here. It is tried again.';
      await inRoot(rootId, async (tx) => {
        const known = await store.accountOf(tx, rootId, true);
        const now = clock.now();
        const wait = error instanceof DropFault ? error.againS : 3600;
        await store.updateAccount(tx, rootId, {
          failing_since: known?.failing_since ?? now,
          last_error: words,
          again_at: new Date(now.getTime() + wait * 1000),
        });
        if (known?.last_error !== words) await note(tx, rootId, words, true);
      });
      if (!isTheirs) throw error;
    }
  }

  const state = (ctx: Ctx) =>
    inScope(db.app, ctx.scope, async (tx) => {
      const { rootId } = ctx.scope;
      const now = clock.now();
      const account = await store.accountOf(tx, rootId);
      const open = await store.openBatch(tx, rootId);
      const due = account && account.mode === 'live' ? dueOf(account, open) : null;
      return {
        mode: account?.mode ?? null,
        has_key: Boolean(account?.key_sealed),
        accessed_at: account?.accessed_at?.toISOString() ?? null,
        again_at: account?.again_at?.toISOString() ?? null,
        due_at: due?.toISOString() ?? null,
        urgency: due && policy.urgencyOf(due, now),
        failing_since: account?.failing_since?.toISOString() ?? null,
        last_error: account?.last_error ?? null,
        standing: DROP_LISTS.map((list) => ({
          list,
          entries: account?.standing[policy.listNumber(list)] ?? 0,
        })),
        batches: (await store.batches(tx, rootId, 100)).map((batch) => ({
          id: batch.id,
          name: batch.name,
          state: batch.state as DropState,
          entries: Number(batch.entries),
          removed: Number(batch.removed),
          bad_rows: Number(batch.bad_rows),
          deleted: Number(batch.deleted),
          opted_out: Number(batch.opted_out),
          not_found: Number(batch.not_found),
          amended: batch.amended,
          downloaded_at: batch.downloaded_at.toISOString(),
          due_at: batch.due_at.toISOString(),
          completed_at: batch.completed_at?.toISOString() ?? null,
        })),
        events: (await store.events(tx, rootId, 50)).map((one) => ({ ...one, at: one.at.toISOString() })),
      };
    });

  return {
    run,
    warn,
    state,

    /**
     * Chooses where the lists come from. Everything that came from a test service is deleted when another one is chosen;
     * California's own lists cannot be given up. @throws Refusal 409, 422
     */
    async setUp(ctx: Ctx, given: { mode: DropMode; key: string }) {
      const { rootId } = ctx.scope;
      await inScope(db.app, ctx.scope, async (tx) => {
        const known = await store.accountOf(tx, rootId, true);
        if (known?.mode === 'live' && given.mode !== 'live')
          throw new Refusal('conflict', 'California’s lists stay in force. Only the key can be changed.');
        const isOther = known?.mode !== given.mode;
        const sealed = given.key ? vault.seal(given.key, KEY_PURPOSE) : isOther ? null : known?.key_sealed;
        if (given.mode !== 'simulated' && !sealed) throw refusalOf('key', 'is required');
        if (known && isOther) {
          for (const [list, kind] of Object.entries(EXCLUDES) as [DropList, 'email' | 'phone'][])
            for (let after = ''; ; ) {
              const step = await store.hashesAfter(tx, rootId, policy.listNumber(list), after, CLEAR_STEP);
              if (step.length === 0) break;
              const hashes = step.map((row) => row.hash);
              await exclusions.standHashes(tx, rootId, { kind, hashes, isRemoved: true });
              after = step.at(-1)!.drop_id;
            }
          await store.clear(tx, rootId);
        }
        const fresh = { accessed_at: null, warned_at: null, created_at: clock.now(), standing: '{}' };
        await store.keepAccount(tx, {
          ...ownerOf(rootId),
          mode: given.mode,
          key_sealed: given.mode === 'simulated' ? null : (sealed ?? null),
          ...{ again_at: null, failing_since: null, last_error: null },
          ...(isOther ? fresh : { created_at: known.created_at }),
        });
        await note(tx, rootId, `Lists come from ${SOURCES[given.mode]}.`);
        await audit.record(tx, ctx, {
          action: 'privacy.drop',
          objectKind: 'company',
          objectId: rootId,
          description: `Set where deletion lists come from: ${SOURCES[given.mode]}${given.key ? ', with a new key' : ''}`,
        });
      });
      return state(ctx);
    },

    /** Uses the simulated lists and runs them once (demo data). */
    async trySandbox(rootId: string): Promise<void> {
      await inRoot(rootId, (tx) =>
        store.keepAccount(tx, {
          ...ownerOf(rootId),
          ...{ mode: 'simulated', key_sealed: null, accessed_at: null, again_at: null, failing_since: null },
          ...{ last_error: null, warned_at: null, created_at: clock.now() },
        }),
      );
      await run(rootId);
    },

    /** Starts a run now. @throws Refusal 409 before anything is set up */
    async start(ctx: Ctx): Promise<void> {
      const { rootId } = ctx.scope;
      await inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.accountOf(tx, rootId)))
          throw new Refusal('conflict', 'Choose first where the lists come from.');
        await store.updateAccount(tx, rootId, { again_at: null });
        await jobs.send(tx, runJob, [{ rootId }]);
        await audit.record(tx, ctx, {
          action: 'privacy.drop_run',
          objectKind: 'company',
          objectId: rootId,
          description: 'Started a check of the deletion lists',
        });
      });
    },

    /** The hourly check of a root. Simulated lists are only asked for by hand. */
    async sweep(rootId: string): Promise<void> {
      await warn(rootId);
      const account = await inRoot(rootId, (tx) => store.accountOf(tx, rootId));
      if (!account || account.mode === 'simulated') return;
      if (account.again_at && account.again_at > clock.now()) return;
      await inRoot(rootId, (tx) => jobs.send(tx, runJob, [{ rootId }]));
    },

    async work(): Promise<void> {
      await jobs.work(runJob, {}, ({ rootId }) => run(rootId));
      await jobs.work(sweepJob, { pollingIntervalSeconds: 60 }, () =>
        tenants.eachRoot((rootId) => this.sweep(rootId)),
      );
      await jobs.schedule(sweepJob, '17 * * * *', {});
    },
  };
}
