const BLOCK = 512;
const MOST_NAME = 100;

/** A number in octal, as headers have it: `width` characters with the one that ends it. */
const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

/**
 * One file of a tar archive (POSIX ustar): its header, its content, and what fills its last block. The archive is all
 * files in a row, followed by `TAR_END`.
 * @param name relative, ASCII, at most 100 characters
 */
export function tarFile(name: string, content: Uint8Array, at: Date): Buffer[] {
  if (!/^[\w.-][\w./-]*$/.test(name) || name.length > MOST_NAME)
    throw new Error(`not a name of a file: ${name}`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 'latin1');
  header.write(octal(0o644, 8), 100, 'latin1');
  header.write(octal(0, 8), 108, 'latin1');
  header.write(octal(0, 8), 116, 'latin1');
  header.write(octal(content.length, 12), 124, 'latin1');
  header.write(octal(Math.floor(at.getTime() / 1000), 12), 136, 'latin1');
  header.write('        0', 148, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const rest = (BLOCK - (content.length % BLOCK)) % BLOCK;
  return [header, Buffer.from(content.buffer, content.byteOffset, content.length), Buffer.alloc(rest)];
}

/** What ends a tar archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);
