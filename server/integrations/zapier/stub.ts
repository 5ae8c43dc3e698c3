import { textAt } from '../http.ts';
import type { Stub } from '../stub.ts';

const HOOK = '/hooks/catch/123456/abcdef/';

/**
 * A catch hook and the Zap behind it. Zapier starts a Zap for every request and drops no repeated ones: only polling
 * triggers do that. `isCareful`: this Zap filters test records and looks up the id first, as our steps advise; its
 * records are what it adds then.
 */
export function zapierStub({ isCareful = true } = {}): Stub & { runs(): number } {
  const records = new Map<string, Record<string, string>>();
  let isRevoked = false;
  let runs = 0;
  return {
    credentials: (base) => ({ url: base + HOOK }),
    settings: {},
    records: () => [...records].map(([id, fields]) => ({ id, fields })),
    remove: (id) => void records.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    runs: () => runs,
    handle({ path, json }) {
      if (isRevoked || path !== HOOK) return { status: 410, text: 'Gone' };
      runs++;
      const { test, ...fields } = (json ?? {}) as Record<string, string | boolean>;
      if (!isCareful || test !== true)
        records.set(
          isCareful ? (textAt(json, 'id') ?? `run ${runs}`) : `run ${runs}`,
          fields as Record<string, string>,
        );
      return { status: 200, json: { status: 'success', id: `run-${runs}`, attempt: `attempt-${runs}` } };
    },
  };
}
