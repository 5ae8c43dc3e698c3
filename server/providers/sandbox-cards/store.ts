import type { AccountLinkInput } from '../../platform/payments.ts';
import type { CardBehavior, DeclineCode } from './cards.ts';

/** What the sandbox's network remembers, by kind. Plain JSON; instants are ISO texts. `account` '' is the platform. */
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
    /** When the network is done with it; until then it is neither done nor declined. */
    settlesAt: string;
    /** As it came out first: what its idempotency key repeats. */
    declined?: DeclineCode;
    /** What has become of a charge that was declined for want of authentication. */
    later?: 'authenticated' | 'authentication_failed' | 'canceled';
  };
  refund: {
    id: string;
    account: string;
    charge: string;
    key: string;
    amountCents: number;
    createdAt: string;
    /** From then on `last` is how it stands. */
    settlesAt: string;
    first: 'succeeded' | 'pending';
    last: 'succeeded' | 'failed';
  };
  account: {
    id: string;
    reference: string;
    /** When the owner has sent the form; '' until then. */
    submittedAt: string;
    verifiedAt: string;
    verdict: 'approve' | 'reject';
    /** Asked for afterward: payouts stay off until it is brought. */
    missing: string[];
  };
  /** A page for an account's owner, by token. */
  link: Pick<AccountLinkInput, 'account' | 'refreshUrl' | 'returnUrl'> & {
    id: string;
    expiresAt: string;
    used: boolean;
  };
  /** An idempotency key: the hash of what it was used for and the id of what was made. */
  key: { id: string; input: string; made: string };
  /** A notice that waits to be sent. */
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
  /** Adds or replaces. `owner` is what list finds it by; `dueAt` what due finds it by. */
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
  /** Runs the work alone: nothing of another transaction comes in between, and a throw undoes everything. */
  transaction<T>(work: (tx: SandboxTx) => Promise<T>): Promise<T>;
}

interface Row {
  kind: SandboxKind;
  owner: string;
  dueAt: string | undefined;
  json: string;
}

/** A store that forgets with its process. `dump` is everything it holds, as text. */
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
