import type { Sealer } from './transport.ts';

type Jwk = Record<string, unknown>;

/**
 * Seals bodies as `{ dt: <compact JWE> }` (WIRE-02). If the browser has no WebCrypto (plain http on another machine's
 * name) or the server has no key, the body is sent as is; the server accepts both.
 * @param keys fetches the server's public keys
 */
export function sealerOf(keys: () => Promise<{ keys: Jwk[] }>): Sealer {
  let key: Promise<Jwk | undefined> | undefined;
  return {
    async seal(body) {
      if (!globalThis.crypto?.subtle) return body;
      key ??= keys().then(
        (set) => set.keys.find((one) => one.use === 'enc'),
        (error: unknown) => {
          key = undefined;
          throw error;
        },
      );
      const jwk = await key;
      if (!jwk) return body;
      const { sealFor } = await import('./jwe.ts');
      return { dt: await sealFor(jwk, body) };
    },
    forget() {
      key = undefined;
    },
  };
}
