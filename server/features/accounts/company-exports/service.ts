import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import { EXPORT_KEPT_HOURS } from '../../../../contract/accounts/company-exports.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { type Client, inScopeWithClient } from '../../../platform/db/client.ts';
import { asRoot, inScope, type Scope, type Tx } from '../../../platform/db/scope.ts';
import { awaitsDisk, DISK_FULL, needRoom } from '../../../platform/disk.ts';
import { FileMissing } from '../../../platform/files.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut } from '../../../platform/mail-layout.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Exclusions } from '../../audience/exclusions/index.ts';
import type { Leads } from '../../campaigns/leads/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Audit } from '../audit/index.ts';
import type { Tenants } from '../tenants/index.ts';
import type { Users } from '../users/index.ts';
import { archive, type Manifest, type Source } from './archive.ts';
import * as store from './store.ts';
import { EXPORTED, type ExportedTable } from './tables.ts';

const Which = z.object({ rootId: z.uuid(), exportId: z.uuid() });
export type WhichExport = z.output<typeof Which>;

/** Makes the file of an export. */
export const makeJob = defineJob('exports.make', Which, {
  retryLimit: 20,
  retryDelay: 5,
  retryDelayMax: 300,
  expireInSeconds: 6 * 60 * 60,
});
/** Deletes the files of exports that have been kept for long enough. */
export const endJob = defineJob('exports.end', z.object({}));

const STARTS: LimitRule = { name: 'company-export.start', max: 20, base: 60, cap: 3600, window: 86_400 };
const LISTED = 20;
const STEP = 100;
const HOUR_MS = 3_600_000;
const HELD =
  'The server stopped twice while making this export, so it is on hold. Delete it, then start another.';

interface Running {
  signal?: AbortSignal;
  advanced?: () => void;
}
/** How much is written between looks at the free space of the disk. */
const LOOK_BYTES = 32 * 1024 * 1024;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
/** A file that was deleted after its row was read. */
const missingIfGone = (error: Error & { code?: string }): never => {
  if (error instanceof FileMissing || error.code === 'ENOENT') missing();
  throw error;
};
type ExportRow = NonNullable<Awaited<ReturnType<typeof store.exportById>>>;
const ownerOf = ({ root_id, agency_id, company_id }: ExportRow) => ({ root_id, agency_id, company_id });

export type CompanyExports = ReturnType<typeof createCompanyExports>;

/** Full exports of a client, or of an agency with its clients (docs/decisions/0475-company-exports.md). */
export function createCompanyExports(
  { config, db, clock, jobs, files, log }: Platform,
  deps: {
    audit: Audit;
    exclusions: Exclusions;
    leads: Leads;
    limits: Limits;
    mail: Mail;
    notices: Notices;
    tenants: Tenants;
    users: Users;
  },
) {
  const { audit, exclusions, leads, limits, mail, notices, tenants, users } = deps;

  /**
   * A table in the scope of whom the export is about, without people who are on an exclusion list by now. `listed`:
   * whether anyone can be.
   */
  function sourceOf(
    { tx, client, scope, listed }: { tx: Tx; client: Client; scope: Scope; listed: boolean },
    table: ExportedTable,
    subject: store.Subject,
  ): Source {
    async function* rows() {
      if (!table.lead || !listed) {
        for await (const found of store.copiedLinesOf(tx, client, table, subject))
          yield { ...found, withheld: 0 };
        return;
      }
      for await (const found of store.linesOf(tx, table, subject)) {
        const named = found.map(({ lead }) => lead);
        const out = await asRoot(tx, scope, () => leads.withheldIn(tx, scope.rootId, named));
        const kept = found.filter(({ lead }) => !out.has(lead));
        const text = Buffer.from(kept.map(({ line }) => `${line}\n`).join(''));
        yield { text, rows: kept.length, withheld: found.length - kept.length };
      }
    }
    return {
      name: table.name,
      columns: store.columnsOf(table, subject.kind),
      rows,
      files: table.file ? () => store.filesOf(tx, table, subject) : undefined,
    };
  }

  /** Writes an archive to a path; returns what is in it, its length, and its SHA-256. */
  async function write(row: ExportRow, name: string, path: string, more: Running) {
    const subject = { kind: row.company_kind, companyId: row.company_id };
    const scope: Scope = {
      rootId: row.root_id,
      agencyId: row.agency_id,
      ...(row.company_kind === 'client' ? { companyId: row.company_id } : {}),
      isSnapshot: true,
    };
    return inScopeWithClient(db, scope, async (tx, client) => {
      await store.readAtLength(tx);
      const owners = await store.listOwners(tx, subject);
      const listed = await asRoot(tx, scope, () => exclusions.anyInForce(tx, owners));
      let manifest: Manifest | undefined;
      let bytes = 0;
      const sum = createHash('sha256');
      const made = archive(
        { subject: { ...subject, name }, at: row.created_at },
        EXPORTED.map((table) => sourceOf({ tx, client, scope, listed }, table, subject)),
        (one) => {
          manifest = one;
        },
      );
      async function* watched() {
        for await (const piece of made) {
          more.signal?.throwIfAborted();
          yield piece;
        }
      }
      async function* measured(packed: AsyncIterable<Buffer>) {
        let sinceLook = 0;
        for await (const piece of packed) {
          sum.update(piece);
          bytes += piece.length;
          sinceLook += piece.length;
          if (sinceLook > LOOK_BYTES) {
            sinceLook = 0;
            await needRoom(config.dataDir);
            more.advanced?.();
          }
          yield piece;
        }
      }
      await pipeline(
        Readable.from(watched()),
        // The fastest level: a tenth less time for the whole, and a file that is a twentieth larger.
        createGzip({ level: 1, chunkSize: 256 * 1024 }),
        measured,
        createWriteStream(path),
      );
      return { manifest: manifest!, bytes: BigInt(bytes), sha256: sum.digest() };
    });
  }

  /**
   * An email to whoever started an export, with a link to the list where it is, never to the file. Looked up before the
   * transaction that sends it; undefined if that person is gone, or their company has no host.
   */
  async function announcement(
    row: ExportRow,
    name: string,
  ): Promise<((tx: Tx) => Promise<void>) | undefined> {
    const person = await inScope(db.app, { rootId: row.root_id }, (tx) => users.byId(tx, row.asked_by));
    if (!person || !(await tenants.primaryHost(person.agency_id ?? person.company_id))) return undefined;
    const owner = { root_id: row.root_id, agency_id: person.agency_id, company_id: person.company_id };
    const sender = await notices.sender(owner);
    const page = person.kind === 'root' ? '/configuration/agency-list' : '/configuration/client-management';
    return async (tx) => {
      await mail.enqueue(tx, {
        ...layOut(
          sender,
          {
            subject: `The full export of ${mailName(name)} is ready`,
            lines: [
              `You can download the full export of ${mailName(name)} for ${EXPORT_KEPT_HOURS} hours. Then it is deleted.`,
              row.company_kind === 'agency' && person.kind !== 'root'
                ? 'Open the list of clients and choose Full export.'
                : `Open the list and choose Full export from the menu of ${mailName(name)}.`,
            ],
            action: { label: 'Open the list', url: sender.site + page },
          },
          'you started this export',
        ),
        kind: 'company.export_ready',
        owner,
        to: { name: person.name, address: person.email },
        sender,
      });
    };
  }

  /**
   * Makes the file of an export. If an earlier run was cut off, it begins anew: all tables of a file are as of one moment.
   * Only a file that is complete gets its name.
   */
  async function make({ rootId, exportId }: WhichExport, more: Running = {}): Promise<void> {
    const begun = await inScope(db.app, { rootId }, async (tx) => {
      const row = await store.exportById(tx, exportId, true);
      if (row?.state !== 'queued' && row?.state !== 'making') return undefined;
      await store.updateExport(tx, exportId, { state: 'making', error: null });
      const company = await store.companyById(tx, row.company_id);
      return company && { row, company };
    });
    if (!begun) return log.info({ exportId }, 'export removed or claimed elsewhere');
    const file = `exports/${exportId}.tar.gz`;
    const path = files.pathOf(file);
    // Two runs of the same job (one was taken for dead) must not write into the same file.
    const unfinished = `${path}.${newId(clock.now())}.part`;
    try {
      await mkdir(dirname(path), { recursive: true });
      await needRoom(config.dataDir);
      const made = await write(begun.row, begun.company.name, unfinished, more);
      await rename(unfinished, path);
      await files.keep(file);
      const announce = await announcement(begun.row, begun.company.name);
      const isDone = await inScope(db.app, { rootId }, async (tx) => {
        const row = await store.exportById(tx, exportId, true);
        if (row?.state !== 'making') return false;
        const now = clock.now();
        await store.updateExport(tx, exportId, {
          state: 'ready',
          finished_at: now,
          expires_at: new Date(now.getTime() + EXPORT_KEPT_HOURS * HOUR_MS),
          file_path: file,
          bytes: made.bytes,
          sha256: made.sha256,
          tables: JSON.stringify(made.manifest.tables.map(({ name, rows }) => ({ name, rows }))),
        });
        await audit.recordSystem(tx, now, ownerOf(row), {
          action: 'company.export_ready',
          objectKind: 'company_export',
          objectId: exportId,
          description: `The full export of ${begun.company.name} is ready: SHA-256 ${made.sha256.toString('hex')}`,
        });
        await announce?.(tx);
        return true;
      });
      if (!isDone) await files.remove(file);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      if (awaitsDisk(error))
        await inScope(db.app, { rootId }, (tx) =>
          store.updateExport(tx, exportId, { error: DISK_FULL }),
        ).catch(() => {});
      throw error;
    }
  }

  /** Deletes the files of a root's exports that have been kept for long enough. */
  async function end(rootId: string): Promise<void> {
    for (;;) {
      const ended = await inScope(db.app, { rootId }, (tx) =>
        store.endedExports(tx, rootId, clock.now(), STEP),
      );
      for (const row of ended) {
        if (row.file_path) await files.remove(row.file_path);
        await inScope(db.app, { rootId }, (tx) =>
          store.updateExport(tx, row.id, { state: 'removed', file_path: null }),
        );
      }
      if (ended.length < STEP) return;
    }
  }

  jobs.hook(makeJob, {
    setAside: ({ rootId, exportId }) =>
      inScope(db.app, { rootId }, async (tx) => {
        const row = await store.exportById(tx, exportId, true);
        if (row?.state !== 'queued' && row?.state !== 'making') return;
        await store.updateExport(tx, exportId, { state: 'held', error: HELD });
      }),
    again: async (tx, { exportId }) => {
      if ((await store.exportById(tx, exportId, true))?.state !== 'held')
        throw new Refusal('conflict', 'You can only retry an export that is on hold.');
      await store.updateExport(tx, exportId, { state: 'queued', error: null });
    },
  });

  return {
    /** The newest exports of a company. @throws Refusal 404 */
    list: (ctx: Ctx, companyId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.companyById(tx, companyId))) missing();
        return store.exportsOf(tx, companyId, LISTED);
      }),

    /** Starts an export; returns its id. @throws Refusal 404, 409 if one is being made, 422 for too many, 429 */
    async start(ctx: Ctx, companyId: string): Promise<string> {
      await inScope(db.app, ctx.scope, async (tx) => (await store.companyById(tx, companyId)) ?? missing());
      await limits.take(STARTS, companyId);
      return inScope(db.app, ctx.scope, async (tx) => {
        const company = (await store.companyById(tx, companyId)) ?? missing();
        // One company's files must not fill the disk, nor one agency's exports hold up those of all others.
        await boundedBy(tx, 'fullExports', companyId, 'company_id');
        await boundedBy(tx, 'waitingExports', company.agency_id!, 'company_id');
        const now = clock.now();
        const id = newId(now);
        const owner = { root_id: company.root_id, agency_id: company.agency_id!, company_id: company.id };
        const isNew = await store.insertExport(tx, {
          ...owner,
          id,
          company_kind: company.kind as 'client',
          state: 'queued',
          asked_by: ctx.actor.userId,
          created_at: now,
        });
        if (!isNew) throw new Refusal('conflict', ownMessages.exportUnderWay);
        await jobs.send(tx, makeJob, [{ rootId: company.root_id, exportId: id }], {
          turn: company.agency_id!,
        });
        await audit.record(tx, ctx, {
          action: 'company.export',
          objectKind: 'company',
          objectId: company.id,
          description: `Started a full export of ${company.name}`,
          owner,
        });
        return id;
      });
    },

    /** Deletes an export, or stops making it. @throws Refusal 404 */
    async remove(ctx: Ctx, id: string): Promise<void> {
      const row = await inScope(db.app, ctx.scope, async (tx) => {
        const found = await store.exportById(tx, id, true);
        if (!found || found.state === 'removed') return missing();
        const company = await store.companyById(tx, found.company_id);
        await store.updateExport(tx, id, { state: 'removed', file_path: null });
        await audit.record(tx, ctx, {
          action: 'company.export_remove',
          objectKind: 'company',
          objectId: found.company_id,
          description: `Deleted a full export of ${company?.name ?? ''}`,
          owner: ownerOf(found),
        });
        return found;
      });
      if (row.file_path) await files.remove(row.file_path);
    },

    /**
     * The file of an export, opened for whoever must close it, its length, and what it is called. Once opened it can be
     * read to its end, even if it is deleted meanwhile.
     * @throws Refusal 404
     */
    async file(ctx: Ctx, id: string): Promise<{ handle: FileHandle; bytes: bigint; name: string }> {
      const found = await inScope(db.app, ctx.scope, async (tx) => {
        const row = await store.exportById(tx, id);
        if (row?.state !== 'ready' || !row.file_path || row.expires_at! <= clock.now()) return missing();
        return { row, company: (await store.companyById(tx, row.company_id)) ?? missing() };
      });
      const { row, company } = found;
      const words = company.name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')
        .slice(0, 60);
      return {
        handle: await files.get(row.file_path!).then(open).catch(missingIfGone),
        bytes: row.bytes!,
        name: `${words || row.company_kind}-export-${row.created_at.toISOString().slice(0, 10)}.tar.gz`,
      };
    },

    make,
    endAll: (): Promise<void> => tenants.eachRoot(end),

    /** Runs the jobs in this process. */
    async work(): Promise<void> {
      await jobs.work(makeJob, { pollingIntervalSeconds: 2 }, make);
      await jobs.work(endJob, { pollingIntervalSeconds: 30 }, () => tenants.eachRoot(end));
      await jobs.schedule(endJob, '20 * * * *', {});
    },
  };
}
