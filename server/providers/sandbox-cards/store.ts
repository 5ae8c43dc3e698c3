import type { AccountLinkInput } from '../../platform/payments.ts';
import type { CardBehavior, DeclineCode } from './cards.ts';

/**
 * The state of the sandbox's network, by kind. Plain JSON; timestamps are ISO strings. `account` '' is the platform.
 */
export interface SandboxObjects {
  customer: { id: string; account: string; reference: string };
  /** A card form: open until a card is saved. */
  setup: {
    id: string;
    account: string;
    customer: string;
    clientSecret: string;
    /** Saved or waiting for its holder's authentication. */
    card?: CardRow;
    saved: boolean;
    failure?: { code: string; message: string };
  };
  card: CardRow;
  charge: {
    id: string;
    account: string;
    customer: string;
    card: string;
    key: string;
    amountCents: number;
    applicationFeeCents: number;
    description: string;
    metadata: Record<string, string>;
    clientSecret: string;
    createdAt: string;
    /** When the network finishes processing it; until then it has neither succeeded nor been declined. */
    settlesAt: string;
    /** The first outcome: what its idempotency key repeats. */
    declined?: DeclineCode;
    /** What became of a charge that was declined because it lacked authentication. */
    later?: 'authenticated' | 'authentication_failed' | 'canceled';
  };
  refund: {
    id: string;
    account: string;
    charge: string;
    key: string;
    amountCents: number;
    createdAt: string;
    /** From then on, `last` is its status. */
    settlesAt: string;
    first: 'succeeded' | 'pending';
    last: 'succeeded' | 'failed';
  };
  account: {
    id: string;
    reference: string;
    /** When the owner submitted the form; '' until then. */
    submittedAt: string;
    verifiedAt: string;
    verdict: 'approve' | 'reject';
    /** Requested afterward: payouts stay off until it is provided. */
    missing: string[];
  };
  /** A page for an account's owner, looked up by token. */
  link: Pick<AccountLinkInput, 'account' | 'refreshUrl' | 'returnUrl'> & {
    id: string;
    expiresAt: string;
    used: boolean;
  };
  /** An idempotency key: the hash of what it was used for and the id of what was made. */
  key: { id: string; input: string; made: string };
  /** A notice waiting to be sent. */
  notice: { id: string; body: string; dueAt: string; tries: number };
}

export interface CardRow {
  id: string;
  account: string;
  customer: string;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  fingerprint: string;
  behavior: CardBehavior;
  charges: number;
  removed: boolean;
}

export type SandboxKind = keyof SandboxObjects;

/** One atomic piece of the sandbox's work. */
export interface SandboxTx {
  get<K extends SandboxKind>(kind: K, id: string): Promise<SandboxObjects[K] | undefined>;
  /** Adds or replaces an object. `owner` is what list looks it up by; `dueAt` is what due looks it up by. */
  put<K extends SandboxKind>(
    kind: K,
    object: SandboxObjects[K],
    index: { owner: string; dueAt?: string },
  ): Promise<void>;
  /** In the order in which they were added. */
  list<K extends SandboxKind>(kind: K, owner: string): Promise<SandboxObjects[K][]>;
  /** Those whose dueAt has come, the earliest first. */
  due<K extends SandboxKind>(kind: K, now: string, limit: number): Promise<SandboxObjects[K][]>;
  remove(kind: SandboxKind, id: string): Promise<void>;
}

/** Where the sandbox keeps its network's state. */
export interface SandboxStore {
  /** Runs the work in isolation: no other transaction interleaves, and a throw undoes everything. */
  transaction<T>(work: (tx: SandboxTx) => Promise<T>): Promise<T>;
}

interface Row {
  kind: SandboxKind;
  owner: string;
  dueAt: string | undefined;
  json: string;
}

/** A store whose contents are lost when the process ends. `dump` is everything it holds, as text. */
export function memoryStore(): SandboxStore & { dump(): string } {
  let rows = new Map<string, Row>();
  let last: Promise<unknown> = Promise.resolve();
  const txOf = (mine: Map<string, Row>): SandboxTx => {
    const all = <K extends SandboxKind>(kind: K, keep: (row: Row) => boolean) =>
      [...mine.values()].filter((row) => row.kind === kind && keep(row));
    const read = <K extends SandboxKind>(row: Row) => JSON.parse(row.json) as SandboxObjects[K];
    return {
      async get<K extends SandboxKind>(kind: K, id: string) {
        const row = mine.get(`${kind} ${id}`);
        return row && read<K>(row);
      },
      async put(kind, object, { owner, dueAt }) {
        mine.set(`${kind} ${object.id}`, { kind, owner, dueAt, json: JSON.stringify(object) });
      },
      async list<K extends SandboxKind>(kind: K, owner: string) {
        return all(kind, (row) => row.owner === owner).map((row) => read<K>(row));
      },
      async due<K extends SandboxKind>(kind: K, now: string, limit: number) {
        return all(kind, (row) => row.dueAt !== undefined && row.dueAt <= now)
          .sort((one, other) => (one.dueAt! < other.dueAt! ? -1 : one.dueAt! > other.dueAt! ? 1 : 0))
          .slice(0, limit)
          .map((row) => read<K>(row));
      },
      async remove(kind, id) {
        mine.delete(`${kind} ${id}`);
      },
    };
  };
  return {
    transaction(work) {
      const mine = last.then(async () => {
        const copy = new Map(rows);
        const result = await work(txOf(copy));
        rows = copy;
        return result;
      });
      last = mine.catch(() => {});
      return mine;
    },
    dump: () => JSON.stringify([...rows]),
  };
}
