import { compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { Refusal } from '../../../../contract/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import * as store from './store.ts';

type Purpose = 'access' | 'body';
type Key = Awaited<ReturnType<typeof importJWK>>;
interface KeyPair {
  kid: string;
  publicJwk: JWK;
  publicKey: Key;
  privateKey: Key;
}

const ALGORITHM = { access: 'EdDSA', body: 'ECDH-ES' } as const;

/**
 * The installation's own key pairs: one signs access tokens (EdDSA), one opens request bodies (ECDH-ES). Made on first
 * use, private halves sealed in the database, so that all processes share them.
 */
export function createKeys({ db, clock, vault }: Platform) {
  const loaded = new Map<Purpose, Promise<KeyPair[]>>();

  async function load(purpose: Purpose): Promise<KeyPair[]> {
    let rows = await store.keysOf(db.app, purpose);
    if (!rows.some((row) => !row.retired_at)) {
      const pair =
        purpose === 'access'
          ? await generateKeyPair('EdDSA', { extractable: true })
          : await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
      const kid = newId(clock.now());
      const publicJwk = {
        ...(await exportJWK(pair.publicKey)),
        kid,
        alg: ALGORITHM[purpose],
        use: purpose === 'access' ? 'sig' : 'enc',
      };
      await store.addKey(db.app, {
        kid,
        purpose,
        public_jwk: JSON.stringify(publicJwk),
        private_sealed: vault.seal(
          JSON.stringify(await exportJWK(pair.privateKey)),
          `signing_key.${purpose}`,
        ),
        created_at: clock.now(),
      });
      rows = await store.keysOf(db.app, purpose);
    }
    return Promise.all(
      rows.map(async (row) => ({
        kid: row.kid,
        publicJwk: row.public_jwk as JWK,
        publicKey: await importJWK(row.public_jwk as JWK, ALGORITHM[purpose]),
        privateKey: await importJWK(
          JSON.parse(vault.open(row.private_sealed, `signing_key.${purpose}`)),
          ALGORITHM[purpose],
        ),
      })),
    );
  }

  function pairs(purpose: Purpose): Promise<KeyPair[]> {
    let known = loaded.get(purpose);
    if (!known) {
      known = load(purpose);
      loaded.set(purpose, known);
      known.catch(() => loaded.delete(purpose));
    }
    return known;
  }

  return {
    /** The current signing key. */
    async signing(): Promise<KeyPair> {
      return (await pairs('access'))[0]!;
    },
    /** The key that checks a signature, by its id. */
    async checking(kid: string | undefined): Promise<Key | undefined> {
      return (await pairs('access')).find((pair) => pair.kid === kid)?.publicKey;
    },
    /** The public halves, as a JWK set. */
    async publicSet(): Promise<{ keys: Record<string, unknown>[] }> {
      return {
        keys: [...(await pairs('body')), ...(await pairs('access'))].map((pair) => ({ ...pair.publicJwk })),
      };
    },
    /** Opens a `dt` body. Every failure is the same 400, so that it reveals nothing (WIRE-02). */
    async openBody(dt: string): Promise<string> {
      const known = await pairs('body');
      try {
        const opened = await compactDecrypt(
          dt,
          async (header) => {
            const pair = known.find((one) => one.kid === header.kid) ?? (header.kid ? undefined : known[0]);
            if (!pair) throw new Error('unknown key');
            return pair.privateKey;
          },
          {
            keyManagementAlgorithms: ['ECDH-ES'],
            contentEncryptionAlgorithms: ['A256GCM'],
            maxDecompressedLength: 0,
          },
        );
        return new TextDecoder('utf-8', { fatal: true }).decode(opened.plaintext);
      } catch {
        throw new Refusal(
          'bad_request',
          'dt: the body cannot be decrypted. Get the key from /api/keys and try again.',
          {
            errors: { dt: ['cannot be decrypted'] },
          },
        );
      }
    },
  };
}
export type Keys = ReturnType<typeof createKeys>;
