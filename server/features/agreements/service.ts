import type { Owner } from '../../platform/db/owner.ts';
import type { Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import { type Document, isFor, requiredOf, VERSIONS } from './policy.ts';
import * as store from './store.ts';

export type Agreements = ReturnType<typeof createAgreements>;

/** Which documents a company has accepted. */
export function createAgreements() {
  return {
    isFor,
    requiredOf,
    versionOf: (document: Document): string => VERSIONS[document],
    /** The documents whose present version a company has accepted. */
    async accepted(tx: Tx, companyId: string): Promise<Set<Document>> {
      const rows = await store.acceptedBy(tx, companyId);
      return new Set(
        rows
          .filter((row) => VERSIONS[row.document_type as Document] === row.version)
          .map((row) => row.document_type as Document),
      );
    },
    /** Records that somebody accepted the present version for a company. */
    accept: (
      tx: Tx,
      given: { owner: Owner; userId: string; document: Document; at: Date; ip: string | null },
    ): Promise<void> =>
      store.insertAcceptance(tx, {
        id: newId(given.at),
        ...given.owner,
        user_id: given.userId,
        document_type: given.document,
        version: VERSIONS[given.document],
        accepted_at: given.at,
        ip: given.ip,
      }),
  };
}
