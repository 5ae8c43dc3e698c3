const BLOCK = 512;
const MOST_NAME = 100;

/** A number in octal, as headers have it: `width` characters with the one that ends it. */
const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

const fill = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** What an archive has of a file, a folder, or a link. `target`: where the link points. */
export interface TarEntry {
  name: string;
  kind: 'file' | 'folder' | 'link';
  size: number;
  target?: string | undefined;
}

const KINDS = { file: '0', folder: '5', link: '2' } as const;

/** The header of a tar archive's entry (POSIX ustar). `name` and `target` have at most 100 characters, in ASCII. */
function headerOf({ name, kind, size, target = '' }: TarEntry, at: Date): Buffer {
  for (const one of [name, target])
    if (!/^[\x20-\x7e]*$/.test(one) || one.length > MOST_NAME)
      throw new Error(`not a name of a file: ${one}`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 'latin1');
  header.write(octal(kind === 'folder' ? 0o755 : 0o644, 8), 100, 'latin1');
  header.write(octal(0, 8), 108, 'latin1');
  header.write(octal(0, 8), 116, 'latin1');
  header.write(octal(size, 12), 124, 'latin1');
  header.write(octal(Math.floor(at.getTime() / 1000), 12), 136, 'latin1');
  header.write(`        ${KINDS[kind]}`, 148, 'latin1');
  header.write(target, 157, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/**
 * One file of a tar archive (POSIX ustar): its header, its content, and what fills its last block. The archive is all
 * files in a row, followed by `TAR_END`.
 * @param name relative, ASCII, at most 100 characters
 */
export function tarFile(name: string, content: Uint8Array, at: Date): Buffer[] {
  if (!/^[\w.-][\w./-]*$/.test(name)) throw new Error(`not a name of a file: ${name}`);
  return [
    headerOf({ name, kind: 'file', size: content.length }, at),
    Buffer.from(content.buffer, content.byteOffset, content.length),
    Buffer.alloc(fill(content.length)),
  ];
}

/** An entry whose content arrives in parts. If they are shorter than its size, zeros follow; if longer, the rest is cut. */
export async function* tarStream(
  entry: TarEntry,
  content: AsyncIterable<Buffer>,
  at: Date,
): AsyncGenerator<Buffer> {
  yield headerOf(entry, at);
  let left = entry.size;
  for await (const part of content) {
    if (left === 0) break;
    const used = part.subarray(0, left);
    left -= used.length;
    yield used;
  }
  for (; left > 0; left -= Math.min(left, 65_536)) yield Buffer.alloc(Math.min(left, 65_536));
  yield Buffer.alloc(fill(entry.size));
}

/** What ends a tar archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

/**
 * Reads an archive that this module made. The content of each entry must be read to its end before the next.
 * @throws Error if it ends early, or is not such an archive
 */
export async function* readTar(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<TarEntry & { content: AsyncIterable<Buffer> }> {
  const parts = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  /** Up to `most` bytes, and at least one. */
  async function some(most: number): Promise<Buffer> {
    while (held.length === 0) {
      const { value, done } = await parts.next();
      if (done) throw new Error('the archive ends early');
      held = value;
    }
    const got = held.subarray(0, most);
    held = held.subarray(got.length);
    return got;
  }
  async function* exactly(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      const got = await some(left);
      left -= got.length;
      yield got;
    }
  }
  async function whole(size: number): Promise<Buffer> {
    const got: Buffer[] = [];
    for await (const part of exactly(size)) got.push(part);
    return Buffer.concat(got);
  }
  for (;;) {
    const header = await whole(BLOCK);
    if (header.every((byte) => byte === 0)) {
      // The end is read as well: whoever made the source may still have something to say about it.
      await whole(BLOCK);
      while (!(await parts.next()).done);
      return;
    }
    const text = (from: number, to: number): string =>
      header.toString('latin1', from, to).replace(/\0[\s\S]*$/, '');
    const kind = (['file', 'folder', 'link'] as const).find((one) => KINDS[one] === text(156, 157));
    const size = Number.parseInt(text(124, 136), 8);
    if (!kind || !Number.isSafeInteger(size)) throw new Error('not an archive');
    yield { name: text(0, 100), kind, size, target: text(157, 257), content: exactly(size) };
    await whole(fill(size));
  }
}
