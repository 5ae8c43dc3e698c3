import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { derive, keyId, SealError } from './crypto.ts';

const MAGIC = Buffer.from('LEADSEAL1');
const ID = 8;
const SALT = 32;
const HEAD = MAGIC.length + ID + SALT;
const TAG = 16;
/** What one frame has of the text. */
const CHUNK = 256 * 1024;

const keyOf = (appKey: Buffer, salt: Buffer, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', derive(appKey, 'backups'), salt, name, 32));

/** Counts frames and marks the last one, so that none can be left out, moved, or cut off. */
function nonceOf(frame: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(frame));
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Cuts a stream into pieces of `size` bytes; only the last is smaller, and is empty if nothing is left. */
async function* cut(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const part of source) {
    held.push(part);
    length += part.length;
    if (length < size) continue;
    const all = Buffer.concat(held);
    let at = 0;
    for (; all.length - at >= size; at += size) yield all.subarray(at, at + size);
    held = [all.subarray(at)];
    length = all.length - at;
  }
  yield Buffer.concat(held);
}

/**
 * Encrypts a stream (AES-256-GCM in frames) under a key of its own, derived from the application key and from `name`:
 * under another name it does not open.
 */
export async function* sealStream(
  source: AsyncIterable<Buffer>,
  appKey: Buffer,
  name: string,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT);
  const key = keyOf(appKey, salt, name);
  yield Buffer.concat([MAGIC, Buffer.from(keyId(appKey)), salt]);
  let frame = 0;
  for await (const part of cut(source, CHUNK)) {
    const isLast = part.length < CHUNK;
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(frame++, isLast));
    yield Buffer.concat([cipher.update(part), cipher.final(), cipher.getAuthTag()]);
  }
}

/**
 * Decrypts what `sealStream` made under one of these application keys.
 * @throws SealError if none fits, or if it was altered, cut off, or made for another name
 */
export async function* openStream(
  source: AsyncIterable<Buffer>,
  appKeys: Buffer[],
  name: string,
): AsyncGenerator<Buffer> {
  let key: Buffer | undefined;
  let frame = 0;
  let isOpen = true;
  const bad = () => new SealError(`${name} was altered or is not complete`);
  async function* afterHead(): AsyncGenerator<Buffer> {
    let head: Buffer | undefined = Buffer.alloc(0);
    for await (const part of source) {
      if (!head) {
        yield part;
        continue;
      }
      head = Buffer.concat([head, part]);
      if (head.length < HEAD) continue;
      if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw bad();
      const id = head.toString('latin1', MAGIC.length, MAGIC.length + ID);
      const appKey = appKeys.find((one) => keyId(one) === id);
      if (!appKey)
        throw new SealError(
          `APP_KEY: ${name} is sealed with the key ${id}. Set that key, or put its app-key file in DATA_DIR.`,
        );
      key = keyOf(appKey, head.subarray(MAGIC.length + ID, HEAD), name);
      yield head.subarray(HEAD);
      head = undefined;
    }
  }
  for await (const part of cut(afterHead(), CHUNK + TAG)) {
    if (!key || !isOpen || part.length < TAG) throw bad();
    isOpen = part.length === CHUNK + TAG;
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(frame++, !isOpen));
    decipher.setAuthTag(part.subarray(-TAG));
    try {
      yield Buffer.concat([decipher.update(part.subarray(0, -TAG)), decipher.final()]);
    } catch {
      throw bad();
    }
  }
  if (isOpen) throw bad();
}
