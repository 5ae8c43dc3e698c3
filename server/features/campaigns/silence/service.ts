import { z } from 'zod';
import { mayPerson } from '../../../../contract/accounts/permissions.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut } from '../../../platform/mail-layout.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Auth } from '../../accounts/auth/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { type Recipient, toRows } from '../../accounts/users/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Reports } from '../reports/index.ts';
import * as store from './store.ts';

const dueJob = defineJob('silence.due', z.object({}));

/** The purpose that the tokens of these emails are sealed for. */
const SEAL = 'silence.recipient';
/** Campaigns that are looked at in one transaction. */
const STEP = 500;
/** How many sites an email names; the others are counted. */
const MOST_NAMED = 10;

export type Silences = ReturnType<typeof createSilences>;

const ownerOf = ({ root_id, agency_id, company_id }: Recipient) => ({ root_id, agency_id, company_id });

/**
 * Emails the users of a client once each time one of its sites goes silent. Its
 * agency reads of it in the weekly digest and on Home (docs/decisions/0386-site-silence.md).
 */
export function createSilences(
  platform: Platform,
  deps: {
    audit: Audit;
    auth: Auth;
    mail: Mail;
    notices: Notices;
    reports: Reports;
    tenants: Tenants;
  },
) {
  const { db, clock, jobs, vault } = platform;
  const { audit, auth, mail, notices, reports, tenants } = deps;

  /** Puts the email about silent sites into the outbox, for one user. */
  async function post(
    tx: Tx,
    to: Recipient,
    sender: Awaited<ReturnType<Notices['sender']>>,
    silent: readonly store.Silent[],
  ): Promise<void> {
    const since = (at: Date): string =>
      at.toLocaleString('en-US', {
        timeZone: to.time_zone,
        month: 'long',
        day: 'numeric',
        hour: 'numeric',
        minute: '2-digit',
        timeZoneName: 'short',
      });
    const name = (one: store.Silent): string => `“${mailName(one.campaign_name)}”`;
    const more = silent.length - MOST_NAMED;
    const token = vault.seal(JSON.stringify({ userId: to.user_id }), SEAL);
    await mail.enqueue(tx, {
      ...layOut(
        sender,
        {
          subject:
            silent.length === 1
              ? `The site of ${mailName(silent[0]!.campaign_name)} is silent`
              : `${silent.length} of your sites are silent`,
          lines: [
            ...silent
              .slice(0, MOST_NAMED)
              .map((one) => `The site of ${name(one)} has been silent since ${since(one.silent_since)}.`),
            ...(more > 0 ? [`And ${more} more.`] : []),
            'Usually, a change to the site removed the pixel, or a consent banner now blocks it. Visitors can’t become leads until it is back. The campaign’s Install tab checks the site and shows what to do.',
          ],
          action: { label: 'Open the campaigns', url: `${sender.site}/campaign` },
          unsubscribe: `${sender.site}/unsubscribe/${token}`,
        },
        `emails about silent sites are on for you at ${sender.name}. Turn them off in your profile`,
      ),
      kind: 'silence.told',
      owner: ownerOf(to),
      to: { name: to.user_name, address: to.email },
      sender,
    });
  }

  /** Tells the users of one client of its sites; returns how many emails were sent. */
  async function tell(rootId: string, companyId: string, silent: readonly store.Silent[]): Promise<number> {
    const owner = { root_id: rootId, agency_id: silent[0]!.agency_id, company_id: companyId };
    const sender = await notices.sender(owner);
    return inScope(db.app, { rootId }, async (tx) => {
      const taken = await store.take(tx, rootId, silent, clock.now());
      const told = silent.filter(({ campaign_id: id }) => taken.has(id));
      if (told.length === 0) return 0;
      const to = (await store.recipients(tx, companyId)).filter(({ kind, role, rights }) =>
        mayPerson(auth.gradeOf(kind, role), rights && toRows(rights), 'campaign.read'),
      );
      for (const one of to) await post(tx, one, sender, told);
      return to.length;
    });
  }

  /** The user behind a context as a recipient. @throws Refusal 404 for others than a client's */
  const self = async (tx: Tx, ctx: Ctx) => {
    const to = await store.recipient(tx, ctx.actor.userId);
    if (!to) throw new Refusal('not_found', ownMessages.notFound);
    return to;
  };

  reports.addList(async (ctx, token) => {
    let userId: string;
    try {
      userId = z.object({ userId: z.uuid() }).parse(JSON.parse(vault.open(token, SEAL))).userId;
    } catch {
      return false;
    }
    await inScope(db.app, { rootId: ctx.tenant.rootId }, async (tx) => {
      const to = await store.recipient(tx, userId);
      const at = clock.now();
      if (!to?.wants || !(await store.choose(tx, to, false, at))) return;
      await audit.recordSystem(tx, at, ownerOf(to), {
        action: 'pixel.silence_unsubscribed',
        objectKind: 'user',
        objectId: userId,
        description: `${to.email} unsubscribed from emails about silent sites`,
      });
    });
    return true;
  });

  return {
    /** Whether the user gets the emails. @throws Refusal 404 */
    get: (ctx: Ctx) => inScope(db.app, ctx.scope, (tx) => self(tx, ctx)),

    /** Turns the messages on or off for the user. @throws Refusal 404 */
    choose: (ctx: Ctx, isOn: boolean) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const to = await self(tx, ctx);
        if (!(await store.choose(tx, to, isOn, clock.now()))) return;
        await audit.record(tx, ctx, {
          action: 'pixel.silence_choose',
          objectKind: 'user',
          objectId: to.user_id,
          description: `Turned emails about silent sites ${isOn ? 'on' : 'off'}`,
        });
      }),

    /** Tells of a root's silent sites, each silence once; returns how many emails were sent. */
    async sendDue(rootId: string): Promise<number> {
      const now = clock.now();
      await inScope(db.app, { rootId }, (tx) => store.forget(tx, rootId));
      const found: store.Silent[] = [];
      let after: string | null = null;
      do {
        const page: { after: string | null; campaigns: number } = { after, campaigns: STEP };
        const { silent, last } = await inScope(db.app, { rootId }, (tx) =>
          store.untold(tx, rootId, now, page),
        );
        found.push(...silent);
        after = last;
      } while (after !== null);
      const failures: unknown[] = [];
      let sent = 0;
      for (const [companyId, silent] of Map.groupBy(found, (one) => one.company_id)) {
        try {
          sent += await tell(rootId, companyId, silent);
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return sent;
    },

    /** Looks twice an hour, in every root; a failure in one does not hold up the others. */
    async start(): Promise<void> {
      await jobs.work(dueJob, { pollingIntervalSeconds: 30 }, () =>
        tenants.eachRoot((rootId) => this.sendDue(rootId)),
      );
      await jobs.schedule(dueJob, '13,43 * * * *', {});
    },
  };
}
