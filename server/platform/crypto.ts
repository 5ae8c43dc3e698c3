import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Thrown if a sealed value was made under an unknown key. */
export class SealError extends Error {
  override name = 'SealError';
}

/**
 * Envelope encryption for secrets at rest. Each value has its own data key, itself sealed under the key derived from
 * APP_KEY; the text form names that key, so that keys can be rotated: `v1.<key id>.<sealed data key>.<sealed value>`
 * (AES-256-GCM, base64url).
 */
export class Vault {
  readonly #keys = new Map<string, Buffer>();
  readonly #current: string;

  /** `previous` are former application keys, still able to open what was sealed under them. */
  constructor(appKey: Buffer, previous: Buffer[] = []) {
    for (const key of [...previous, appKey]) this.#keys.set(keyId(key), derive(key, 'vault'));
    this.#current = keyId(appKey);
  }

  /** Seals a text for one purpose (`context`, e.g. 'integration.secret'); only the same purpose opens it. */
  seal(text: string, context: string): string {
    const dataKey = randomBytes(32);
    return [
      'v1',
      this.#current,
      encrypt(this.#keys.get(this.#current)!, dataKey, context),
      encrypt(dataKey, Buffer.from(text), context),
    ].join('.');
  }

  /** Opens a sealed text. Throws if it was altered, sealed for another purpose, or its key is unknown. */
  open(sealed: string, context: string): string {
    const [version, id, dataKey, value] = sealed.split('.');
    const key = this.#keys.get(id ?? '');
    if (version !== 'v1' || !key || !dataKey || !value)
      throw new SealError('Sealed value cannot be decrypted with the current APP_KEY');
    return decrypt(decrypt(key, dataKey, context), value, context).toString();
  }

  /** Whether a value is sealed under the current key (otherwise: open and seal again). */
  isCurrent(sealed: string): boolean {
    return sealed.split('.')[1] === this.#current;
  }
}

/** Returns the short name of an application key, stored with values made under it to identify the key. */
export const keyId = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 8);

/** Derives a 32-byte key for one purpose from the application key. */
export function derive(appKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', appKey, '', purpose, 32));
}

/** HMAC-SHA256 of a text. */
export function mac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Creates a random token for a link or a download (256 bits, base64url), and the hash under which it is stored. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** The stored form of a token. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function encrypt(key: Buffer, plain: Buffer, context: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

function decrypt(key: Buffer, text: string, context: string): Buffer {
  const raw = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, raw.subarray(0, 12));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(raw.subarray(-16));
  return Buffer.concat([decipher.update(raw.subarray(12, -16)), decipher.final()]);
}
