import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  SettingsService,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Assertion, NewKey } from '../../../../contract/accounts/auth-passkeys.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { derive, mac } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { readJson } from '../../../platform/http/json.ts';
import { newId } from '../../../platform/ids.ts';
import type { Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Users } from '../users/index.ts';
import { alertJob } from './alerts.service.ts';
import { factorDutyOf, recoveryCodesOf } from './entry.store.ts';
import { areRequired, hasFactor } from './factor.policy.ts';
import * as limit from './limit.policy.ts';
import { noticeMail } from './mails.ts';
import * as store from './passkey.store.ts';
import { belongsAt } from './policy.ts';
import type { Post } from './post.service.ts';
import type { Recovery } from './recovery.service.ts';
import type { Sessions, TokenPair } from './session.service.ts';
import { sessionState, setFactorMet } from './session.store.ts';

/** How long a challenge can be answered. */
const CHALLENGE_MS = 5 * 60_000;
/** Maximum number of passkeys per user. */
const MOST_PASSKEYS = 20;
/** EdDSA, ES256, RS256: what authenticators have. */
const ALGORITHMS = [-8, -7, -257];

type Purpose = 'sign-in' | 'confirm' | 'new';
type Row = NonNullable<Awaited<ReturnType<typeof store.lockPasskey>>>;

export type Passkeys = ReturnType<typeof createPasskeys>;

/**
 * Passkeys (WebAuthn): a passkey belongs to the host where it was created and verifies its owner before it signs, so it
 * counts as both password and second factor (docs/decisions/0152-ways-in.md).
 */
export function createPasskeys(
  platform: Platform,
  parts: {
    users: Users;
    audit: Audit;
    limits: Limits;
    sessions: Sessions;
    post: Post;
    recovery: Recovery;
  },
) {
  const { db, clock, config, jobs } = platform;
  const { users, audit, limits, sessions, post, recovery } = parts;
  const bindingKey = derive(config.appKey, 'passkey challenges');
  const whole = (ctx: Ctx) => ({ rootId: ctx.tenant.rootId });

  /** Whose session a challenge is for; a sign-in has none yet. */
  const sessionOf = (ctx: Ctx, purpose: Purpose): string =>
    purpose === 'sign-in' ? '' : ctx.actor.sessionId;

  /**
   * What ties an answer to the purpose, host, session and time of its challenge; nothing is stored until the answer
   * arrives.
   */
  const bindingOf = (ctx: Ctx, purpose: Purpose, challenge: string, expires: number): string =>
    `${expires}.${mac(bindingKey, [purpose, ctx.tenant.host, sessionOf(ctx, purpose), challenge, expires].join('\n')).toString('base64url')}`;

  function begin(ctx: Ctx, purpose: Purpose): { challenge: Uint8Array<ArrayBuffer>; binding: string } {
    const challenge = new Uint8Array(randomBytes(32));
    const text = Buffer.from(challenge).toString('base64url');
    return {
      challenge,
      binding: bindingOf(ctx, purpose, text, clock.now().getTime() + CHALLENGE_MS),
    };
  }

  /**
   * The challenge that an answer belongs to, used up; null if it isn't ours, is from another browser or session, was
   * used, or is too late.
   */
  async function answered(
    ctx: Ctx,
    purpose: Purpose,
    clientDataJSON: string,
    binding: string | undefined,
  ): Promise<string | null> {
    let challenge: unknown;
    try {
      const data = readJson(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown };
      challenge = data?.challenge;
    } catch {
      return null;
    }
    const expires = Number(/^(\d{1,15})\./.exec(binding ?? '')?.[1]);
    if (typeof challenge !== 'string' || challenge.length !== 43 || !Number.isSafeInteger(expires))
      return null;
    const [given, genuine] = [
      Buffer.from(binding ?? ''),
      Buffer.from(bindingOf(ctx, purpose, challenge, expires)),
    ];
    if (given.length !== genuine.length || !timingSafeEqual(given, genuine)) return null;
    if (expires <= clock.now().getTime()) return null;
    return (await store.useAnswer(db.app, challenge, new Date(expires))) ? challenge : null;
  }

  /**
   * Whether an answer is signed by a passkey for this challenge and host; 'copied' if the key's counter went backwards.
   */
  async function proves(
    ctx: Ctx,
    row: Row,
    credential: Assertion,
    challenge: string,
  ): Promise<{ counter: bigint } | 'wrong' | 'copied'> {
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: { ...credential, clientExtensionResults: {} },
        expectedChallenge: challenge,
        expectedOrigin: ctx.origin,
        expectedRPID: ctx.tenant.host,
        requireUserVerification: true,
        // The counter is compared below, to tell a counter that went backwards from an invalid signature.
        credential: { id: row.credential_id, publicKey: new Uint8Array(row.public_key), counter: 0 },
      });
      const handle = credential.response.userHandle;
      const isOther = handle && Buffer.from(handle, 'base64url').toString() !== row.user_id;
      if (!verified || isOther) return 'wrong';
      const counter = BigInt(authenticationInfo.newCounter);
      return (counter > 0n || row.counter > 0n) && counter <= row.counter ? 'copied' : { counter };
    } catch {
      // Anything a stranger sends that is not a valid answer.
      return 'wrong';
    }
  }

  /** Uses an answer for a user of the root: `personId`, or whoever it identifies. Logs failures and returns null. */
  async function use(
    tx: Tx,
    ctx: Ctx,
    credential: Assertion,
    challenge: string | null,
    personId: string | null,
  ) {
    const { tenant } = ctx;
    // Whoever sets a new password locks the user first: a passkey that is being removed with it opens no session that
    // outlasts it.
    const ownerId = await store.ownerOf(tx, tenant.rootId, tenant.host, credential.id);
    if (ownerId) await users.lock(tx, ownerId);
    const row = await store.lockPasskey(tx, tenant.rootId, tenant.host, credential.id);
    const user = row && (await users.byId(tx, row.user_id));
    const proof = row && challenge ? await proves(ctx, row, credential, challenge) : 'wrong';
    const mayEnter =
      user &&
      (personId ?? user.id) === user.id &&
      !user.disabled_at &&
      !user.removed_at &&
      belongsAt(tenant, {
        rootId: user.root_id,
        agencyId: user.agency_id,
        companyId: user.company_id,
        kind: user.kind,
      });
    if (row && mayEnter && typeof proof === 'object') {
      await store.setPasskeyUsed(tx, row.id, proof.counter, clock.now());
      return { row, user };
    }
    // Logged for the user who is confirming, otherwise for the passkey's owner.
    const whose = personId ? await users.byId(tx, personId) : row;
    const owner = whose
      ? { root_id: whose.root_id, agency_id: whose.agency_id, company_id: whose.company_id }
      : { root_id: tenant.rootId, agency_id: tenant.agencyId, company_id: tenant.companyId };
    const isCopied = proof === 'copied';
    const logId = await audit.recordEntry(tx, ctx, owner, null, {
      action: isCopied ? 'passkey.copied' : personId ? 'session.unconfirmed' : 'login.failed',
      objectKind: 'user',
      objectId: personId ?? row?.user_id ?? '',
      description: isCopied
        ? `The passkey ${row?.name} was used from ${ctx.ip} with a counter that went backward, so it may have been copied`
        : `A passkey from ${ctx.ip} was rejected`,
    });
    if (isCopied) await jobs.send(tx, alertJob, [{ rootId: tenant.rootId, userId: row!.user_id, logId }]);
    return null;
  }

  const view = (ctx: Ctx, row: Row) => ({
    id: row.id,
    name: row.name,
    host: row.host,
    here: row.host === ctx.tenant.host,
    synced: row.is_synced,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  });

  /**
   * Creates the challenge for a sign-in or, within a session, for a confirmation. The authenticator knows whose
   * passkeys it has.
   */
  async function ask(ctx: Ctx, purpose: 'sign-in' | 'confirm') {
    const { challenge, binding } = begin(ctx, purpose);
    const options = await generateAuthenticationOptions({
      rpID: ctx.tenant.host,
      challenge,
      userVerification: 'required',
      timeout: CHALLENGE_MS,
    });
    return { options: options as unknown as Record<string, unknown>, binding };
  }

  return {
    ask,

    /**
     * Signs in with a passkey. Every kind of failure has the same text: nothing reveals whether the passkey exists or
     * what the state of its owner is.
     */
    async signIn(
      ctx: Ctx,
      given: { credential: Assertion; binding?: string | undefined },
    ): Promise<TokenPair> {
      const network = limit.networkAt(ctx);
      await limits.take(limit.PASSKEY_NETWORK, network);
      const challenge = await answered(
        ctx,
        'sign-in',
        given.credential.response.clientDataJSON,
        given.binding,
      );
      const opened = await inScope(db.app, whole(ctx), async (tx) => {
        const used = await use(tx, ctx, given.credential, challenge, null);
        if (!used) return null;
        const id = await sessions.open(tx, ctx, used.user, ` with the passkey ${used.row.name}`);
        return { id, userId: used.user.id };
      });
      if (!opened) throw new Refusal('unauthenticated', ownMessages.badPasskey);
      await limits.giveBack(limit.PASSKEY_NETWORK, network);
      return sessions.tokens(ctx.tenant, opened.userId, opened.id);
    },

    /** The challenge that a confirmation answers, used up; null if it is not valid. */
    answered: (ctx: Ctx, credential: Assertion, binding: string | undefined) =>
      answered(ctx, 'confirm', credential.response.clientDataJSON, binding),
    /** Whether the answer to that challenge is by a passkey of this person. Logs when it is not. */
    confirms: async (tx: Tx, ctx: Ctx, userId: string, credential: Assertion, challenge: string | null) =>
      (await use(tx, ctx, credential, challenge, userId)) !== null,
    /** Whether a person has a passkey that works at a host. */
    worksAt: store.hasPasskeyAt,

    /** The signed-in person's passkeys. */
    list: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) =>
        (await store.passkeysOf(tx, ctx.actor.userId)).map((row) => view(ctx, row)),
      ),

    /** A user's passkeys, for an email or a form where they are reviewed. */
    of: store.passkeysOf,
    /** Whether passkeys are a user's only second factor, and one is required of them. */
    areRequired: async (tx: Tx, userId: string): Promise<boolean> =>
      areRequired(await factorDutyOf(tx, userId)),

    /**
     * Removes all passkeys of a user who sets a new password by email, inside that transaction. Returns how many.
     * @throws Refusal 422 where they are a required second factor: anyone who can read the email would bypass it
     */
    async removeAll(tx: Tx, ctx: Ctx, person: Owner & { user_id: string }): Promise<number> {
      const { user_id: id, root_id, agency_id, company_id } = person;
      await users.lock(tx, id);
      const duty = await factorDutyOf(tx, id);
      if (areRequired(duty)) throw refusalOf('remove_passkeys', ownMessages.passkeysStay);
      const gone = await store.deletePasskeysOf(tx, id);
      if (gone.length === 0) return 0;
      if (!duty.kind) await recovery.end(tx, id);
      await audit.recordEntry(tx, ctx, { root_id, agency_id, company_id }, id, {
        action: 'passkey.remove',
        objectKind: 'user',
        objectId: id,
        description: `All passkeys were removed when a new password was set: ${gone.map((one) => `${one.name} for ${one.host}`).join(', ')}`,
      });
      return gone.length;
    },

    /** Creates the challenge for a new passkey of the signed-in user, at this host. */
    async offer(ctx: Ctx) {
      const { userId } = ctx.actor;
      const sender = await post.sender(ctx.tenant.companyId, ctx.tenant.host);
      const { person, rows } = await inScope(db.app, ctx.scope, async (tx) => ({
        person: await users.secretOf(tx, userId),
        rows: await store.passkeysOf(tx, userId),
      }));
      if (!person) throw new Refusal('not_found', ownMessages.notFound);
      const { challenge, binding } = begin(ctx, 'new');
      const options = await generateRegistrationOptions({
        rpName: sender.name,
        rpID: ctx.tenant.host,
        userID: new Uint8Array(Buffer.from(userId)),
        userName: person.email,
        userDisplayName: person.name,
        challenge,
        timeout: CHALLENGE_MS,
        attestationType: 'none',
        excludeCredentials: rows
          .filter((row) => row.host === ctx.tenant.host)
          .map((row) => ({ id: row.credential_id, transports: row.transports })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      });
      return { options: options as unknown as Record<string, unknown>, binding };
    },

    /**
     * Saves a new passkey. If it is the required second factor, recovery codes come with the first.
     * @throws Refusal 422 for an invalid answer, or one passkey too many
     */
    async add(ctx: Ctx, given: { name: string; credential: NewKey; binding?: string | undefined }) {
      const { userId } = ctx.actor;
      const { credential } = given;
      const challenge = await answered(ctx, 'new', credential.response.clientDataJSON, given.binding);
      const made = challenge ? await newKeyOf(ctx, credential, challenge) : null;
      if (!made) throw refusalOf('credential', ownMessages.badNewPasskey);
      const sender = await post.sender(ctx.tenant.companyId, ctx.tenant.host);
      const kept = await inScope(db.app, { rootId: ctx.actor.rootId }, async (tx) => {
        await users.lock(tx, userId);
        // A new password ends sessions; a request still in progress in one of them must not leave a passkey behind.
        if (!(await sessionState(tx, ctx.actor.sessionId))?.live)
          throw new Refusal('unauthenticated', messages.unauthenticated);
        const person = await users.secretOf(tx, userId);
        if (!person) throw new Refusal('not_found', ownMessages.notFound);
        const rows = await store.passkeysOf(tx, userId);
        if (rows.length >= MOST_PASSKEYS)
          throw refusalOf('credential', `cannot be added: the maximum is ${MOST_PASSKEYS} passkeys`);
        const now = clock.now();
        const row = {
          id: newId(now),
          root_id: person.root_id,
          agency_id: person.agency_id,
          company_id: person.company_id,
          user_id: userId,
          host: ctx.tenant.host,
          credential_id: made.credential.id,
          public_key: Buffer.from(made.credential.publicKey),
          counter: BigInt(made.credential.counter),
          transports: credential.response.transports ?? [],
          is_synced: made.credentialBackedUp,
          name: given.name,
          created_at: now,
          last_used_at: null,
        };
        if (await store.lockPasskey(tx, row.root_id, row.host, row.credential_id))
          throw refusalOf('credential', 'is already saved');
        await store.insertPasskey(tx, row);
        await setFactorMet(tx, userId);
        const { since } = await factorDutyOf(tx, userId);
        const isBare = since !== null && (await recoveryCodesOf(tx, userId)).left === 0;
        const recovery_codes = isBare ? await recovery.make(tx, person) : null;
        const words = `The passkey ${given.name} was added for ${row.host}`;
        await post.send(tx, 'account.notice', sender, person, {
          ...noticeMail(person.name, words, ctx.ip),
          links: [row.host],
        });
        await audit.record(tx, ctx, {
          action: 'passkey.add',
          objectKind: 'user',
          objectId: userId,
          description: words,
        });
        return { data: view(ctx, row), recovery_codes };
      });
      sessions.forgetPerson(userId);
      return kept;
    },

    /**
     * Renames one of the user's own passkeys.
     * @throws Refusal 404 for someone else's
     */
    rename: (ctx: Ctx, id: string, name: string): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.renamePasskey(tx, ctx.actor.userId, id, name)))
          throw new Refusal('not_found', ownMessages.notFound);
        await audit.record(tx, ctx, {
          action: 'passkey.rename',
          objectKind: 'user',
          objectId: ctx.actor.userId,
          description: `Renamed a passkey to ${name}`,
        });
      }),

    /**
     * Removes one of the user's own passkeys.
     * @throws Refusal 404 for someone else's, 409 for the last factor where one is required
     */
    async remove(ctx: Ctx, id: string): Promise<void> {
      const { userId } = ctx.actor;
      const sender = await post.sender(ctx.tenant.companyId, ctx.tenant.host);
      await inScope(db.app, { rootId: ctx.actor.rootId }, async (tx) => {
        await users.lock(tx, userId);
        const person = await users.secretOf(tx, userId);
        const gone = await store.deletePasskey(tx, userId, id);
        if (!person || !gone) throw new Refusal('not_found', ownMessages.notFound);
        const duty = await factorDutyOf(tx, userId);
        if (!hasFactor(duty)) {
          if (duty.since) throw new Refusal('conflict', ownMessages.factorRequired);
          await recovery.end(tx, userId);
        }
        const words = `The passkey ${gone.name} for ${gone.host} was removed`;
        await post.send(tx, 'account.notice', sender, person, {
          ...noticeMail(person.name, words, ctx.ip),
          links: [gone.host],
        });
        await audit.record(tx, ctx, {
          action: 'passkey.remove',
          objectKind: 'user',
          objectId: userId,
          description: words,
        });
      });
    },

    /** Drops the challenges that have expired. */
    sweep: (): Promise<void> => store.deleteAnswers(db.app, clock.now()),
  };
}

// Attestation is not requested, so no manufacturer's certificate is trusted: its chain would name an address to fetch,
// which our guards would not see.
for (const identifier of ['android-key', 'android-safetynet', 'apple', 'mds'] as const)
  SettingsService.setRootCertificates({ identifier, certificates: [] });

/** The key in an authenticator's answer to this challenge at this host; null if it is not valid. */
async function newKeyOf(ctx: Ctx, credential: NewKey, challenge: string) {
  try {
    const { transports, ...response } = credential.response;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: ctx.origin,
      expectedRPID: ctx.tenant.host,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return verified ? registrationInfo : null;
  } catch {
    // Anything a user sends that is not a valid answer.
    return null;
  }
}
