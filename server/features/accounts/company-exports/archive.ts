import { createHash, type Hash, hash } from 'node:crypto';
import { TAR_END, tarFile } from '../../../platform/tar.ts';
import type { Subject } from './store.ts';

/** The version of the format (docs/export-format.md): readers refuse one that they do not know. */
export const FORMAT = { format: 'company-export', version: 1 } as const;

/** A part of a table, or a file, as the manifest lists it. */
export interface Part {
  name: string;
  bytes: number;
  sha256: string;
}

export interface TableInManifest {
  name: string;
  rows: number;
  bytes: number;
  /** Of all its rows in a row, across parts. */
  sha256: string;
  columns: string[];
  /** Rows that are missing because their people are on an exclusion list by now. */
  withheld: number;
  parts: (Part & { rows: number })[];
  files: Part[];
}

/** The last file of an archive: what all others are. */
export interface Manifest {
  format: typeof FORMAT.format;
  version: number;
  made_at: string;
  subject: Subject & { name: string };
  tables: TableInManifest[];
}

/** What a table is read from. */
export interface Source {
  name: string;
  columns: string[];
  /** Its rows as lines of JSON, each with its line feed, some at a time, and how many they are. */
  rows: () => AsyncIterable<{ text: Buffer; rows: number; withheld: number }>;
  files?: (() => AsyncIterable<{ id: string; bytes: Uint8Array }>) | undefined;
}

/** A part ends with what brings it to this length. It has to be in memory, since its length comes first. */
export const PART_BYTES = 4 * 1024 * 1024;
/** What a part is given at once: the less memory is allocated, the less often everything else is searched for garbage. */
const USUAL_BYTES = PART_BYTES + 256 * 1024;

const README = `This archive holds the data of one company as lists of JSON rows, one file or more for each table, in the
folder "tables". Images and signed agreements are in the folder "files". manifest.json names every file with its size
and its SHA-256, and has to be read to tell whether the archive is complete.
`;

/**
 * An archive, in pieces, as a tar file: tables in their order, each in parts, then its files, and the manifest at the
 * end, so that an archive that was cut off is recognized by not having one. Nothing but the current part is in memory.
 * @param told receives the manifest once it is written
 */
export async function* archive(
  head: { subject: Manifest['subject']; at: Date },
  sources: readonly Source[],
  told: (manifest: Manifest) => void,
): AsyncGenerator<Buffer> {
  const tables: TableInManifest[] = [];
  const part = newPart();
  yield* tarFile('README.txt', Buffer.from(README), head.at);
  for (const source of sources) {
    const table: TableInManifest = {
      name: source.name,
      rows: 0,
      bytes: 0,
      sha256: '',
      columns: source.columns,
      withheld: 0,
      parts: [],
      files: [],
    };
    const whole = createHash('sha256');
    for await (const { text, rows, withheld } of source.rows()) {
      table.withheld += withheld;
      part.add(text, rows);
      if (part.bytes >= PART_BYTES) yield* ended(part, table, whole, head.at);
    }
    if (part.rows > 0) yield* ended(part, table, whole, head.at);
    table.sha256 = whole.digest('hex');
    for await (const { id, bytes } of source.files?.() ?? []) {
      const name = `files/${table.name}/${id}`;
      table.files.push({ name, bytes: bytes.length, sha256: hash('sha256', bytes) });
      yield* tarFile(name, bytes, head.at);
    }
    tables.push(table);
  }
  const manifest: Manifest = { ...FORMAT, made_at: head.at.toISOString(), subject: head.subject, tables };
  yield* tarFile('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`), head.at);
  yield TAR_END;
  told(manifest);
}

const newPart = () => {
  let held = Buffer.alloc(0);
  const part = {
    rows: 0,
    bytes: 0,
    /** Copied at once: what is read holds far more memory than its few lines, and would be collected late. */
    add(text: Buffer, rows: number): void {
      const end = part.bytes + text.length;
      if (end > held.length) {
        const more = Buffer.allocUnsafeSlow(Math.max(held.length === 0 ? USUAL_BYTES : 2 * held.length, end));
        held.copy(more, 0, 0, part.bytes);
        held = more;
      }
      text.copy(held, part.bytes);
      part.rows += rows;
      part.bytes = end;
    },
    take(): Buffer {
      const isLarge = part.bytes > held.length / 2;
      const content = isLarge ? held.subarray(0, part.bytes) : Buffer.from(held.subarray(0, part.bytes));
      if (isLarge) held = Buffer.alloc(0);
      part.rows = 0;
      part.bytes = 0;
      return content;
    },
  };
  return part;
};

function ended(part: ReturnType<typeof newPart>, table: TableInManifest, whole: Hash, at: Date): Buffer[] {
  const { rows } = part;
  const content = part.take();
  whole.update(content);
  const number = String(table.parts.length + 1).padStart(6, '0');
  const name = `tables/${table.name}/${number}.ndjson`;
  table.rows += rows;
  table.bytes += content.length;
  table.parts.push({ name, rows, bytes: content.length, sha256: hash('sha256', content) });
  return tarFile(name, content, at);
}
