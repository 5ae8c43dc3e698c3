import { createHash } from 'node:crypto';
import type { ApiScope } from '../../../../contract/developer/developer-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { ApiCaller } from './auth.service.ts';
import * as store from './once.store.ts';
import { checkWrite, located, mustHaveScope } from './v1.check.ts';
import type { Sources } from './v1.resources.ts';
import { brought, named, taken as takenDown } from './v1.versions.ts';
import type { Write } from './v1.writes.ts';

const MOST_KEY = 255;
const SEALED = 'developer.write';

/** What a write answers. */
export interface Written {
  status: number;
  body: Record<string, unknown>;
  /** It is the answer to an earlier request with the same key. */
  isReplayed: boolean;
}

/** A request that writes, as it arrived. */
export interface WriteRequest {
  query: unknown;
  params: unknown;
  /** The parsed body; undefined if there is none. */
  body: unknown;
  /** Its Idempotency-Key, if it has one. */
  key: string | undefined;
}

/** A checked request. */
interface Given {
  caller: ApiCaller;
  body: unknown;
  id: string;
  /** The scopes that the write took so far. */
  taken: Set<ApiScope>;
}

/** The write was done by another request with the same key, so this one is rolled back. */
class Done extends Error {
  override name = 'Done';
}

export type DoWrite = ReturnType<typeof createWrite>;

/**
 * Makes writes of the developer API for a key. The answer to a write with an Idempotency-Key is kept in the transaction
 * of the write itself, so the write is done once, whatever happens to its answer (docs/decisions/0250-v1-writes.md).
 */
export function createWrite(
  { db, clock, vault }: Pick<Platform, 'db' | 'clock' | 'vault'>,
  sources: Sources,
) {
  /** Writes under way in this process, by API key and Idempotency-Key. */
  const running = new Map<string, Promise<unknown>>();

  /**
   * Does a write and returns its answer, which is read in the write's own transaction and given to `keep` there. What
   * changes nothing, or answers with what is stored nowhere, is kept afterward.
   */
  async function perform(
    write: Write,
    { caller, body, id, taken }: Given,
    keep: (tx: Tx, answer: Record<string, unknown>) => Promise<void>,
  ): Promise<Record<string, unknown>> {
    const { answers } = write;
    const { ctx } = caller;
    const need = (scope: ApiScope): void => {
      mustHaveScope(caller, scope);
      taken.add(scope);
    };
    let answer: Record<string, unknown> | undefined;
    const result = await located(
      () =>
        write.run(
          sources,
          ctx.before(async (tx, changes) => {
            if (!('read' in answers)) return;
            const change = changes.find(({ action }) => answers.actions.includes(action));
            if (!change) return;
            answer = write.answer.parse(await answers.read(sources, ctx.within(tx), change.objectId));
            await keep(tx, answer);
          }),
          body,
          id,
          { need, version: caller.version },
        ),
      'body',
      write.names,
    );
    if (answer) return answer;
    answer = write.answer.parse(
      'read' in answers ? await answers.read(sources, ctx, id) : answers.of(result),
    );
    const whole = answer;
    await inScope(db.app, ctx.scope, (tx) => keep(tx, whole));
    return whole;
  }

  /**
   * What this API key was answered before. A token or a rotated secret is of the same key, but may have fewer scopes.
   * @throws Refusal 422 if the Idempotency-Key was used for another request; ApiRefusal 403 without a scope that the
   * write took
   */
  async function earlier(caller: ApiCaller, name: string, hash: Buffer): Promise<Written | undefined> {
    const { ctx, key } = caller;
    const since = new Date(clock.now().getTime() - store.KEPT_MS);
    const row = await inScope(db.app, ctx.scope, (tx) =>
      store.kept(tx, { company_id: ctx.actor.companyId, key_id: key.id, key: name }, since),
    );
    if (!row) return undefined;
    if (!row.request_hash.equals(hash))
      throw new Refusal('invalid', 'Idempotency-Key: was used for a different request', {
        errors: { 'header.Idempotency-Key': ['was used for a different request'] },
      });
    for (const scope of row.scopes) mustHaveScope(caller, scope as ApiScope);
    const body = JSON.parse(vault.open(row.answer_sealed, SEALED)) as Record<string, unknown>;
    return { status: row.status, body, isReplayed: true };
  }

  async function once(write: Write, given: Given, key: string): Promise<Written> {
    const { caller, taken } = given;
    const { rootId, companyId } = caller.ctx.actor;
    const hash = createHash('sha256')
      .update(JSON.stringify([write.method, write.url, given.id, given.body]))
      .digest();
    const before = await earlier(caller, key, hash);
    if (before) return before;
    try {
      const body = await perform(write, given, async (tx, answer) => {
        const at = clock.now();
        const row = {
          ...{ root_id: rootId, agency_id: companyId, company_id: companyId },
          key_id: caller.key.id,
          key,
          scopes: [...taken],
          request_hash: hash,
          status: write.status,
          answer_sealed: vault.seal(JSON.stringify(answer), SEALED),
          created_at: at,
        };
        if (!(await store.keep(tx, row, new Date(at.getTime() - store.KEPT_MS)))) throw new Done();
      });
      return { status: write.status, body, isReplayed: false };
    } catch (error) {
      if (!(error instanceof Done || error instanceof Refusal)) throw error;
      // Another process may have been faster; what it wrote can be why this request was refused.
      const now = await earlier(caller, key, hash);
      if (now) return now;
      throw error;
    }
  }

  /**
   * @throws ApiRefusal 403 for a scope that the key lacks; Refusal 422 that names each field, 404, and whatever the
   * write refuses
   */
  async function doWrite(write: Write, caller: ApiCaller, request: WriteRequest): Promise<Written> {
    mustHaveScope(caller, write.scope);
    if (write.also) mustHaveScope(caller, write.also);
    const { key } = request;
    if (key !== undefined && (key.length > MOST_KEY || !/^[\x20-\x7e]+$/.test(key)))
      throw refusalOf('header.Idempotency-Key', `must be 1 to ${MOST_KEY} ASCII characters`);
    const taken = new Set<ApiScope>(write.also ? [write.scope, write.also] : [write.scope]);
    const given = { ...(await checkWrite(write, request)), caller, taken };
    if (key === undefined) {
      const body = await perform(write, given, async () => {});
      return { status: write.status, body, isReplayed: false };
    }
    // Of the same write sent many times at once, each waits for the one before and finds its answer.
    const name = `${caller.key.id} ${key}`;
    while (running.has(name)) await running.get(name);
    const work = once(write, given, key);
    running.set(
      name,
      work.catch(() => undefined),
    );
    try {
      return await work;
    } finally {
      running.delete(name);
    }
  }

  return async (write: Write, caller: ApiCaller, request: WriteRequest): Promise<Written> => {
    const { version } = caller;
    try {
      const body = brought(version, write.tool, request.body);
      const done = await doWrite(write, caller, { ...request, body });
      return { ...done, body: takenDown(version, write.tool, done.body) };
    } catch (error) {
      throw named(version, write.tool, error);
    }
  };
}
