// Loaded only when the first body is sealed, so that the first screen does not need it.
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';
import { importJWK } from 'jose/key/import';

/** The compact JWE of `body` as JSON for one public key of the server (ECDH-ES, A256GCM). */
export async function sealFor(jwk: Record<string, unknown>, body: unknown): Promise<string> {
  const key = await importJWK(jwk, 'ECDH-ES');
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(body)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: String(jwk.kid) })
    .encrypt(key);
}
