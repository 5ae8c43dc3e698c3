import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';
import type { FactorDuty } from './factor.policy.ts';

// Second factors and login codes.

/** A person's second factor, locked; undefined when they never had one. */
export async function lockFactor(tx: Tx, userId: string) {
  return tx
    .selectFrom('user_factor')
    .selectAll()
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
}

export async function factorOf(tx: Tx, userId: string) {
  return tx.selectFrom('user_factor').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

export async function saveFactor(tx: Tx, row: Insertable<Schema['user_factor']>): Promise<void> {
  const { kind, secret_sealed, generation, last_step, updated_at } = row;
  await tx
    .insertInto('user_factor')
    .values(row)
    .onConflict((c) =>
      c
        .column('user_id')
        .doUpdateSet({ kind, secret_sealed, generation, last_step, updated_at, address: null }),
    )
    .execute();
}

export async function useStep(tx: Tx, userId: string, step: bigint): Promise<void> {
  await tx.updateTable('user_factor').set({ last_step: step }).where('user_id', '=', userId).execute();
}

/**
 * The date from which a second factor is required of a person, by their own company or one above it (null if not
 * required), and what they have. Called in a scope that sees the companies above.
 */
export async function factorDutyOf(tx: Tx, userId: string): Promise<FactorDuty> {
  const { rows } = await sql<FactorDuty>`
    select (select min(coalesce(c.factor_from::timestamp at time zone c.time_zone, to_timestamp(0))) from company c
            where c.id in (u.company_id, u.agency_id, u.root_id)
              and case when c.id = u.company_id then c.factor_people else c.factor_owners and u.role = 'owner' end) as since,
           f.kind, array(select distinct p.host from passkey p where p.user_id = u.id order by p.host) as passkeys
    from user_account u left join user_factor f on f.user_id = u.id where u.id = ${userId}`.execute(tx);
  return rows[0] ?? { since: null, kind: null, passkeys: [] };
}

/** Deletes a person's recovery codes, including used ones, and stores these instead. */
export async function replaceRecoveryCodes(
  tx: Tx,
  userId: string,
  rows: Insertable<Schema['recovery_code']>[],
): Promise<void> {
  await tx.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
  if (rows.length > 0) await tx.insertInto('recovery_code').values(rows).execute();
}

/** Uses up a recovery code. Returns false if it is not the person's or was used before. */
export async function useRecoveryCode(tx: Tx, userId: string, codeMac: Buffer, at: Date): Promise<boolean> {
  const done = await tx
    .updateTable('recovery_code')
    .set({ used_at: at })
    .where('user_id', '=', userId)
    .where('code_mac', '=', codeMac)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** How many recovery codes a person was given, how many are left, and when they were made. */
export async function recoveryCodesOf(tx: Tx, userId: string) {
  const row = await tx
    .selectFrom('recovery_code')
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .select(sql<bigint>`count(*) filter (where used_at is null)`.as('left'))
    .select((eb) => eb.fn.max('created_at').as('made_at'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return { total: Number(row.total), left: Number(row.left), made_at: row.made_at };
}

export async function insertChallenge(tx: Tx, row: Insertable<Schema['login_challenge']>): Promise<void> {
  await tx.insertInto('login_challenge').values(row).execute();
}

/** A login waiting for its code, by its token, with the user it belongs to. */
export async function challengeByToken(tx: Tx, hash: Buffer) {
  return tx
    .selectFrom('login_challenge as l')
    .innerJoin('user_account as u', 'u.id', 'l.user_id')
    .select(['l.id', 'l.user_id', 'l.tenant_id', 'l.kind', 'u.email', 'u.name'])
    .where('l.token_hash', '=', hash)
    .executeTakeFirst();
}

export async function lockChallenge(tx: Tx, id: string) {
  return tx
    .selectFrom('login_challenge')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function setChallenge(
  tx: Tx,
  id: string,
  values: Partial<{
    attempts: number;
    used_at: Date;
    code_mac: Buffer;
    sent: number;
    sent_at: Date;
    expires_at: Date;
  }>,
): Promise<void> {
  await tx.updateTable('login_challenge').set(values).where('id', '=', id).execute();
}

/** Ends a person's logins that are still waiting for a code. */
export async function endChallenges(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx
    .updateTable('login_challenge')
    .set({ used_at: at })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute();
}

// New passwords.

export async function insertReset(tx: Tx, row: Insertable<Schema['password_reset']>): Promise<void> {
  await tx.insertInto('password_reset').values(row).execute();
}

/** A request for a new password with the user it belongs to; undefined if no user has it. */
export async function resetById(tx: Tx, id: string) {
  return tx
    .selectFrom('password_reset as r')
    .innerJoin('user_account as u', 'u.id', 'r.user_id')
    .select([
      'r.id',
      'r.tenant_id',
      'r.origin',
      'r.expires_at',
      'r.used_at',
      'u.id as user_id',
      'u.email',
      'u.name',
      'u.disabled_at',
      'u.password_hash',
    ])
    .select(['u.root_id', 'u.agency_id', 'u.company_id'])
    .where('r.id', '=', id)
    .executeTakeFirst();
}

/** Uses up a request, along with the person's other open ones. Returns false if it was used before. */
export async function useReset(tx: Tx, id: string, userId: string, at: Date): Promise<boolean> {
  const rows = await tx
    .updateTable('password_reset')
    .set({ used_at: at })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .returning('id')
    .execute();
  return rows.some((row) => row.id === id);
}

/** How many links to set a password a user of a root has got since an instant, used or not. */
export async function resetsSince(tx: Tx, rootId: string, userId: string, since: Date): Promise<number> {
  const { count } = await tx
    .selectFrom('password_reset')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('root_id', '=', rootId)
    .where('created_at', '>', since)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Ends a person's open requests for a new password. */
export async function endResets(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx
    .updateTable('password_reset')
    .set({ used_at: at })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute();
}

// Sign-ups.

export async function insertSignUp(tx: Tx, row: Insertable<Schema['sign_up']>): Promise<void> {
  await tx.insertInto('sign_up').values(row).execute();
}

export async function lockSignUp(tx: Tx, id: string) {
  return tx.selectFrom('sign_up').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function setSignUpDone(tx: Tx, id: string, madeCompany: string, at: Date): Promise<void> {
  await tx
    .updateTable('sign_up')
    .set({ used_at: at, made_company: madeCompany, password_hash: null })
    .where('id', '=', id)
    .execute();
}

export async function referrerOf(tx: Tx, code: string): Promise<string | undefined> {
  return (await tx.selectFrom('referral_code').select('user_id').where('code', '=', code).executeTakeFirst())
    ?.user_id;
}

export async function referralCodeOf(tx: Tx, userId: string): Promise<string | undefined> {
  return (
    await tx.selectFrom('referral_code').select('code').where('user_id', '=', userId).executeTakeFirst()
  )?.code;
}

export async function insertReferralCode(tx: Tx, row: Insertable<Schema['referral_code']>): Promise<void> {
  await tx
    .insertInto('referral_code')
    .values(row)
    .onConflict((c) => c.column('user_id').doNothing())
    .execute();
}

// One-use tokens.

export async function insertSsoToken(tx: Tx, row: Insertable<Schema['sso_token']>): Promise<void> {
  await tx.insertInto('sso_token').values(row).execute();
}

/** Uses up a token at this tenant. Returns undefined if it is not valid (anymore). */
export async function useSsoToken(tx: Tx, hash: Buffer, tenantId: string, at: Date) {
  return tx
    .updateTable('sso_token')
    .set({ used_at: at })
    .where('token_hash', '=', hash)
    .where('tenant_id', '=', tenantId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .returning('user_id')
    .executeTakeFirst();
}

/** Whether a token for this tenant has ever been used. */
export async function wasSsoTokenUsed(tx: Tx, hash: Buffer, tenantId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('sso_token')
    .select('used_at')
    .where('token_hash', '=', hash)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return row?.used_at != null;
}

/** Marks a captcha as used. Returns false if it already was. */
export async function useCaptcha(db: Db, signature: Buffer, expiresAt: Date): Promise<boolean> {
  const done = await db
    .insertInto('captcha_used')
    .values({ signature, expires_at: expiresAt })
    .onConflict((c) => c.column('signature').doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function deleteCaptchas(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('captcha_used').where('expires_at', '<', before).execute();
}

/** Deletes rows meant for minutes or hours that are days old. */
export async function deleteOld(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('login_challenge').where('created_at', '<', before).execute();
  await tx.deleteFrom('password_reset').where('created_at', '<', before).execute();
  await tx.deleteFrom('email_change').where('created_at', '<', before).execute();
  await tx.deleteFrom('sso_token').where('created_at', '<', before).execute();
  // A completed sign-up is kept: it says who referred the company.
  await tx.deleteFrom('sign_up').where('created_at', '<', before).where('made_company', 'is', null).execute();
}
