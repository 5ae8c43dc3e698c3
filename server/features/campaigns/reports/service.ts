import { z } from 'zod';
import { MODULES } from '../../../../contract/choices.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut, type MailContent } from '../../../platform/mail-layout.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import { type Campaigns, isPrompt, reportSpan } from '../campaigns/index.ts';
import type { Leads } from '../leads/index.ts';
import { linesOf, MOST_DETAILS, readToken, SEAL, type Subscription } from './policy.ts';

const noticeJob = defineJob('reports.notice', z.object({ rootId: z.uuid(), campaignId: z.uuid() }));
const dueJob = defineJob('reports.due', z.object({}));

/** The maximum number of leads in a file; few servers accept an email with more. */
const MOST_LEADS = 10_000;
/** Reports created in one batch. */
const STEP = 100;

type ClientOwner = Owner & { agency_id: string };
type NoticeSender = Awaited<ReturnType<Notices['sender']>>;
type Due = Awaited<ReturnType<Campaigns['reports']['dueReports']>>[number];

/** Takes the recipient in a token off a list; false: the token is not one of this list's. */
type Unsubscribe = (ctx: Ctx, token: string) => Promise<boolean>;

export type Reports = ReturnType<typeof createReports>;

/**
 * Notifies the people listed in a campaign about its leads (spec product 3: notify_every, report_to):
 * that a certain number have come in, without personal data, and shortly after leads come in or at the end of each
 * period the leads themselves: a link to them, their details, or a CSV file.
 */
export function createReports(
  platform: Platform,
  deps: {
    tenants: Tenants;
    audit: Audit;
    notices: Notices;
    mail: Mail;
    campaigns: Campaigns;
    leads: Leads;
  },
) {
  const { db, clock, jobs, vault } = platform;
  const { tenants, audit, notices, mail, campaigns, leads } = deps;

  platform.events.on('leads.accepted', async (tx, event) => {
    if (event.isTest) return;
    const counts = new Map<string, number>();
    for (const { campaignId } of event.leads) counts.set(campaignId, (counts.get(campaignId) ?? 0) + 1);
    const reached = await campaigns.reports.countForNotices(
      tx,
      [...counts].map(([campaignId, count]) => ({ campaignId, count })),
    );
    const rootId = event.leads[0]!.owner.root_id;
    await campaigns.reports.wake(tx, [...counts.keys()], clock.now());
    await jobs.send(
      tx,
      noticeJob,
      reached.map((campaignId) => ({ rootId, campaignId })),
    );
  });

  /** Sends one email to each address, in the name of the campaign's agency. */
  async function send(
    tx: Tx,
    given: {
      kind: string;
      owner: ClientOwner;
      to: string[];
      sender: NoticeSender;
      content: MailContent;
      subscription: Omit<Subscription, 'address'>;
    },
    file?: { name: string; type: string; text: string },
  ): Promise<void> {
    for (const address of given.to) {
      const token = vault.seal(JSON.stringify({ ...given.subscription, address }), SEAL);
      const unsubscribe = `${given.sender.site}/unsubscribe/${token}`;
      await mail.enqueue(tx, {
        ...layOut(
          given.sender,
          { ...given.content, unsubscribe },
          `this address is a recipient of a campaign’s leads at ${given.sender.name}`,
        ),
        ...(file ? { file } : {}),
        kind: given.kind,
        owner: given.owner,
        to: { name: '', address },
        sender: given.sender,
      });
    }
  }

  /** The page of a campaign's leads, on its client's host. */
  async function leadsPage(
    sender: NoticeSender,
    campaign: { id: string; module: string; agency_id: string },
  ) {
    const slugs = await tenants.slugsOf(campaign.agency_id);
    const slug = slugs[MODULES.findIndex(({ module }) => module === campaign.module)];
    return `${sender.site}/${slug}/leads-management?campaign=${campaign.id}`;
  }
  const ownerOf = (row: ClientOwner): ClientOwner => ({
    root_id: row.root_id,
    agency_id: row.agency_id,
    company_id: row.company_id,
  });

  /**
   * Notifies that a certain number of leads have come in, if they have and no one has been notified yet. Safe to run
   * twice.
   */
  async function tellOfLeads({ rootId, campaignId }: { rootId: string; campaignId: string }): Promise<void> {
    const found = await inScope(db.app, { rootId }, (tx) => campaigns.visible(tx, campaignId));
    if (!found) return;
    const sender = await notices.sender(ownerOf(found));
    await inScope(db.app, { rootId }, async (tx) => {
      const row = await campaigns.reports.lockReport(tx, campaignId);
      if (!row?.notify_every) return;
      const every = BigInt(row.notify_every);
      const open = row.counted - row.told;
      if (open < every) return;
      const told = open - (open % every);
      await campaigns.reports.markTold(tx, campaignId, row.told + told);
      await send(tx, {
        kind: 'campaign.leads',
        owner: ownerOf(row),
        to: row.notify_to,
        sender,
        subscription: { campaignId, which: 'notice' },
        content: {
          subject: `${told} new ${told === 1n ? 'lead' : 'leads'}: ${mailName(found.name)}`,
          lines: [
            `The campaign ${mailName(found.name)} (#${found.number}) has generated ${told} new ${told === 1n ? 'lead' : 'leads'}.`,
            `We notify you each time ${every === 1n ? 'a lead has' : `${every} leads have`} come in. See who they are on the dashboard.`,
          ],
        },
      });
    });
  }

  /**
   * Creates the report of a campaign that is due, if it has not been created yet. Returns true if it was created now.
   */
  async function report({ name, number, module, ...owner }: Due): Promise<boolean> {
    const sender = await notices.sender(ownerOf(owner));
    const url = await leadsPage(sender, { id: owner.campaign_id, module, agency_id: owner.agency_id });
    return inScope(db.app, { rootId: owner.root_id }, async (tx) => {
      const now = clock.now();
      const row = await campaigns.reports.takeDue(tx, owner.campaign_id, now);
      if (!row?.report_every || !row.covers_from || !row.due_at) return false;
      const zone = (await campaigns.timeZones(tx, [row.company_id])).get(row.company_id) ?? 'America/Chicago';
      const every = row.report_every;
      const { before, next } = reportSpan(now, every, zone);
      const span = { from: row.covers_from, before };
      const made =
        span.before > span.from && (await leads.report(tx, row.root_id, row.campaign_id, span, MOST_LEADS));
      // Reports that wait for leads have no time of their own.
      const due =
        isPrompt(every) &&
        !(await leads.anySince(tx, row.campaign_id, new Date(Math.max(+before, +span.from))))
          ? null
          : next;
      if (made) {
        const day = (at: Date) =>
          Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();
        const first = day(span.from);
        const last = isPrompt(every) ? first : day(span.before).subtract({ days: 1 });
        const days = first.equals(last) ? `${first}` : `${first} to ${last}`;
        const words = `${made.count} ${made.count === 1 ? 'lead' : 'leads'}`;
        const hasFile = row.report_type === 'CSV';
        const details =
          row.report_type === 'details'
            ? linesOf(await leads.message(tx, made.named.slice(0, MOST_DETAILS)), made.count)
            : [];
        await send(
          tx,
          {
            kind: 'campaign.report',
            owner: ownerOf(row),
            to: row.report_to,
            sender,
            subscription: { campaignId: row.campaign_id, which: 'report' },
            content: {
              subject: isPrompt(every)
                ? `${made.count} new ${made.count === 1 ? 'lead' : 'leads'}: ${mailName(name)}`
                : `${words}, ${days}: ${mailName(name)}`,
              lines: [
                `The campaign ${mailName(name)} (#${number}) generated ${isPrompt(every) ? `${made.count} new ${made.count === 1 ? 'lead' : 'leads'}` : `${words}, ${days}`}.${hasFile ? ' See the attached file for details.' : ''}`,
                ...details,
                ...(hasFile && made.count > MOST_LEADS
                  ? [`The file contains the first ${MOST_LEADS}. Export all of them from the dashboard.`]
                  : []),
              ],
              action: { label: 'View leads', url },
              after:
                row.report_type === 'link'
                  ? []
                  : [
                      `${hasFile ? 'The file' : 'This email'} contains personal data. Handle it accordingly, and keep it only as long as you need it.`,
                    ],
            },
          },
          hasFile
            ? { name: `leads-${number}-${first}.csv`, type: 'text/csv; charset=utf-8', text: made.text }
            : undefined,
        );
        await audit.recordSystem(tx, now, ownerOf(row), {
          action: 'report.sent',
          objectKind: 'campaign',
          objectId: row.campaign_id,
          description: `Sent the report of campaign #${number}: ${words}, ${days}, to ${row.report_to.length} ${row.report_to.length === 1 ? 'address' : 'addresses'}`,
        });
      }
      if (made || (span.before > span.from && !isPrompt(every)))
        await campaigns.reports.settleReport(
          tx,
          {
            campaign_id: row.campaign_id,
            ...ownerOf(row),
            covers_from: span.from,
            covers_to: span.before,
            leads: made ? made.count : 0,
            recipients: made ? row.report_to.length : 0,
            created_at: now,
          },
          due,
        );
      else await campaigns.reports.putOff(tx, row.campaign_id, due);
      return true;
    });
  }

  const lists: Unsubscribe[] = [];
  return {
    tellOfLeads,
    /** Adds emails of another kind, which their recipients stop by the same addresses. */
    addList(stop: Unsubscribe): void {
      lists.push(stop);
    },
    /**
     * Creates the reports of a root that are due; one that fails does not hold up the others. Returns how many were
     * created.
     */
    async sendDue(rootId: string): Promise<number> {
      let made = 0;
      const failures: unknown[] = [];
      /** They stay due, and do not hold up the others. */
      const failedIds: string[] = [];
      for (;;) {
        const due = await inScope(db.app, { rootId }, (tx) =>
          campaigns.reports.dueReports(tx, rootId, clock.now(), failedIds, STEP),
        );
        const failedBefore = failedIds.length;
        let now = 0;
        for (const one of due) {
          try {
            if (await report(one)) now++;
          } catch (error) {
            failedIds.push(one.campaign_id);
            failures.push(error);
          }
        }
        made += now;
        if (due.length < STEP || (now === 0 && failedIds.length === failedBefore)) break;
      }
      if (failures.length > 0) throw failures[0];
      return made;
    },
    /** Creates the reports of every root that are due; a failure in one does not hold up the others. */
    sendAllDue(): Promise<void> {
      return tenants.eachRoot((rootId) => this.sendDue(rootId));
    },
    /**
     * Takes the recipient of a report or notice off its list, by the token in it, and remembers it: no one but the
     * recipient can add the address to a campaign of this agency again. Doing it again changes nothing. Tokens of other
     * lists stop theirs.
     * @throws Refusal 410 for a token that is not one of this tenant's
     */
    async unsubscribe(ctx: Ctx, token: string): Promise<void> {
      for (const stop of lists) if (await stop(ctx, token)) return;
      const { campaignId, which, address } = readToken(vault, token);
      await inScope(db.app, { rootId: ctx.tenant.rootId }, async (tx) => {
        const campaign = await campaigns.visible(tx, campaignId);
        if (!campaign) return;
        const at = clock.now();
        if (!(await campaigns.reports.takeOff(tx, campaignId, which, address, at))) return;
        await campaigns.reports.refuseMails(tx, ownerOf(campaign), address, at);
        await audit.recordSystem(tx, at, ownerOf(campaign), {
          action: 'report.unsubscribed',
          objectKind: 'campaign',
          objectId: campaignId,
          description: `${address} unsubscribed from the ${which === 'report' ? 'reports' : 'lead notifications'} of campaign #${campaign.number} ${campaign.name}`,
        });
      });
    },
    /** Starts sending notices, and looks for reports that are due every minute. */
    async start(): Promise<void> {
      await jobs.work(noticeJob, { pollingIntervalSeconds: 5 }, (payload) => tellOfLeads(payload));
      await jobs.work(dueJob, { pollingIntervalSeconds: 30 }, () => this.sendAllDue());
      await jobs.schedule(dueJob, '* * * * *', {});
    },
  };
}
