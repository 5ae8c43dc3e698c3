import { z } from 'zod';
import { mayPerson, type Permission } from '../../../../contract/accounts/permissions.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut } from '../../../platform/mail-layout.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Auth } from '../../accounts/auth/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { type Recipient, toRows } from '../../accounts/users/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Reports } from '../reports/index.ts';
import { agencyDigest, clientDigest, type Digest, nextDue, type Week, weekOf } from './policy.ts';
import * as store from './store.ts';

const dueJob = defineJob('digest.due', z.object({}));

/** Sends the digest of one company: what fails or takes long for one does not concern the others. */
const companyJob = defineJob('digest.company', z.object({ rootId: z.uuid(), companyId: z.uuid() }));

/** The purpose that the tokens of these emails are sealed for. */
const SEAL = 'digest.recipient';
/** Companies whose digests are enqueued in one transaction. */
const STEP = 500;
/** Digests that are sent at once, one of each agency's companies. */
const AT_ONCE = 4;
/** How long is kept which digests were sent. */
const KEPT_MS = 90 * 86_400_000;
const SENDS: LimitRule = { name: 'digest.send', max: 10, base: 60, cap: 3600, window: 3600 };

type Sender = Awaited<ReturnType<Notices['sender']>>;
type May = (permission: Permission) => boolean;
/** What a company's digest says, given the permissions of its reader. */
type Written = (may: May) => Digest | null;

export type Digests = ReturnType<typeof createDigests>;

const ownerOf = ({ root_id, agency_id, company_id }: Recipient) => ({
  root_id,
  agency_id,
  company_id,
});
const isDue = ({ due, until }: Week, now: Date): boolean => now >= due && now < until;
const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** Tells clients and agencies of their last week, in sentences made of numbers (docs/decisions/0287-digest.md). */
export function createDigests(
  platform: Platform,
  deps: {
    audit: Audit;
    auth: Auth;
    limits: Limits;
    mail: Mail;
    notices: Notices;
    reports: Reports;
    tenants: Tenants;
  },
) {
  const { db, clock, jobs, vault } = platform;
  const { audit, auth, limits, mail, notices, reports, tenants } = deps;

  const mayOf =
    ({ kind, role, rights }: Recipient): May =>
    (permission) =>
      mayPerson(auth.gradeOf(kind, role), rights && toRows(rights), permission);

  /** Reads the last week of a company. */
  async function read(
    tx: Tx,
    { company_id: id, kind, time_zone: zone }: Pick<Recipient, 'company_id' | 'kind' | 'time_zone'>,
  ): Promise<Written> {
    const now = clock.now();
    const week = weekOf(now, zone);
    if (kind === 'client') {
      const numbers = (await store.clientWeeks(tx, [{ id, week }], now)).get(id)!;
      return (may) => clientDigest(week, numbers, may, zone);
    }
    const numbers = (await store.agencyWeeks(tx, [{ id, week }], now)).get(id)!;
    return (may) => agencyDigest(week, numbers, may);
  }

  /** Puts a digest for one user into the outbox; returns the email's id. */
  async function post(
    tx: Tx,
    to: Recipient,
    sender: Sender,
    { subject, sentences }: Digest,
  ): Promise<string> {
    const token = vault.seal(JSON.stringify({ userId: to.user_id }), SEAL);
    const urlOf = (path: string) => sender.site + path;
    return mail.enqueue(tx, {
      ...layOut(
        sender,
        {
          subject,
          lines: sentences.map(({ text, path }) => (path ? `${text} ${urlOf(path)}` : text)),
          links: sentences.flatMap(({ path }) => (path ? [urlOf(path)] : [])),
          action: { label: 'Open the dashboard', url: urlOf('/dashboard') },
          unsubscribe: urlOf(`/unsubscribe/${token}`),
        },
        `the weekly digest is on for you at ${sender.name}. Turn it off in your profile`,
      ),
      kind: 'digest.week',
      owner: ownerOf(to),
      to: { name: to.user_name, address: to.email },
      sender,
    });
  }

  /** The user behind a context as a recipient. @throws Refusal 404 for others than a client's or an agency's */
  const self = async (tx: Tx, ctx: Ctx) => (await store.recipient(tx, ctx.actor.userId)) ?? missing();

  /** What the digest of the last week says to the user. */
  async function own(tx: Tx, ctx: Ctx) {
    const user = await self(tx, ctx);
    const written = await read(tx, user);
    return {
      user,
      week: weekOf(clock.now(), user.time_zone),
      told: written((permission) => ctx.may(permission)),
    };
  }

  reports.addList(async (ctx, token) => {
    let userId: string;
    try {
      userId = z.object({ userId: z.uuid() }).parse(JSON.parse(vault.open(token, SEAL))).userId;
    } catch {
      return false;
    }
    await inScope(db.app, { rootId: ctx.tenant.rootId }, async (tx) => {
      const user = await store.recipient(tx, userId);
      const at = clock.now();
      if (!user || !(await store.choose(tx, userId, false, at))) return;
      await audit.recordSystem(tx, at, ownerOf(user), {
        action: 'digest.unsubscribed',
        objectKind: 'user',
        objectId: userId,
        description: `${user.email} unsubscribed from the weekly digest`,
      });
    });
    return true;
  });

  return {
    /** Whether the user gets digests, and when the next is due. @throws Refusal 404 */
    get: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const user = await self(tx, ctx);
        return { ...user, next: nextDue(clock.now(), user.time_zone) };
      }),

    /** Turns digests on or off for the user. @throws Refusal 404 */
    choose: (ctx: Ctx, isOn: boolean) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const user = await self(tx, ctx);
        if (!(await store.choose(tx, user.user_id, isOn, clock.now()))) return;
        await audit.record(tx, ctx, {
          action: 'digest.choose',
          objectKind: 'user',
          objectId: user.user_id,
          description: `Turned the weekly digest ${isOn ? 'on' : 'off'}`,
        });
      }),

    /** What the digest of the last week says to the user. @throws Refusal 404 */
    preview: (ctx: Ctx) => inScope(db.app, ctx.scope, (tx) => own(tx, ctx)),

    /**
     * Sends the digest of the last week to the user now; returns their address.
     * @throws Refusal 404, 422 if there is nothing to report, 429
     */
    async send(ctx: Ctx): Promise<string> {
      await limits.take(SENDS, ctx.actor.userId);
      const user = await inScope(db.app, ctx.scope, (tx) => self(tx, ctx));
      const sender = await notices.sender(ownerOf(user));
      return inScope(db.app, ctx.scope, async (tx) => {
        const { told } = await own(tx, ctx);
        if (!told) throw new Refusal('invalid', ownMessages.digestEmpty);
        await post(tx, user, sender, told);
        await audit.record(tx, ctx, {
          action: 'digest.send',
          objectKind: 'user',
          objectId: user.user_id,
          description: 'Asked for the digest of last week',
        });
        return user.email;
      });
    },

    /** Enqueues the digests of a root that are due: each company's is its own job. */
    async enqueueDue(rootId: string): Promise<void> {
      const now = clock.now();
      const scope = { rootId };
      await inScope(db.app, scope, (tx) => store.forget(tx, rootId, new Date(now.getTime() - KEPT_MS)));
      const weeks = (await inScope(db.app, scope, (tx) => store.zonesOf(tx, rootId)))
        .map((zone) => ({ zone, week: weekOf(now, zone) }))
        .filter(({ week }) => isDue(week, now));
      let after: string | null = null;
      while (weeks.length > 0) {
        const page: { after: string | null; companies: number } = { after, companies: STEP };
        const due = await inScope(db.app, scope, async (tx) => {
          const companies = await store.dueCompanies(tx, rootId, weeks, page);
          const agencies = new Map(companies.map((one) => [one.id, one.agency_id]));
          await jobs.send(
            tx,
            companyJob,
            companies.map(({ id }) => ({ rootId, companyId: id })),
            { turn: ({ companyId }) => agencies.get(companyId)!, unlessWaiting: true },
          );
          return companies;
        });
        if (due.length < STEP) break;
        after = due.at(-1)!.id;
      }
    },

    /**
     * Sends the digest of one company to those who still have to get it, each once, in one transaction. Returns how many
     * were sent.
     */
    async sendTo({ rootId, companyId }: { rootId: string; companyId: string }): Promise<number> {
      const now = clock.now();
      const all = await inScope(db.app, { rootId }, (tx) => store.recipients(tx, companyId));
      const [first] = all;
      if (!first) return 0;
      const week = weekOf(now, first.time_zone);
      if (!isDue(week, now)) return 0;
      const sender = await notices.sender(ownerOf(first));
      return inScope(db.app, { rootId }, async (tx) => {
        const taken = await store.take(tx, companyId, week, now);
        if (taken.size === 0) return 0;
        const written = await read(tx, first);
        const mails: { userId: string; mailId: string }[] = [];
        for (const one of all) {
          const may = mayOf(one);
          const told = taken.has(one.user_id) && may('insight.read') ? written(may) : null;
          if (told) mails.push({ userId: one.user_id, mailId: await post(tx, one, sender, told) });
        }
        if (mails.length > 0) await store.settle(tx, companyId, week.first, mails);
        return mails.length;
      });
    },

    /** Looks every quarter of an hour whose week is over: time zones differ by quarters. */
    async start(): Promise<void> {
      await jobs.work(dueJob, { pollingIntervalSeconds: 30 }, () =>
        tenants.eachRoot((rootId) => this.enqueueDue(rootId)),
      );
      await jobs.workTogether(
        companyJob,
        { atOnce: AT_ONCE },
        async (payload) => void (await this.sendTo(payload)),
      );
      await jobs.schedule(dueJob, '*/15 * * * *', {});
    },
  };
}
