import pg from 'pg';

/** Begins a transaction that only reads, as Kysely says it. */
const READ = 'start transaction read only';
/** Confines a transaction to a scope (scope.ts): a role, and the ids of a root, an agency, and a client. */
export const SCOPE = `select set_config('role', $1, true), set_config('scope.root_id', $2, true),
  set_config('scope.agency_id', $3, true), set_config('scope.company_id', $4, true)`;

/** Prepared by each connection when it is opened. */
const PREPARED = {
  tx_begin: 'begin',
  tx_scope: SCOPE,
  tx_read: `${SCOPE}, set_config('transaction_read_only', 'on', true)`,
};

interface Sent {
  name: keyof typeof PREPARED;
  values: string[];
}

/** What of pg's connection a query writes to. */
interface Wire {
  parse(given: { name: string; text: string; types: number[] }): void;
  bind(given: { portal: string; statement: string; values: unknown[] }): void;
  execute(given: { portal: string }): void;
}
/** pg's own query, as far as it is extended here. */
interface Query {
  prepare(wire: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
}
const PgQuery = pg.Query as unknown as new (
  config: { text: string; name?: string | undefined },
  values: unknown,
  done: (error: Error | null, result: unknown) => void,
) => Query;

/**
 * A statement that is sent together with what has to run right before it, which the connection has prepared. There is
 * one Sync, after the last one: if one of them fails, PostgreSQL skips the rest.
 */
class QueryAfter extends PgQuery {
  #before: Sent[] = [];
  #running = 0;
  #isPooled = false;

  after(before: Sent[], isPooled: boolean): this {
    this.#before = before;
    this.#running = before.length;
    this.#isPooled = isPooled;
    return this;
  }

  requiresPreparation(): boolean {
    return true;
  }

  override prepare(wire: Wire): void {
    for (const { name, values } of this.#before) {
      if (this.#isPooled) wire.parse({ name: '', text: PREPARED[name], types: [] });
      wire.bind({ portal: '', statement: this.#isPooled ? '' : name, values });
      wire.execute({ portal: '' });
    }
    super.prepare(wire);
  }

  override handleDataRow(message: unknown): void {
    if (this.#running === 0) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#running > 0) this.#running--;
    else super.handleCommandComplete(message, wire);
  }
}

/**
 * Saves round trips and planning:
 *
 * Statements that begin with a name, `kept: NAME` in a comment, also one right after `select`, are prepared once by each
 * connection. For statements that take longer to plan than to run. The same name always has the same text.
 *
 * The beginning of a transaction and its scope are held back and sent together with its first statement.
 *
 * In a transaction that only reads (`start transaction read only`), each statement is its own transaction, which
 * PostgreSQL ends with its answer. Its scope runs right before it, and is gone when it ends, however it ends. Such
 * statements must be queries that need nothing of the ones before them: at READ COMMITTED, each sees what is committed
 * when it begins anyway.
 *
 * Through a pooler that shares connections by transaction, nothing is prepared: the next transaction may be on another
 * connection. Everything else is the same.
 */
export class KeepingClient extends pg.Client {
  readonly #isPooled: boolean;
  /** A transaction that has begun here, but not yet in the database. */
  #held: { isRead: boolean; scope: string[] | null } | null = null;

  constructor(config: pg.ClientConfig & { isPooled?: boolean }) {
    super(config);
    this.#isPooled = config.isPooled ?? false;
  }

  /** Prepares what is sent with other statements; before the connection is used. */
  async prepareScopes(): Promise<void> {
    if (this.#isPooled) return;
    const values = ['none', '', '', ''];
    await super.query({ name: 'tx_begin', text: PREPARED.tx_begin });
    await super.query({ name: 'tx_scope', text: PREPARED.tx_scope, values });
    await super.query({ name: 'tx_read', text: PREPARED.tx_read, values });
    await super.query('rollback');
  }

  override query(...args: unknown[]): never {
    const [text, values, ...more] = args;
    return this.#query(text, values, ...more) as never;
  }

  #query(text: unknown, values?: unknown, ...more: unknown[]): unknown {
    const held = this.#held;
    if (!held) {
      if (text !== 'begin' && text !== READ) return this.#send(text, values, ...more);
      this.#held = { isRead: text === READ, scope: null };
      return answered('BEGIN');
    }
    if (text === 'commit' || text === 'rollback') {
      this.#held = null;
      return answered(text.toUpperCase());
    }
    if (text === SCOPE) {
      held.scope = values as string[];
      return answered('SELECT');
    }
    if (held.isRead) {
      if (typeof text !== 'string' || !held.scope || !/^(?:select|with|\(|\/\*)/.test(text.trimStart()))
        throw new Error('A transaction that only reads has a scope, and nothing but queries.');
      return this.#sendAfter([{ name: 'tx_read', values: held.scope }], text, values);
    }
    this.#held = null;
    const { scope } = held;
    const before: Sent[] = [{ name: 'tx_begin', values: [] }];
    if (scope) before.push({ name: 'tx_scope', values: scope });
    // Several statements in one text cannot be prepared, and what streams is sent as it is.
    const isOne = typeof text === 'string' && ((values as [] | undefined)?.length || !/;\s*\S/.test(text));
    if (isOne) return this.#sendAfter(before, text, values);
    const begun = super.query(['begin', ...(scope ? [withValues(SCOPE, scope)] : [])].join('; '));
    const sent = this.#send(text, values, ...more);
    if (!(sent instanceof Promise)) {
      // What follows in a transaction that could not begin is refused, too.
      begun.catch(() => {});
      return sent;
    }
    return Promise.all([begun, sent]).then(([, answer]) => answer);
  }

  #send(text: unknown, values: unknown, ...more: unknown[]): unknown {
    const name = this.#nameOf(text);
    return super.query(...([name ? { name, text } : text, values, ...more] as unknown as [string]));
  }

  #sendAfter(before: Sent[], text: string, values: unknown): Promise<unknown> {
    return new Promise((done, fail) => {
      const query = new QueryAfter({ text, name: this.#nameOf(text) }, values, (error, answer) =>
        error ? fail(error) : done(answer),
      );
      super.query(query.after(before, this.#isPooled) as never);
    });
  }

  #nameOf(text: unknown): string | undefined {
    return this.#isPooled ? undefined : nameOf(text);
  }
}

const nameOf = (text: unknown): string | undefined =>
  typeof text === 'string' ? /^(?:select )?\/\* kept: (\w+) \*\//.exec(text)?.[1] : undefined;

const answered = (command: string) => Promise.resolve({ command, rowCount: 0, rows: [] });

const withValues = (text: string, values: string[]): string =>
  text.replace(/\$(\d)/g, (_, at) => pg.escapeLiteral(values[Number(at) - 1]!));
