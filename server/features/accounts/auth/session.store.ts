import { type Insertable, sql } from 'kysely';
import type { CompanyKind } from '../../../platform/ctx.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';
import type { ModuleRight } from '../users/index.ts';

export async function insertSession(tx: Tx, row: Insertable<Schema['session']>): Promise<void> {
  await tx.insertInto('session').values(row).execute();
}

/** The session, locked until the transaction ends. */
export async function lockSession(tx: Tx, id: string) {
  return tx.selectFrom('session').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function advanceSession(
  tx: Tx,
  id: string,
  generation: number,
  at: Date,
  ip: string,
): Promise<void> {
  await tx
    .updateTable('session')
    .set({ generation, rotated_at: at, last_ip: ip })
    .where('id', '=', id)
    .execute();
}

/** When a user last confirmed who they are in a session, or in the login behind a view. */
export async function confirmedAt(tx: Tx, id: string): Promise<{ id: string; at: Date } | undefined> {
  return tx
    .selectFrom('session as s')
    .innerJoin('session as own', (join) =>
      join.on('own.id', '=', sql<string>`coalesce(s.viewer_session_id, s.id)`),
    )
    .select(['own.id', sql<Date>`coalesce(own.confirmed_at, own.created_at)`.as('at')])
    .where('s.id', '=', id)
    .executeTakeFirst();
}

/** Marks that a user now has a second factor: their sessions can do everything again. */
export async function setFactorMet(tx: Tx, userId: string): Promise<void> {
  await tx
    .updateTable('session')
    .set({ needs_factor: false })
    .where('user_id', '=', userId)
    .where('needs_factor', '=', true)
    .execute();
}

/** Whether a session can only set up a second factor. */
export async function setNeedsFactor(tx: Tx, id: string, needs: boolean): Promise<void> {
  await tx.updateTable('session').set({ needs_factor: needs }).where('id', '=', id).execute();
}

/** Ends the views opened from a login. */
export async function revokeViewsBehind(tx: Tx, id: string, at: Date): Promise<void> {
  await tx
    .updateTable('session')
    .set({ revoked_at: at, revoked_why: 'ended' })
    .where('viewer_session_id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

export async function setConfirmed(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.updateTable('session').set({ confirmed_at: at }).where('id', '=', id).execute();
}

/** Ends a session; the first reason stays. */
export async function revokeSession(
  tx: Tx,
  id: string,
  at: Date,
  why: 'logout' | 'reuse' | 'disabled' | 'reverted' | 'lapsed',
): Promise<boolean> {
  const done = await tx
    .updateTable('session')
    .set({ revoked_at: at, revoked_why: why })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

// Views are not devices of the viewed user: they don't appear in that user's lists, and end with the login behind them.

/** Ends a session if it belongs to this user and is still active. */
export async function revokeOwnSession(tx: Tx, userId: string, id: string, at: Date): Promise<boolean> {
  const done = await tx
    .updateTable('session')
    .set({ revoked_at: at, revoked_why: 'ended' })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('viewer_session_id', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** Ends all sessions of a person but one; returns their ids. */
export async function revokeSessionsOf(
  tx: Tx,
  userId: string,
  keep: string | null,
  at: Date,
  why: 'ended' | 'password' | 'factor' | 'disabled',
): Promise<string[]> {
  const rows = await tx
    .updateTable('session')
    .set({ revoked_at: at, revoked_why: why })
    .where('user_id', '=', userId)
    .where('viewer_session_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .$if(keep !== null && keep !== '', (q) => q.where('id', '<>', keep!))
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Makes a user's sessions open one at a time, so that a burst of logins does not leave more of them than allowed. */
export async function lockOpening(tx: Tx, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sessions:${userId}`}, 0))`.execute(tx);
}

/** Ends all of a user's sessions except the `keep` most recently seen; returns their ids. */
export async function revokeOldest(tx: Tx, userId: string, keep: number, at: Date): Promise<string[]> {
  const rows = await tx
    .selectFrom('session')
    .select('id')
    .where('user_id', '=', userId)
    .where('viewer_session_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .orderBy('rotated_at', 'desc')
    .orderBy('id', 'desc')
    .offset(keep)
    .execute();
  const ids = rows.map((row) => row.id);
  if (ids.length > 0)
    await tx
      .updateTable('session')
      .set({ revoked_at: at, revoked_why: 'ended' })
      .where('id', 'in', ids)
      .execute();
  return ids;
}

/** A user's active sessions, the most recently seen first; `idleSince`: those not seen since then are over. */
export async function liveSessionsOf(tx: Tx, userId: string, at: Date, idleSince: Date) {
  return tx
    .selectFrom('session')
    .select(['id', 'created_at', 'rotated_at', 'expires_at', 'user_agent'])
    .select([sql<string | null>`host(ip)`.as('ip'), sql<string | null>`host(last_ip)`.as('last_ip')])
    .where('user_id', '=', userId)
    .where('viewer_session_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .where('rotated_at', '>=', idleSince)
    .orderBy('rotated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute();
}

/**
 * Whether a user is signed in anywhere or, with a viewer, is being viewed by them: a view lives as long as the login
 * behind it.
 */
export async function isSignedIn(
  tx: Tx,
  userId: string,
  viewerId: string | null,
  at: Date,
): Promise<boolean> {
  const row = await tx
    .selectFrom('session as s')
    .leftJoin('session as behind', 'behind.id', 's.viewer_session_id')
    .select('s.id')
    .where('s.user_id', '=', userId)
    .where('s.viewer_id', viewerId ? '=' : 'is', viewerId)
    .where('s.revoked_at', 'is', null)
    .where('s.expires_at', '>', at)
    .where('behind.revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** What a user signed in with, and from where, most recent first. */
export async function devicesOf(tx: Tx, userId: string) {
  return tx
    .selectFrom('session')
    .select(['user_agent', sql<string | null>`host(ip)`.as('ip')])
    .where('user_id', '=', userId)
    .where('viewer_session_id', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(200)
    .execute();
}

/** One row of the user log with what is shown of it. */
export async function loggedOf(tx: Tx, logId: string) {
  return logged(tx).where('l.id', '=', logId).executeTakeFirst();
}

const logged = (tx: Tx) =>
  tx
    .selectFrom('user_log as l')
    .innerJoin('user_log_detail as d', 'd.log_id', 'l.id')
    .select(['l.id', 'l.action', 'l.created_at as at', 'd.description', 'd.location'])
    .select(sql<string | null>`host(d.user_ip)`.as('ip'));

/** What happened to a user's sign-in methods, newest first: done by them, or attempted on their account. */
export async function activityOf(
  tx: Tx,
  person: { id: string; company_id: string },
  actions: readonly string[],
) {
  return logged(tx)
    .where('l.company_id', '=', person.company_id)
    .where('l.action', 'in', actions)
    .where((q) =>
      q.or([
        q('l.actor_id', '=', person.id),
        q.and([q('l.object_kind', '=', 'user'), q('l.object_id', '=', person.id)]),
      ]),
    )
    .orderBy('l.created_at', 'desc')
    .orderBy('l.id', 'desc')
    .limit(100)
    .execute();
}

/** The address from which a user's newest session was opened or last renewed. */
export async function lastAddress(tx: Tx, userId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('session')
    .select(sql<string | null>`host(coalesce(last_ip, ip))`.as('ip'))
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.ip ?? null;
}

export interface SessionState {
  user_id: string;
  root_id: string;
  agency_id: string | null;
  company_id: string;
  kind: CompanyKind;
  role: string;
  is_account_executive: boolean;
  needs_factor: boolean;
  live: boolean;
  expires_at: Date;
  /** For a view: the login behind it, and whose it is. */
  viewer_session_id: string | null;
  viewer_id: string | null;
  viewer_agency_id: string | null;
  viewer_company_id: string | null;
  viewer_kind: CompanyKind | null;
  viewer_role: string | null;
  viewer_name: string | null;
  /** How it was opened, or the login behind a view: 'sso' by an agency's program, null by its user. */
  via: 'sso' | null;
  /**
   * The rows of an administrator's role; null: everything the grade allows. In a view also those of the user behind it.
   */
  rights: ModuleRight[] | null;
  viewer_rights: ModuleRight[] | null;
}

/** Whether a login is still active, and whose it is. Queried before a scope is known. */
export async function sessionState(db: Db, id: string): Promise<SessionState | undefined> {
  return (
    await sql<SessionState>`
      select s.*, rights_of(s.user_id) as rights, rights_of(s.viewer_id) as viewer_rights, session_via(${id}) as via
      from session_state(${id}) s`.execute(db)
  ).rows[0];
}
