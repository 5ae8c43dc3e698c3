import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { checkKey, GatewayError, type Notice, type NoticeKind } from '../../platform/payments.ts';
import { signNotice } from './sign.ts';
import type { SandboxKind, SandboxObjects, SandboxStore, SandboxTx } from './store.ts';

/** The parts the sandbox is built from. */
export interface SandboxParts {
  store: SandboxStore;
  clock: Clock;
  /** 32 constant bytes: used to sign the notices and to hide the card numbers behind fingerprints. */
  secret: Buffer;
  /** Where accountLink leads: the address of our own form for a token. */
  onboardingUrl: (token: string) => string;
  /** How long a charge waits for an answer that does not come. */
  answerTimeoutMs?: number;
  /** Waits; a test advances its clock instead. */
  wait?: (milliseconds: number) => Promise<void>;
}

/** When things happen in this network, measured from what causes them. */
export const delays = {
  /** How late a late answer is, as a multiple of the caller's timeout. */
  lateAnswer: 3,
  verificationMs: 10_000,
  disputeMs: 10 * 60_000,
  disputeClosedMs: 7 * 86_400_000,
  refundMs: 3_600_000,
  secondNoticeMs: 120_000,
  reorderedNoticeMs: 60_000,
  linkMs: 300_000,
};

/** A notice on its way to our own endpoint. */
export interface SentNotice {
  body: string;
  headers: { 'sandbox-signature': string };
}

export type Objects = Omit<Notice, 'id' | 'kind' | 'type' | 'livemode' | 'createdAt'>;

/** Ids, idempotency and notices: the basis of every part of the sandbox. */
export function createNetwork(parts: SandboxParts) {
  const { store, clock } = parts;
  const signingSecret = `whsec_${createHmac('sha256', parts.secret).update('notices').digest('base64url')}`;
  const numberKey = createHmac('sha256', parts.secret).update('card numbers').digest();

  return {
    store,
    clock,
    signingSecret,
    onboardingUrl: parts.onboardingUrl,
    timeoutMs: parts.answerTimeoutMs ?? 5_000,
    wait: parts.wait ?? ((ms: number) => new Promise<void>((done) => void setTimeout(done, ms).unref())),
    id: (prefix: string) => `${prefix}_sandbox_${randomBytes(12).toString('hex')}`,
    after: (ms: number) => new Date(clock.now().getTime() + ms).toISOString(),
    /** The same for the same number; without the secret, no one can brute-force the numbers. */
    fingerprint: (number: string) =>
      createHmac('sha256', numberKey).update(number).digest('base64url').slice(0, 16),

    /**
     * The object created under an idempotency key, or the one that `make` creates now. Throws `key_reused` if the key
     * was used for something else.
     */
    async once<K extends SandboxKind>(
      tx: SandboxTx,
      kind: K,
      input: { idempotencyKey: string; account?: string | undefined },
      make: () => Promise<SandboxObjects[K]>,
    ): Promise<SandboxObjects[K]> {
      checkKey(input.idempotencyKey);
      const id = `${input.account ?? ''} ${input.idempotencyKey}`;
      const hash = createHash('sha256')
        .update(`${kind} ${canonical(input)}`)
        .digest('hex');
      const before = await tx.get('key', id);
      if (before) {
        const made = await tx.get(kind, before.made);
        if (before.input !== hash || !made)
          throw new GatewayError(
            'key_reused',
            'This idempotency key was used with different input',
            'idempotencyKey',
          );
        return made;
      }
      const made = await make();
      await tx.put('key', { id, input: hash, made: made.id }, { owner: '' });
      return made;
    },

    /** An object of this account (or of the platform). Throws `not_found`, including for another account's objects. */
    async find<K extends 'customer' | 'setup' | 'card' | 'charge'>(
      tx: SandboxTx,
      kind: K,
      id: string,
      account: string | undefined,
    ): Promise<SandboxObjects[K]> {
      const found = await tx.get(kind, id);
      if (found?.account !== (account ?? ''))
        throw new GatewayError('not_found', `No such ${kind}: ${id}`, kind);
      return found;
    },

    /** Queues a notice, once for each delay, all under one id. */
    async notify(
      tx: SandboxTx,
      kind: NoticeKind,
      objects: Objects,
      { delaysMs = [0], at = clock.now() }: { delaysMs?: number[]; at?: Date } = {},
    ): Promise<void> {
      const notice = { id: this.id('evt'), kind, livemode: false, created: at.toISOString(), ...objects };
      for (const [copy, delay] of delaysMs.entries()) {
        const dueAt = new Date(at.getTime() + delay).toISOString();
        const row = { id: `${notice.id} ${copy}`, body: JSON.stringify(notice), dueAt, tries: 0 };
        await tx.put('notice', row, { owner: '', dueAt });
      }
    },

    /**
     * Sends the notices that are due, earliest first. If `deliver` throws for one, it is retried after 1, 2, 4 ...
     * minutes, eleven times in all (about 34 hours). Returns how many were delivered.
     */
    async sendNotices(deliver: (notice: SentNotice) => Promise<void>, limit = 100): Promise<number> {
      const now = clock.now();
      const due = await store.transaction((tx) => tx.due('notice', now.toISOString(), limit));
      let sent = 0;
      for (const notice of due) {
        const headers = { 'sandbox-signature': signNotice(signingSecret, notice.body, clock.now()) };
        const delivered = await deliver({ body: notice.body, headers }).then(
          () => true,
          () => false,
        );
        if (delivered) sent++;
        await store.transaction(async (tx) => {
          const tries = notice.tries + 1;
          if (delivered || tries > 10) return tx.remove('notice', notice.id);
          const dueAt = new Date(now.getTime() + 60_000 * 2 ** notice.tries).toISOString();
          await tx.put('notice', { ...notice, tries, dueAt }, { owner: '', dueAt });
        });
      }
      return sent;
    },
  };
}

export type Network = ReturnType<typeof createNetwork>;

/** The same text for the same value, regardless of field order; absent and undefined are equivalent. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
