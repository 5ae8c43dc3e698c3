import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { Refusal } from '../../../../contract/errors.ts';
import { readJson } from '../../../platform/http/json.ts';
import { EXPORTED, FORMAT, type Manifest, type Part } from '../company-exports/index.ts';
import { hasNul } from './rows.ts';

const BLOCK = 512;
const MB = 1024 * 1024;
/** Limits of what is read. Nothing longer than `PART` is ever in memory. */
export const LIMITS = {
  part: 12 * MB,
  file: 16 * MB,
  row: 8 * MB,
  /** Read in one piece: it names about 70,000 files, of 4 MB each. */
  manifest: 16 * MB,
  values: 400_000,
  entries: 500_000,
  /** How many times its own size an archive may unpack to. Rows of leads come to about 10. */
  ratio: 200,
  small: 64 * MB,
};

/** Why an archive is not imported: in words for whoever has the file. */
export class BadArchive extends Refusal {
  override name = 'BadArchive';
  constructor(why: string) {
    super('invalid', `The archive cannot be imported: ${why}.`, { errors: { file: [why] } });
  }
}

export interface ArchiveEntry {
  name: string;
  content: Buffer;
}

const NAME =
  /^(?:README\.txt|manifest\.json|tables\/[a-z0-9_]{1,63}\/\d{6}\.ndjson|files\/[a-z0-9_]{1,63}\/[0-9a-f-]{36})$/;

const most = (name: string): number =>
  name === 'manifest.json' ? LIMITS.manifest : name.startsWith('tables/') ? LIMITS.part : LIMITS.file;

/** The name, length, and kind of an entry, from its header. */
function readHeader(block: Buffer): { name: string; length: number } | null {
  if (block.every((byte) => byte === 0)) return null;
  const text = (from: number, to: number): string => {
    const part = block.subarray(from, to);
    const end = part.indexOf(0);
    return part.toString('latin1', 0, end === -1 ? part.length : end);
  };
  const octal = (from: number, to: number): number => {
    const digits = text(from, to).trim();
    return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : -1;
  };
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : block[i]!;
  if (octal(148, 156) !== sum) throw new BadArchive('it is damaged, or not a tar.gz file');
  const [name, kind, prefix] = [text(0, 100), block[156]!, text(345, 500)];
  // A link, a folder, or a path could lead elsewhere: an export has none.
  if ((kind !== 0 && kind !== 48) || prefix !== '' || !NAME.test(name))
    throw new BadArchive(`it has an entry that no export has (${JSON.stringify(name.slice(0, 60))})`);
  const length = octal(124, 136);
  if (length < 0 || length > most(name)) throw new BadArchive(`${name} is too large`);
  return { name, length };
}

/**
 * The entries of an archive, one at a time. Nothing is unpacked to the disk.
 * @throws BadArchive for anything that an export never has, and for what is cut off
 */
export async function* entriesOf(path: string, signal?: AbortSignal): AsyncGenerator<ArchiveEntry> {
  const { size } = await stat(path);
  const allowed = size * LIMITS.ratio + LIMITS.small;
  const source = createReadStream(path);
  const unpacked = source.pipe(createGunzip());
  source.on('error', (error) => unpacked.destroy(error));
  let [pending, waiting]: [Buffer[], number] = [[], 0];
  let [total, count, open, isOver] = [0, 0, null as { name: string; length: number } | null, false];
  const take = (length: number): Buffer => {
    const all = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
    pending = all.length > length ? [all.subarray(length)] : [];
    waiting = all.length - length;
    return all.subarray(0, length);
  };
  try {
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      total += piece.length;
      if (total > allowed) throw new BadArchive('it unpacks to far more than an export can');
      if (isOver) continue;
      pending.push(piece);
      waiting += piece.length;
      while (!isOver) {
        if (!open) {
          if (waiting < BLOCK) break;
          open = readHeader(take(BLOCK));
          if (!open) isOver = true;
          else if (++count > LIMITS.entries) throw new BadArchive('it has too many files');
        } else {
          const padded = Math.ceil(open.length / BLOCK) * BLOCK;
          if (waiting < padded) break;
          const { name, length } = open;
          open = null;
          yield { name, content: padded === 0 ? Buffer.alloc(0) : take(padded).subarray(0, length) };
        }
      }
    }
  } catch (error) {
    const code = String((error as { code?: unknown }).code ?? '');
    if (code === 'Z_BUF_ERROR') throw new BadArchive('it is cut off');
    if (code.startsWith('Z_')) throw new BadArchive('it is damaged, or not a tar.gz file');
    throw error;
  } finally {
    source.destroy();
    unpacked.destroy();
  }
  if (!isOver) throw new BadArchive('it is cut off');
}

const SHA = /^[0-9a-f]{64}$/;
const Sha = z.string().regex(SHA);
const Count = z.int().min(0);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
/**
 * A list of files. It ends at the first that is wrong: to collect what is wrong with millions of them would hold the
 * process and fill its memory.
 */
const filesWith = <Row extends Part>(more: readonly string[]) =>
  z.custom<Row[]>(
    (given) =>
      Array.isArray(given) &&
      given.every((one: unknown) => {
        if (typeof one !== 'object' || one === null) return false;
        const { name, bytes, sha256 } = one as Partial<Part>;
        return (
          Object.keys(one).length === 3 + more.length &&
          more.every((key) => isCount((one as Record<string, unknown>)[key])) &&
          typeof name === 'string' &&
          name.length <= 100 &&
          isCount(bytes) &&
          typeof sha256 === 'string' &&
          SHA.test(sha256)
        );
      }),
    'is not a list of files',
  );
const ManifestShape = z.strictObject({
  format: z.literal(FORMAT.format),
  version: z.literal(FORMAT.version),
  made_at: z.iso.datetime(),
  subject: z.strictObject({
    kind: z.enum(['agency', 'client']),
    companyId: z.uuid(),
    name: z.string().min(1).max(255),
  }),
  tables: z
    .array(
      z.strictObject({
        name: z.string().max(63),
        rows: Count,
        bytes: Count,
        sha256: Sha,
        columns: z.array(z.string().max(63)).max(500),
        withheld: Count,
        parts: filesWith<Part & { rows: number }>(['rows']),
        files: filesWith<Part>([]),
      }),
    )
    .max(1000),
});

/** The manifest, if it is one that this version can read. @throws BadArchive */
function readManifest(content: Buffer): Manifest {
  let given: unknown;
  try {
    const text = content.toString('utf8');
    given = hasNul(text) ? null : readJson(text, LIMITS.values);
  } catch {
    throw new BadArchive('its manifest.json is not JSON, or not that of a full export');
  }
  const { format, version } = (given ?? {}) as Partial<Manifest>;
  if (format !== FORMAT.format) throw new BadArchive('its manifest.json is not that of a full export');
  if (version !== FORMAT.version)
    throw new BadArchive(
      `its format has the version ${typeof version === 'number' ? version : 'unknown'}; this version reads ${FORMAT.version}`,
    );
  const read = ManifestShape.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new BadArchive(
      `its manifest.json is wrong at ${issue!.path.join('.') || 'its start'}: ${issue!.message}`,
    );
  }
  const order = new Map(EXPORTED.map((table, at) => [table.name, { table, at }]));
  let before = -1;
  for (const { name, columns } of read.data.tables) {
    const known = order.get(name);
    if (!known)
      throw new BadArchive(`it has the table ${name}, which this version does not know. Update first`);
    if (known.at <= before) throw new BadArchive(`its table ${name} is out of order`);
    before = known.at;
    const { table } = known;
    const columnsHere = new Set([
      ...table.columns,
      ...(read.data.subject.kind === 'agency' ? table.agencyOnly : []),
    ]);
    const strange = columns.find((one) => !columnsHere.has(one));
    if (strange !== undefined)
      throw new BadArchive(
        `its table ${name} has the column ${strange}, which this version does not know. Update first`,
      );
    if (new Set(columns).size < columns.length) throw new BadArchive(`its table ${name} has a column twice`);
  }
  return read.data as Manifest;
}

/** An archive that is whole: every file is there, as its manifest says, and nothing else. */
export interface Checked {
  manifest: Manifest;
  sha256: Buffer;
  bytes: number;
}

/**
 * Reads a whole archive once and holds every file against the manifest, before anything is imported.
 * @throws BadArchive
 */
export async function checkArchive(path: string, signal?: AbortSignal): Promise<Checked> {
  const found: { name: string; bytes: number; sha256: string; rows: number }[] = [];
  const wholes = new Map<string, ReturnType<typeof createHash>>();
  let manifest: Manifest | undefined;
  for await (const { name, content } of entriesOf(path, signal)) {
    if (manifest) throw new BadArchive(`${name} comes after manifest.json, which is always last`);
    if (name === 'manifest.json') manifest = readManifest(content);
    else if (name !== 'README.txt') {
      const [folder, table] = name.split('/');
      let rows = 0;
      if (folder === 'tables') {
        for (let at = 0; at < content.length; rows++) {
          const end = content.indexOf(10, at);
          if (end === -1) throw new BadArchive(`the last line of ${name} does not end`);
          if (end - at > LIMITS.row) throw new BadArchive(`line ${rows + 1} of ${name} is too long`);
          at = end + 1;
        }
        if (!wholes.has(table!)) wholes.set(table!, createHash('sha256'));
        wholes.get(table!)!.update(content);
      }
      found.push({ name, bytes: content.length, sha256: hash('sha256', content), rows });
    }
  }
  if (!manifest) throw new BadArchive('it has no manifest.json, so it is cut off or not a full export');
  const named = manifest.tables.flatMap(({ parts, files }) => [
    ...parts,
    ...files.map((one) => ({ ...one, rows: 0 })),
  ]);
  for (const [i, one] of found.entries()) {
    const said = named[i];
    if (said?.name !== one.name) throw new BadArchive(`${one.name} is not where manifest.json says`);
    if (said.bytes !== one.bytes || said.sha256 !== one.sha256 || said.rows !== one.rows)
      throw new BadArchive(`${one.name} is not what manifest.json says (its SHA-256 is ${one.sha256})`);
  }
  if (found.length < named.length) throw new BadArchive(`${named[found.length]!.name} is missing`);
  for (const table of manifest.tables) {
    const sum = (key: 'rows' | 'bytes') => table.parts.reduce((all, part) => all + part[key], 0);
    const whole = wholes.get(table.name)?.digest('hex') ?? hash('sha256', '');
    if (table.rows !== sum('rows') || table.bytes !== sum('bytes') || table.sha256 !== whole)
      throw new BadArchive(`manifest.json says something else of the table ${table.name} than of its parts`);
    const strange = [...table.parts, ...table.files].find(({ name }) => name.split('/')[1] !== table.name);
    if (strange) throw new BadArchive(`${strange.name} is not a file of the table ${table.name}`);
  }
  const sum = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    sum.update(piece);
    bytes += piece.length;
  }
  return { manifest, sha256: sum.digest(), bytes };
}
