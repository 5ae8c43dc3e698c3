import { randomBytes } from 'node:crypto';
import { Refusal } from '../../../../contract/errors.ts';
import { inScope, type Scope, type Tx } from '../../../platform/db/scope.ts';
import { needRoom } from '../../../platform/disk.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import { lookUpOf, stemsOf, themesOf } from '../../audience/keywords/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Ledger } from '../../money/ledger/index.ts';
import type { Wallet } from '../../money/wallet/index.ts';
import type { Audit } from '../audit/index.ts';
import { EXPORTED, type Manifest, type TableInManifest } from '../company-exports/index.ts';
import { BadArchive, type Checked, checkArchive, entriesOf } from './archive.reader.ts';
import { type Comparison, Differences, type Shape, Side, sumReports, type TableReport } from './compare.ts';
import {
  Digest,
  hasNul,
  type IdColumns,
  type Ids,
  idsOf,
  isUuid,
  type JsonRow,
  keyOf,
  mapped,
  readRow,
  SAME,
} from './rows.ts';
import * as store from './store.ts';
import { DOCUMENT_KEYS, type Here, INSERTED, insertedTable } from './tables.ts';
import { faultOf } from './values.ts';

/** Where an archive is imported. */
export interface Target {
  rootId: string;
  /** The agency that receives a client. An agency comes under the root itself. */
  agencyId?: string | undefined;
}

export interface Options {
  /** What becomes of prepaid and wallet balances. */
  balances?: 'open' | 'none' | undefined;
  /** Imports once more what is here already, with ids of its own. */
  newIds?: boolean | undefined;
  /** Tries everything, and undoes it. */
  dryRun?: boolean | undefined;
  /** How many differences are named for each table. */
  mostDifferences?: number | undefined;
  signal?: AbortSignal | undefined;
  progress?: ((step: Progress) => void) | undefined;
  /** Runs at the end of the transaction that makes everything. */
  settled?: ((tx: Tx, result: ImportResult) => Promise<void>) | undefined;
}

export interface Progress {
  step: 'checking' | 'reading' | 'importing' | 'comparing';
  done: number;
  of: number;
  table?: string | undefined;
}

/** What someone has to do by hand, and why. */
export interface Todo {
  what: string;
  count: number;
  examples: string[];
}

export interface ImportResult {
  importId: string;
  isDone: boolean;
  resumedAt: number;
  name: string;
  kind: 'agency' | 'client';
  companyId: string;
  newIds: boolean;
  /** Rows by table: those that are in their table now, and those that stay documents. */
  tables: { name: string; inserted: number; documents: number; withheld: number }[];
  conflicts: Todo[];
  todo: Todo[];
  balances: {
    choice: 'open' | 'none' | null;
    archive: Record<string, string>;
    opened: Record<string, string>;
  };
  comparison: Comparison;
}

type ImportRow = NonNullable<Awaited<ReturnType<typeof store.importById>>>;

const BATCH = 500;
const NAMED = 20;
const DIFFERENCES = 20;
const MEMO = 'Opening balance of an imported company';
const MONTHS_13_MS = 400 * 86_400_000;
const POSTED = 50;
/** How long the rows of an import that was cut off wait for it to go on. */
const ABANDONED_MS = 30 * 86_400_000;

const fileOf = (table: string): string | undefined => EXPORTED.find(({ name }) => name === table)?.file;
/** How many bytes the rows and files of an archive have, as was checked. */
const unpackedOf = ({ tables }: Manifest): number =>
  tables.reduce((all, { bytes, files }) => files.reduce((sum, one) => sum + one.bytes, all + bytes), 0);
const manifestOf = (row: ImportRow): Manifest => row.manifest as unknown as Manifest;
const isPicture = (bytes: Buffer, type: string): boolean =>
  type === 'image/png'
    ? bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))
    : type === 'image/jpeg' && bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'));

/** A failure of the database over what a row has, in words: no such archive was made by an export. */
function unfit(error: unknown, table?: string): unknown {
  const {
    code = '',
    message = '',
    constraint,
  } = error as { code?: string; message?: string; constraint?: string };
  if (code === '23505')
    return new BadArchive(
      `a row ${table ? `of the table ${table} ` : ''}has a key that is taken${constraint ? ` (${constraint})` : ''}. If the company is here already, import it with new ids`,
    );
  // Also what is too long for an index.
  if (/^(22|23|54)/.test(code))
    return new BadArchive(
      table ? `a row of the table ${table} does not fit: ${message}` : `its rows do not fit: ${message}`,
    );
  return error;
}

export type CompanyImports = ReturnType<typeof createCompanyImports>;

/** Imports of full exports, and their comparison with what is here (docs/decisions/0472-company-imports.md). */
export function createCompanyImports(
  { config, db, clock, vault, log }: Platform,
  deps: { audit: Audit; campaigns: Campaigns; ledger: Ledger; wallet: Wallet },
  mustFit = needRoom,
) {
  const { audit, campaigns, ledger, wallet } = deps;
  const scopeOf = ({ rootId }: Target): Scope => ({ rootId });
  const ownedOf = ({ id, root_id, agency_id, company_id, company_kind }: ImportRow): store.Owned => ({
    id,
    root_id,
    agency_id,
    company_id,
    company_kind,
  });

  /** Reads and checks the archive, and the ids of its companies. */
  async function check(path: string, options: Options): Promise<Checked & { companies: string[] }> {
    options.progress?.({ step: 'checking', done: 0, of: 1 });
    const checked = await checkArchive(path, options.signal);
    const { subject, tables } = checked.manifest;
    const parts = new Set(tables.find(({ name }) => name === 'company')?.parts.map(({ name }) => name));
    const companies: string[] = [];
    const kinds: string[] = [];
    for await (const { name, content } of entriesOf(path, options.signal)) {
      if (!name.startsWith('tables/company/')) {
        if (name.startsWith('tables/')) break;
        continue;
      }
      if (!parts.has(name)) continue;
      for (const line of linesOf(content, name)) {
        const row = rowOf(line, name);
        if (!isUuid(row.id)) throw new BadArchive(`a row of ${name} has no id`);
        companies.push(row.id);
        kinds.push(row.kind as string);
        if ((row.id === subject.companyId) !== (row.kind === subject.kind))
          throw new BadArchive(`the company ${row.id} is not one of ${subject.name}`);
        if (row.id !== subject.companyId && row.kind !== 'client')
          throw new BadArchive(`the company ${row.id} is not a client`);
      }
    }
    if (!companies.includes(subject.companyId))
      throw new BadArchive('the company that it is about is not in it');
    return { ...checked, companies };
  }

  const linesOf = (content: Buffer, name: string): string[] => {
    const text = content.toString('utf8');
    if (text.includes('\ufffd') && !content.equals(Buffer.from(text)))
      throw new BadArchive(`${name} is not UTF-8`);
    return text === '' ? [] : text.slice(0, -1).split('\n');
  };
  const rowOf = (line: string, name: string): JsonRow => {
    try {
      return readRow(line);
    } catch {
      throw new BadArchive(`a line of ${name} is not a JSON object`);
    }
  };

  /** The import of an archive into a target: the one that was cut off, or a new one. */
  async function begin(target: Target, checked: Checked & { companies: string[] }, options: Options) {
    const { subject } = checked.manifest;
    const isClient = subject.kind === 'client';
    return inScope(db.app, scopeOf(target), async (tx) => {
      if (isClient && !target.agencyId)
        throw new Refusal('invalid', 'The archive is of a client. Say which agency receives it.');
      if (!isClient && target.agencyId)
        throw new Refusal(
          'invalid',
          'The archive is of an agency, which is imported under a root, not under an agency.',
        );
      if (target.agencyId && !(await store.agencyById(tx, target.agencyId)))
        throw new Refusal('not_found', 'This root has no such agency.');
      await store.deleteAbandoned(tx, target.rootId, new Date(clock.now().getTime() - ABANDONED_MS));
      const before = (await store.importsOf(tx, target.rootId, checked.sha256)).filter(
        (one) => !isClient || one.agency_id === target.agencyId,
      );
      const open = before.find(({ state }) => state !== 'done');
      if (open) return { row: open, isNew: false };
      const done = before[0];
      if (done && !options.newIds)
        throw new Refusal(
          'conflict',
          `This archive was imported on ${done.finished_at!.toISOString().slice(0, 10)}. Compare it, or import it once more with new ids.`,
        );
      const taken = await store.companiesThere(tx, checked.companies);
      const newIds = options.newIds || taken.length > 0;
      const now = clock.now();
      const id = newId(now);
      const companyId = newIds ? idsOf(id).one(subject.companyId) : subject.companyId;
      await store.insertImport(tx, {
        id,
        root_id: target.rootId,
        agency_id: target.agencyId ?? companyId,
        company_id: companyId,
        company_kind: subject.kind,
        name: subject.name,
        sha256: checked.sha256,
        new_ids: newIds,
        state: 'reading',
        manifest: JSON.stringify(checked.manifest),
        created_at: now,
      });
      return { row: (await store.importById(tx, id))!, isNew: true };
    });
  }

  const idsFor = (row: ImportRow): Ids => (row.new_ids ? idsOf(row.id) : SAME);
  const keyColumns = (table: string): readonly string[] =>
    insertedTable.get(table)?.key ?? DOCUMENT_KEYS[table] ?? ['id'];
  const idColumnsOf = (uuids: Map<string, string[]>, table: string): IdColumns => ({
    uuid: uuids.get(table) ?? [],
    texts: insertedTable.get(table)?.texts ?? [],
    ids: insertedTable.get(table)?.ids ?? [],
  });
  const uuidsOf = (tx: Tx, manifest: Manifest) =>
    store.uuidColumns(
      tx,
      manifest.tables.map(({ name }) => name),
    );

  /** A row of a part, held against the manifest. */
  function checkedRow(
    line: string,
    part: string,
    table: TableInManifest,
    companies: ReadonlySet<string>,
  ): JsonRow {
    if (hasNul(line)) throw new BadArchive(`a row of ${part} must not have a NUL character`);
    const row = rowOf(line, part);
    const wanted = table.name === 'company' ? table.columns : ['company_id', ...table.columns];
    const keys = Object.keys(row);
    const strange = keys.find((key) => !wanted.includes(key));
    if (strange !== undefined)
      throw new BadArchive(`a row of ${part} has the column ${JSON.stringify(strange.slice(0, 60))}`);
    const missing = wanted.find((key) => !(key in row));
    if (missing !== undefined) throw new BadArchive(`a row of ${part} has no ${missing}`);
    if (table.name !== 'company' && !companies.has(String(row.company_id)))
      throw new BadArchive(`a row of ${part} is of a company that the archive is not about`);
    return row;
  }

  /** How a row is kept until it is imported. */
  function staged(
    row: JsonRow,
    table: string,
    here: Here,
  ): { row: JsonRow; isDocument: boolean; kept: JsonRow | null } {
    const rules = insertedTable.get(table);
    if (!rules || rules.isDocument?.(row)) return { row, isDocument: true, kept: null };
    if (table === 'campaign_keyword') {
      const text = String(row.words);
      const add = { hash: String(lookUpOf(text)), stems: stemsOf(text).map(String), themes: themesOf(text) };
      return { row: { ...row, ...add }, isDocument: false, kept: null };
    }
    const changed = rules.change?.(row, here) ?? {};
    const kept = Object.fromEntries(
      Object.keys(changed)
        .filter((key) => key in row && JSON.stringify(row[key]) !== JSON.stringify(changed[key]))
        .map((key) => [key, row[key]!]),
    );
    return {
      row: { ...row, ...changed },
      isDocument: false,
      kept: Object.keys(kept).length > 0 ? kept : null,
    };
  }

  /** Reads the rows of an archive, a file of it in each transaction, from where an earlier run was cut off. */
  async function read(
    path: string,
    found: ImportRow,
    companies: readonly string[],
    options: Options,
  ): Promise<void> {
    const manifest = manifestOf(found);
    const ids = idsFor(found);
    const of = ownedOf(found);
    const known = new Set(companies);
    const tables = new Map(manifest.tables.map((table) => [table.name, table]));
    const numbers = new Map<string, number>();
    const total = manifest.tables.reduce((all, { parts, files }) => all + parts.length + files.length, 0);
    const uuids = await inScope(db.app, { rootId: found.root_id }, (tx) => uuidsOf(tx, manifest));
    let at = 0;
    for await (const { name, content } of entriesOf(path, options.signal)) {
      const [folder, table, file] = name.split('/');
      if (!table || !file) continue;
      const shape = tables.get(table)!;
      if (folder === 'tables') {
        const part = shape.parts.find((one) => one.name === name)!;
        const first = numbers.get(table) ?? 0;
        numbers.set(table, first + part.rows);
        if (at++ < found.parts_read) continue;
        const rows = linesOf(content, name).map((line) =>
          mapped(checkedRow(line, name, shape, known), idColumnsOf(uuids, table), ids),
        );
        await stage(of, table, name, rows, first, at);
      } else {
        if (at++ < found.parts_read) continue;
        await stageFile(of, table, name, ids.one(file), content, at);
      }
      options.progress?.({ step: 'reading', done: at, of: total, table });
    }
    await inScope(db.app, { rootId: found.root_id }, async (tx) => {
      const row = await store.importById(tx, found.id, true);
      if (row?.state === 'reading') await store.updateImport(tx, found.id, { state: 'read' });
    });
  }

  /** One transaction: the rows of a part, and that they are here. */
  async function part(of: store.Owned, at: number, work: (tx: Tx) => Promise<void>): Promise<void> {
    await inScope(db.app, { rootId: of.root_id }, async (tx) => {
      const row = await store.importById(tx, of.id, true);
      if (!row) throw new Refusal('conflict', 'The import is gone.');
      if (row.parts_read !== at - 1)
        throw new Refusal('conflict', 'The same archive is being imported by another process.');
      await work(tx);
      await store.updateImport(tx, of.id, { parts_read: at });
    });
  }

  const stage = (of: store.Owned, table: string, name: string, rows: JsonRow[], first: number, at: number) =>
    part(of, at, async (tx) => {
      const emails = table === 'user_account' ? rows.map((row) => String(row.email)) : [];
      const here: Here = {
        now: clock.now().toISOString(),
        newIds: Boolean((await store.importById(tx, of.id))?.new_ids),
        rootId: of.root_id,
        agencyId: of.agency_id,
        taken: new Set(emails.length > 0 ? await store.takenEmails(tx, of.root_id, emails) : []),
        siteKey: campaigns.newSiteKey,
        seal: (what, text) => vault.seal(text, what),
        secret: () => `whsec_${randomBytes(32).toString('base64')}`,
      };
      const key = keyColumns(table);
      for (let from = 0; from < rows.length; from += BATCH) {
        const made = rows.slice(from, from + BATCH).map((row, i) => {
          const { row: changed, isDocument, kept } = staged(row, table, here);
          const content = JSON.stringify(changed);
          // What is kept beside a row is compared, so it is held against the same rules.
          const fault = faultOf(table, changed, isDocument) ?? (kept && faultOf(table, kept));
          if (fault)
            throw new BadArchive(`row ${first + from + i + 1} of the table ${table} does not fit: ${fault}`);
          return {
            key: keyOf(row, key),
            number: first + from + i,
            // A company’s own row has none.
            companyId: isUuid(row.company_id) ? row.company_id : of.company_id,
            isDocument,
            content,
            kept: kept && JSON.stringify(kept),
          };
        });
        try {
          await store.stageRows(tx, of, table, made);
        } catch (error) {
          if ((error as { code?: string }).code === '23505')
            throw new BadArchive(`a row of ${name} is there twice`);
          throw unfit(error, table);
        }
      }
    });

  const stageFile = (of: store.Owned, table: string, name: string, key: string, bytes: Buffer, at: number) =>
    part(of, at, async (tx) => {
      if (!fileOf(table)) throw new BadArchive(`the table ${table} has no files, but there is ${name}`);
      if (table !== 'agreement_file') {
        const type = await store.typeOfFile(tx, of.id, table, key);
        if (type !== null && !isPicture(bytes, type))
          throw new BadArchive(`${name} is not a picture of its kind`);
      }
      if (!(await store.stageFile(tx, of.id, table, key, bytes)))
        throw new BadArchive(`${name} is the file of a row that is not in the archive`);
    });

  /** Makes the rows of an import: everything, in the transaction of its caller. */
  async function apply(tx: Tx, row: ImportRow, options: Options): Promise<Map<string, number>> {
    const of = ownedOf(row);
    const crooked = await store.crookedAccount(tx, row.id);
    if (crooked) throw new BadArchive(`the balance of the account ${crooked} is not the sum of its entries`);
    const manifest = manifestOf(row);
    const here = new Map(manifest.tables.map((table) => [table.name, table]));
    const inserted = new Map<string, number>();
    for (const [i, rules] of INSERTED.entries()) {
      const table = here.get(rules.name);
      if (!table) continue;
      options.signal?.throwIfAborted();
      options.progress?.({ step: 'importing', done: i, of: INSERTED.length, table: rules.name });
      const columns = new Set(table.columns.filter((column) => !rules.own.includes(column)));
      for (const column of rules.adds) columns.add(column);
      if (rules.name !== 'company') columns.add('company_id');
      try {
        for (const parent of rules.parents) {
          if (!columns.has(parent.column)) continue;
          if (parent.else === 'document') await store.keepStrays(tx, of, rules.name, parent, rules.adds);
          else {
            const key = await store.stray(tx, of, rules.name, parent);
            if (key !== null)
              throw new BadArchive(
                `row ${key} of the table ${rules.name} refers to a ${parent.table} that is not in the archive`,
              );
          }
        }
        if (rules.subject) {
          const key = await store.strangeSubject(tx, of, rules.name, rules.subject);
          if (key !== null)
            throw new BadArchive(`row ${key} of the table ${rules.name} is about someone else`);
        }
        const file = fileOf(rules.name);
        const count = await store.insertRows(tx, of, rules.name, [...columns], {
          file,
          inOrderOf: rules.inOrderOf,
        });
        inserted.set(rules.name, count);
      } catch (error) {
        throw unfit(error, rules.name);
      }
    }
    return inserted;
  }

  /** Opens the accounts of an imported company with what the archive says that they held. */
  async function openBalances(tx: Tx, row: ImportRow): Promise<void> {
    const at = clock.now();
    const { prepaid, lots } = await store.balancesOf(tx, row.id);
    const { root_id, agency_id } = row;
    for (let from = 0; from < prepaid.length; from += POSTED)
      await ledger.post(
        tx,
        prepaid.slice(from, from + POSTED).map((one) => {
          const owner = { root_id, agency_id, company_id: one.company_id };
          return {
            owner,
            kind: 'adjustment' as const,
            referenceId: one.campaign_id,
            campaignId: one.campaign_id,
            memo: MEMO,
            key: `import:${row.id}:${one.campaign_id}`,
            entries: [
              {
                account: { owner, kind: 'client_prepaid' as const, campaignId: one.campaign_id },
                amount: one.amount,
              },
              // It came in outside of this installation, as a payment that an agency enters by hand.
              {
                account: {
                  owner: { root_id, agency_id, company_id: agency_id },
                  kind: 'card_clearing' as const,
                },
                amount: -one.amount,
              },
            ],
          };
        }),
        at,
      );
    if (row.company_kind === 'client') return;
    for (const lot of lots) {
      if (lot.expires_at <= at) continue;
      if (lot.expires_at.getTime() > at.getTime() + MONTHS_13_MS)
        throw new BadArchive(`the wallet lot ${lot.id} would last for more than a year`);
      await wallet.carryOver(
        tx,
        {
          rootId: root_id,
          agencyId: agency_id,
          amountMicros: lot.amount,
          granted: lot.is_granted,
          expiresAt: lot.expires_at,
          key: lot.id,
          memo: MEMO,
        },
        at,
      );
    }
  }

  const shapeOf = (table: TableInManifest): Shape => {
    const own = insertedTable.get(table.name)?.own ?? [];
    const key = keyColumns(table.name);
    const columns = table.columns.filter((column) => !own.includes(column));
    return {
      columns: table.name === 'company' ? columns : ['company_id', ...columns],
      key: (row) => keyOf(row, key),
    };
  };

  /** Compares an archive with what its import has made, in one transaction. */
  async function compareIn(tx: Tx, path: string, row: ImportRow, options: Options): Promise<Comparison> {
    const manifest = manifestOf(row);
    const of = ownedOf(row);
    const ids = idsFor(row);
    const uuids = await uuidsOf(tx, manifest);
    const shapes = new Map(manifest.tables.map((table) => [table.name, shapeOf(table)]));
    const [archive, here] = [new Side(), new Side()];
    const adapted = new Map<string, number>();
    const documents = await store.documentsOf(tx, row.id);

    async function eachOfArchive(
      wanted: (table: string) => boolean,
      told: (table: string, one: JsonRow) => void,
    ) {
      for await (const { name, content } of entriesOf(path, options.signal)) {
        const [folder, table] = name.split('/');
        if (folder !== 'tables' || !wanted(table!)) continue;
        const columns = idColumnsOf(uuids, table!);
        for (const line of linesOf(content, name)) told(table!, mapped(rowOf(line, name), columns, ids));
      }
    }
    async function eachHere(table: TableInManifest, told: (one: JsonRow, isAdapted: boolean) => void) {
      const rules = insertedTable.get(table.name);
      const columns = shapes.get(table.name)!.columns.filter((column) => column !== 'company_id');
      for await (const rows of store.rowsHere(tx, of, table.name, columns, rules?.key ?? null)) {
        options.signal?.throwIfAborted();
        for (const { line, kept } of rows) {
          const overlay = kept ? readRow(kept) : null;
          told(overlay ? { ...readRow(line), ...overlay } : readRow(line), overlay !== null);
        }
      }
    }

    options.progress?.({ step: 'comparing', done: 0, of: manifest.tables.length + 1 });
    await eachOfArchive(
      () => true,
      (table, one) => archive.add(table, shapes.get(table)!, one),
    );
    for (const [i, table] of manifest.tables.entries()) {
      options.progress?.({
        step: 'comparing',
        done: i + 1,
        of: manifest.tables.length + 1,
        table: table.name,
      });
      await eachHere(table, (one, isAdapted) => {
        here.add(table.name, shapes.get(table.name)!, one);
        if (isAdapted) adapted.set(table.name, (adapted.get(table.name) ?? 0) + 1);
      });
    }

    const most = options.mostDifferences ?? DIFFERENCES;
    const tables: TableReport[] = [];
    for (const table of manifest.tables) {
      const { name } = table;
      const [a, h] = [archive.digests.get(name) ?? new Digest(), here.digests.get(name) ?? new Digest()];
      const report: TableReport = {
        name,
        rows: { archive: a.rows, here: h.rows },
        documents: documents.get(name) ?? 0,
        adapted: adapted.get(name) ?? 0,
        digest: { archive: a.hex, here: h.hex },
        isEqual: a.hex === h.hex && a.rows === h.rows,
        differences: [],
      };
      if (!report.isEqual && most > 0) {
        const shape = shapes.get(name)!;
        // A part of the keys at a time, so that not all rows of a large table are in memory.
        for (const part of a.unlike(h)) {
          if (report.differences.length >= most) break;
          const finding = new Differences(shape, most - report.differences.length);
          const isIn = (one: JsonRow): boolean => Digest.partOf(shape.key(one)) === part;
          await eachOfArchive(
            (one) => one === name,
            (_, one) => isIn(one) && finding.archive(one),
          );
          await eachHere(table, (one) => isIn(one) && finding.here(one));
          report.differences.push(...finding.end());
        }
      }
      tables.push(report);
    }
    const sums = sumReports(archive, here);
    return { isEqual: [...tables, ...sums].every((one) => one.isEqual), tables, sums };
  }

  const named = (list: string[]): string[] => list.slice(0, NAMED);

  /** What stands in the way, and what someone has to do by hand afterward. */
  async function findings(tx: Tx, row: ImportRow, inserted: Map<string, number>) {
    const conflicts: Todo[] = [];
    const todo: Todo[] = [];
    /** `one` goes after the number 1, `many` after any other. */
    const add = (list: Todo[], one: string, many: string, found: { count: number; examples: string[] }) =>
      found.count > 0 &&
      list.push({
        what: found.count === 1 ? one : many,
        count: found.count,
        examples: named(found.examples),
      });
    const parentId = row.company_kind === 'client' ? row.agency_id : row.root_id;
    const same = await store.namesakes(tx, parentId, row.name);
    if (same > 1)
      add(conflicts, 'company beside it has the same name', 'companies beside it have the same name', {
        count: same - 1,
        examples: [row.name],
      });
    const hosts = await store.takenHosts(tx, row.id);
    add(conflicts, 'host is in use here', 'hosts are in use here', { count: hosts.length, examples: hosts });
    add(
      conflicts,
      'person of this root already has the email of a user. The imported user is disabled, with a placeholder as email',
      'people of this root already have the emails of users. The imported users are disabled, with placeholders as emails',
      await store.placeholders(tx, ownedOf(row)),
    );
    add(
      todo,
      'user has no password. Invite them from the list of users',
      'users have no password. Invite them from the list of users',
      await store.withoutPassword(tx, ownedOf(row)),
    );
    add(
      todo,
      'connection to a service must be connected again',
      'connections to services must be connected again',
      await store.stopped(tx, ownedOf(row), 'connection', 'broken'),
    );
    add(
      todo,
      'destination is turned off. Enter addresses of webhooks again',
      'destinations are turned off. Enter addresses of webhooks again',
      await store.stopped(tx, ownedOf(row), 'integration', 'disabled'),
    );
    add(
      todo,
      'alert is off. Choose who is told',
      'alerts are off. Choose who is told',
      await store.stopped(tx, ownedOf(row), 'alert', 'off'),
    );
    add(
      todo,
      'campaign is paused. Check its price and pixel, then start it',
      'campaigns are paused. Check prices and pixels, then start them',
      await store.stopped(tx, ownedOf(row), 'campaign', 'paused'),
    );
    add(
      todo,
      'agency has embed code, which is not in use here. Enter it again after reading it',
      'agencies have embed code, which is not in use here. Enter it again after reading it',
      await store.withoutEmbed(tx, ownedOf(row)),
    );
    if (row.new_ids && inserted.get('campaign'))
      add(
        todo,
        'campaign has a new site key, since the old one is in use here. Replace the pixel on its site',
        'campaigns have new site keys, since the old ones are in use here. Replace the pixels on their sites',
        { count: inserted.get('campaign')!, examples: [] },
      );
    if (row.company_kind === 'agency')
      add(todo, 'agency needs a subdomain. Set it in the list of agencies', '', {
        count: 1,
        examples: [row.name],
      });
    return { conflicts, todo };
  }

  const texts = (sums: Map<string, bigint>): Record<string, string> =>
    Object.fromEntries([...sums].map(([kind, total]) => [kind, String(total)]));

  /** Makes everything of an import and compares it; undone again for a dry run, and if they differ. */
  async function settle(
    path: string,
    found: ImportRow,
    resumedAt: number,
    options: Options,
  ): Promise<ImportResult> {
    class Undone extends Error {}
    let result: ImportResult | undefined;
    try {
      await inScope(db.app, { rootId: found.root_id }, async (tx) => {
        await store.workAtLength(tx);
        const row = await store.importById(tx, found.id, true);
        if (row?.state !== 'read')
          throw new Refusal('conflict', 'The import was finished by another process.');
        const held = await store.balancesOf(tx, row.id);
        const sum = (list: { amount: bigint }[]) => list.reduce((all, one) => all + one.amount, 0n);
        const archive = new Map(
          (
            [
              ['client_prepaid', sum(held.prepaid)],
              ['agency_wallet', sum(held.lots)],
            ] as const
          ).filter(([, total]) => total > 0n),
        );
        const choice = options.balances ?? null;
        if (archive.size > 0 && choice === null && !options.dryRun)
          throw new Refusal(
            'invalid',
            'The archive has balances. Say whether they are opened here (open) or stay documents (none).',
          );
        const inserted = await apply(tx, row, options);
        const strange = await store.strangeBalance(tx, ownedOf(row), held.prepaid);
        if (strange !== null)
          throw new BadArchive(
            `a balance is of a campaign that is not its company’s in the archive (${strange})`,
          );
        if (choice === 'open') await openBalances(tx, row);
        await store.forgetInserted(tx, row.id);
        const comparison = await compareIn(tx, path, row, options);
        const documents = await store.documentsOf(tx, row.id);
        const now = clock.now();
        const isDone = !options.dryRun && comparison.isEqual;
        result = {
          importId: row.id,
          isDone,
          resumedAt,
          name: row.name,
          kind: row.company_kind,
          companyId: row.company_id,
          newIds: row.new_ids,
          tables: manifestOf(row).tables.map(({ name, withheld }) => ({
            name,
            inserted: inserted.get(name) ?? 0,
            documents: documents.get(name) ?? 0,
            withheld,
          })),
          ...(await findings(tx, row, inserted)),
          balances: { choice, archive: texts(archive), opened: texts(await store.heldNow(tx, ownedOf(row))) },
          comparison,
        };
        if (!isDone) throw new Undone();
        await store.updateImport(tx, row.id, {
          state: 'done',
          balances: choice ?? 'none',
          finished_at: now,
          result: JSON.stringify(result),
        });
        await options.settled?.(tx, result);
        await audit.recordSystem(
          tx,
          now,
          { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
          {
            action: 'company.import',
            objectKind: 'company',
            objectId: row.company_id,
            description: `Imported the ${row.company_kind} ${row.name} from a full export: SHA-256 ${row.sha256.toString('hex')}`,
          },
        );
      });
    } catch (error) {
      // Of documents, too, what is read, added up, or kept until the end may not fit. Trying again would not change that.
      if (!(error instanceof Undone)) throw unfit(error);
    }
    return result!;
  }

  return {
    /**
     * Imports an archive, or tries it. What was cut off goes on where it was. Nothing of it is visible until all of it is
     * there, and it is there only if it compares equal.
     * @throws BadArchive, Refusal 404, 409, 422
     */
    async import(path: string, target: Target, options: Options = {}): Promise<ImportResult> {
      const checked = await check(path, options);
      const { row, isNew } = await begin(target, checked, options);
      const resumedAt = isNew ? 0 : row.parts_read;
      try {
        // A small archive may unpack to 200 times its size, and all of it is kept until it is imported.
        if (row.state === 'reading' && row.parts_read === 0)
          await mustFit(config.dataDir, unpackedOf(checked.manifest));
        if (row.state === 'reading') await read(path, row, checked.companies, options);
        const result = await settle(path, row, resumedAt, options);
        // What was only tried leaves nothing behind, unless it is the rest of an import that was cut off.
        if (options.dryRun && isNew)
          await inScope(db.app, scopeOf(target), (tx) => store.deleteImport(tx, row.id));
        return result;
      } catch (error) {
        // What cannot be imported does not stay around.
        if (error instanceof BadArchive)
          await inScope(db.app, scopeOf(target), (tx) => store.deleteImport(tx, row.id)).catch(
            (failed: unknown) => log.error({ err: failed }, 'a refused import could not be discarded'),
          );
        throw error;
      }
    },

    /** Compares an archive with what its newest finished import has made. @throws BadArchive, Refusal 404 */
    async compare(
      path: string,
      target: Target,
      options: Options = {},
    ): Promise<{ row: ImportRow; comparison: Comparison }> {
      const checked = await check(path, options);
      return inScope(db.app, { ...scopeOf(target), isSnapshot: true }, async (tx) => {
        await store.workAtLength(tx);
        const row = (await store.importsOf(tx, target.rootId, checked.sha256)).find(
          (one) => one.state === 'done' && (!target.agencyId || one.agency_id === target.agencyId),
        );
        if (!row) throw new Refusal('not_found', 'This archive has not been imported here.');
        return { row, comparison: await compareIn(tx, path, row, options) };
      });
    },
  };
}
