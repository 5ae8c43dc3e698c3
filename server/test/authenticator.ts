import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Assertion, NewKey } from '../../contract/accounts/auth-passkeys.ts';

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();
const text64 = (bytes: Buffer): string => bytes.toString('base64url');

// Just enough CBOR for an attestation without a statement and an ES256 key.
const head = (major: number, n: number): Buffer =>
  n < 24
    ? Buffer.from([(major << 5) | n])
    : n < 256
      ? Buffer.from([(major << 5) | 24, n])
      : Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
const int = (n: number): Buffer => (n < 0 ? head(1, -1 - n) : head(0, n));
const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]);
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (...pairs: [Buffer, Buffer][]): Buffer => Buffer.concat([head(5, pairs.length), ...pairs.flat()]);

/** Ways to make an answer differ from a genuine one. */
interface Lies {
  origin?: string;
  host?: string;
  type?: string;
  /** Without user verification. */
  isUnverified?: boolean;
  counter?: number;
  userHandle?: string;
}

/**
 * A software authenticator with one ES256 key, as a browser at `origin` would present it (WebAuthn, attestation none).
 */
export class Authenticator {
  readonly id = randomBytes(32);
  readonly #origin: string;
  readonly #public: KeyObject;
  readonly #private: KeyObject;
  #userHandle = '';
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    ({ publicKey: this.#public, privateKey: this.#private } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
    }));
  }

  #clientData(type: string, challenge: string, lies: Lies): Buffer {
    const origin = lies.origin ?? this.#origin;
    return Buffer.from(JSON.stringify({ type: lies.type ?? type, challenge, origin, crossOrigin: false }));
  }

  /** The site the key is for, what was verified, and how often it was used. */
  #data(lies: Lies, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.counter ?? ++this.#counter);
    const host = lies.host ?? new URL(this.#origin).hostname;
    return Buffer.concat([sha256(host), Buffer.from([flags | 1 | (lies.isUnverified ? 0 : 4)]), counter]);
  }

  /** A new key, as an answer to a challenge. */
  create(options: { challenge: string; user?: { id: string } }, lies: Lies = {}): NewKey {
    this.#userHandle = options.user?.id ?? '';
    const { x = '', y = '' } = this.#public.export({ format: 'jwk' });
    const key = map(
      [int(1), int(2)],
      [int(3), int(-7)],
      [int(-1), int(1)],
      [int(-2), bytes(Buffer.from(x, 'base64url'))],
      [int(-3), bytes(Buffer.from(y, 'base64url'))],
    );
    const size = Buffer.from([0, this.id.length]);
    const authData = Buffer.concat([this.#data(lies, 64), Buffer.alloc(16), size, this.id, key]);
    const attestation = map(
      [text('fmt'), text('none')],
      [text('attStmt'), map()],
      [text('authData'), bytes(authData)],
    );
    return {
      id: text64(this.id),
      rawId: text64(this.id),
      type: 'public-key',
      response: {
        clientDataJSON: text64(this.#clientData('webauthn.create', options.challenge, lies)),
        attestationObject: text64(attestation),
        transports: ['internal'],
      },
    };
  }

  /** A signature, as an answer to a challenge. */
  get(options: { challenge: string }, lies: Lies = {}): Assertion {
    const authenticatorData = this.#data(lies, 0);
    const clientData = this.#clientData('webauthn.get', options.challenge, lies);
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), this.#private);
    return {
      id: text64(this.id),
      rawId: text64(this.id),
      type: 'public-key',
      response: {
        clientDataJSON: text64(clientData),
        authenticatorData: text64(authenticatorData),
        signature: text64(signature),
        ...(this.#userHandle ? { userHandle: lies.userHandle ?? this.#userHandle } : {}),
      },
    };
  }

  /** Answers a challenge that was never issued. */
  nothing = (): Assertion => this.get({ challenge: text64(randomBytes(32)) });
}
