import { z } from 'zod';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import {
  REPORT_WORDS,
  type reportSchedules,
  type ScheduledPeriod,
  type ScheduledReport,
} from '../../../../contract/money/report-schedules.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut } from '../../../platform/mail-layout.ts';
import { inPaperTurn } from '../../../platform/paper.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { readingFor } from '../../accounts/auth/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { type Worker, workersOf } from '../../accounts/users/index.ts';
import type { Reports } from '../../campaigns/reports/index.ts';
import { nextExport } from '../../campaigns/view-exports/index.ts';
import type { Notices } from '../ledger/index.ts';
import type { ReportAnalytics } from '../report-analytics/index.ts';
import { daysOf } from './policy.ts';
import { type Asked, changeWords, reportPdf, totalsOf, totalWords } from './report.pdf.ts';
import * as store from './store.ts';

const dueJob = defineJob('report.schedules', z.object({}));

/** The purpose that the tokens of these emails are sealed for. */
const SEAL = 'report-schedule.recipient';
const STEP = 20;
const WORDS = { week: 'every Monday', month: 'on the first of each month' };

type Chosen = Pick<store.Schedule, 'report' | 'period' | 'compare' | 'every'>;
type Given = Inside<z.output<NonNullable<(typeof reportSchedules.add)['~orpc']['inputSchema']>>>;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const nameOf = ({ report }: Pick<store.Schedule, 'report'>): string =>
  REPORT_WORDS[report as ScheduledReport];
const ownerOf = ({
  root_id,
  agency_id,
  company_id,
}: Pick<Worker, 'root_id' | 'agency_id' | 'company_id'>) => ({
  root_id,
  agency_id,
  company_id,
});

export type ReportSchedules = ReturnType<typeof createReportSchedules>;

/** Where a report is on the pages: with the same days, comparison, and list. */
const pageOf = (isRoot: boolean, { report, of }: Asked, { compare }: Chosen): string => {
  const query = new URLSearchParams({
    days: `${of.starts_on}_${of.ends_on}`,
    ...(compare === 'year' ? { compare } : {}),
    ...(report === 'revenue' || report === 'month' ? {} : { by: report }),
  });
  return `/configuration/${isRoot ? 'report-analytics' : 'reports'}?${query}`;
};

/** Emails reports as PDFs to users of the company that they are about (docs/decisions/0493-reports-by-email.md). */
export function createReportSchedules(
  { db, clock, jobs, vault, log }: Platform,
  deps: {
    audit: Audit;
    mail: Mail;
    notices: Notices;
    reportAnalytics: ReportAnalytics;
    reports: Reports;
    tenants: Tenants;
  },
) {
  const { audit, mail, notices, reportAnalytics, reports, tenants } = deps;

  /** Users of a company who may read reports. */
  async function readersOf(tx: Tx, companyId: string): Promise<Worker[]> {
    const readers: Worker[] = [];
    for (const one of await workersOf(tx, companyId))
      if (await reportAnalytics.mayRead(tx, readingFor(clock, one))) readers.push(one);
    return readers;
  }

  /** What the page's own call answers, for the days before an instant. */
  async function read(ctx: Ctx, chosen: Chosen, at: Date, zone: string): Promise<Asked> {
    const days = daysOf(chosen.period as ScheduledPeriod, at, zone);
    const compare = chosen.compare as 'previous' | 'year';
    const report = chosen.report as ScheduledReport;
    const call = <Input>(handler: unknown, input: Input) =>
      (handler as (ctx: Ctx, input: Input) => Promise<never>)(ctx, input);
    if (report === 'revenue')
      return {
        report,
        of: await call(reportAnalytics.calls.revenue, { start: days.starts_on, end: days.ends_on, compare }),
      };
    return { report, of: await call(reportAnalytics.calls.report, { ...days, compare, by: report }) };
  }

  /** The report as it is at an instant, in the look of its company. */
  async function paperOf(
    ctx: Ctx,
    chosen: Chosen,
    at: Date,
    of: { time_zone: string; company_name: string; site: string },
  ) {
    const asked = await read(ctx, chosen, at, of.time_zone);
    const { companyId, rootId, kind } = ctx.actor;
    const brand = await inScope(db.app, { rootId }, (tx) => tenants.paperBrand(tx, companyId));
    const isRoot = kind === 'root';
    const page = of.site + pageOf(isRoot, asked, chosen);
    const company = { name: of.company_name, isRoot, brand, page };
    const file = await inPaperTurn(companyId, () => reportPdf(asked, company, at));
    return { asked, file, page };
  }

  async function check(tx: Tx, ctx: Ctx, { report, user_ids }: Given): Promise<void> {
    if (ctx.actor.kind !== 'root' && (report === 'revenue' || report === 'agency'))
      throw refusalOf('report', 'must be a report of an agency');
    const readers = new Set((await readersOf(tx, ctx.actor.companyId)).map(({ user_id }) => user_id));
    if (user_ids.some((id) => !readers.has(id)))
      throw refusalOf('user_ids', 'must be users of your company who may read reports');
  }

  /** Runs in the scope of a user who may read reports. @throws Refusal 403 */
  const asReader = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, ctx.scope, async (tx) => {
      if (!(await reportAnalytics.mayRead(tx, ctx))) throw new Refusal('forbidden', ownMessages.forbidden);
      return work(tx);
    });
  const zoneOf = async (tx: Tx, ctx: Ctx): Promise<string> =>
    (await tenants.company(tx, ctx.actor.companyId))!.time_zone;

  /** Sends a report that is due; returns to how many. */
  async function sendOne(rootId: string, due: store.Due): Promise<number> {
    const now = clock.now();
    const next = nextExport(now, due.every as 'week' | 'month', due.time_zone);
    const readersNow = async (tx: Tx, userIds: readonly string[]) =>
      due.removed_at
        ? []
        : (await readersOf(tx, due.company_id)).filter(
            (one) => userIds.includes(one.user_id) && !one.is_blocked,
          );
    const readers = await inScope(db.app, { rootId }, (tx) => readersNow(tx, due.user_ids));
    const sender = readers[0] && (await notices.sender(ownerOf(readers[0])));
    const made =
      sender && (await paperOf(readingFor(clock, readers[0]!), due, now, { ...due, site: sender.site }));
    return inScope(db.app, { rootId }, async (tx) => {
      const still = await store.stillDue(tx, due);
      if (!still) return 0;
      // Whoever lost the right, was taken off, or unsubscribed while it was made gets none.
      const to = made ? await readersNow(tx, still.user_ids) : [];
      await store.updateSchedule(tx, due.id, { next_at: next, last_at: now, last_sent: to.length });
      for (const one of to) await post(tx, one, sender!, due, made!);
      return to.length;
    });
  }

  /** Puts the email of a report into the outbox. */
  async function post(
    tx: Tx,
    to: Worker,
    sender: Awaited<ReturnType<Notices['sender']>>,
    due: store.Due,
    { asked, file, page }: { asked: Asked; file: Buffer; page: string },
  ): Promise<void> {
    const isRoot = to.kind === 'root';
    const { starts_on, ends_on } = asked.of;
    const token = vault.seal(JSON.stringify({ userId: to.user_id, scheduleId: due.id }), SEAL);
    await mail.enqueue(tx, {
      ...layOut(
        sender,
        {
          subject: `${nameOf(due)}, ${starts_on} to ${ends_on}`,
          lines: [
            `The attached report covers ${starts_on} to ${ends_on}, compared with ${asked.of.before.starts_on} to ${asked.of.before.ends_on}.`,
            ...totalsOf(asked, isRoot).map(({ name, now, before, isCount }) => {
              const change = changeWords(now, before);
              return `${name}: ${totalWords(now, isCount)}${change && ` (${change})`}`;
            }),
          ],
          action: { label: 'Open the report', url: page },
          unsubscribe: `${sender.site}/unsubscribe/${token}`,
        },
        `someone at ${to.company_name} has this report emailed to you ${WORDS[due.every as 'week' | 'month']}. Change that on the page of reports`,
      ),
      file: {
        name: `report-${starts_on}-to-${ends_on}.pdf`,
        type: 'application/pdf',
        text: file.toString('base64'),
        isBase64: true,
      },
      kind: 'report.scheduled',
      owner: ownerOf(to),
      to: { name: to.user_name, address: to.email },
      sender,
    });
  }

  reports.addList(async (ctx, token) => {
    let given: { userId: string; scheduleId: string };
    try {
      given = z.object({ userId: z.uuid(), scheduleId: z.uuid() }).parse(JSON.parse(vault.open(token, SEAL)));
    } catch {
      return false;
    }
    await inScope(db.app, { rootId: ctx.tenant.rootId }, async (tx) => {
      const found = await store.dropUser(tx, given.scheduleId, given.userId);
      if (!found) return;
      const { report, ...owner } = found;
      await audit.recordSystem(tx, clock.now(), owner, {
        action: 'report_schedule.unsubscribed',
        objectKind: 'report_schedule',
        objectId: given.scheduleId,
        description: `A user unsubscribed from the report ${nameOf({ report })}`,
      });
    });
    return true;
  });

  const done = (message: string) => ({ result: 'success' as const, message });
  const routes: Handlers<typeof contract.reportSchedules> = {
    list: (ctx) =>
      asReader(ctx, async (tx) => ({
        time_zone: await zoneOf(tx, ctx),
        people: (await readersOf(tx, ctx.actor.companyId)).map(({ user_id: id, user_name: name, email }) => ({
          ...{ id, name, email },
        })),
        data: (await store.schedulesOf(tx, ctx.actor.companyId)).map((row) => ({
          id: row.id,
          report: row.report as ScheduledReport,
          period: row.period as ScheduledPeriod,
          compare: row.compare as 'previous' | 'year',
          every: row.every as 'week' | 'month',
          user_ids: row.user_ids,
          is_paused: row.is_paused,
          next_at: row.next_at.toISOString(),
          last_at: row.last_at?.toISOString() ?? null,
          last_sent: row.last_sent,
          created_by: row.created_by_name ?? '',
        })),
      })),

    add: (ctx, given) =>
      asReader(ctx, async (tx) => {
        await boundedBy(tx, 'reportSchedules', ctx.actor.companyId, 'report');
        await check(tx, ctx, given);
        const now = clock.now();
        const id = newId(now);
        const zone = await zoneOf(tx, ctx);
        await store.insertSchedule(tx, {
          ...given,
          ...{ id, root_id: ctx.scope.rootId, company_id: ctx.actor.companyId },
          agency_id: ctx.actor.kind === 'root' ? null : ctx.actor.companyId,
          next_at: nextExport(now, given.every, zone),
          created_by: ctx.actor.userId,
          created_at: now,
        });
        await audit.record(tx, ctx, {
          action: 'report_schedule.add',
          objectKind: 'report_schedule',
          objectId: id,
          description: `Has the report ${nameOf(given)} emailed ${WORDS[given.every]} to ${given.user_ids.length} users`,
        });
        return { ...done('The report is scheduled.'), data: { id } };
      }),

    set: (ctx, { id, ...given }) =>
      asReader(ctx, async (tx) => {
        const row = (await store.scheduleById(tx, ctx.actor.companyId, id)) ?? missing();
        await check(tx, ctx, given);
        const isDueAnew = row.every !== given.every || (row.is_paused && !given.is_paused);
        // What was due while it was paused is not sent afterward.
        const next = isDueAnew
          ? { next_at: nextExport(clock.now(), given.every, await zoneOf(tx, ctx)) }
          : {};
        await store.updateSchedule(tx, id, { ...given, ...next });
        await audit.record(tx, ctx, {
          action: 'report_schedule.set',
          objectKind: 'report_schedule',
          objectId: id,
          description: `${given.is_paused && !row.is_paused ? 'Paused' : row.is_paused && !given.is_paused ? 'Resumed' : 'Changed'} the emailed report ${nameOf(given)}`,
        });
        return done(messages.changesSaved);
      }),

    remove: (ctx, { id }) =>
      asReader(ctx, async (tx) => {
        const row = (await store.scheduleById(tx, ctx.actor.companyId, id)) ?? missing();
        await store.deleteSchedule(tx, id);
        await audit.record(tx, ctx, {
          action: 'report_schedule.remove',
          objectKind: 'report_schedule',
          objectId: id,
          description: `Stopped emailing the report ${nameOf(row)}`,
        });
        return done(messages.deleted);
      }),
  };

  return {
    routes,

    /** A schedule's report as it would be sent now. @throws Refusal 403, 404 */
    async preview(ctx: Ctx, id: string): Promise<Buffer> {
      const { row, company } = await asReader(ctx, async (tx) => ({
        row: (await store.scheduleById(tx, ctx.actor.companyId, id)) ?? missing(),
        company: (await tenants.company(tx, ctx.actor.companyId))!,
      }));
      const { site } = await notices.sender({ ...company, company_id: company.id });
      const of = { time_zone: company.time_zone, company_name: company.name, site };
      return (await paperOf(ctx, row, clock.now(), of)).file;
    },

    /** Sends the reports of a root that are due, each once; returns how many emails were written. */
    async sendDue(rootId: string): Promise<number> {
      const failedIds: string[] = [];
      let failure: unknown;
      let sent = 0;
      for (;;) {
        const now = clock.now();
        const due = await inScope(db.app, { rootId }, (tx) =>
          store.dueSchedules(tx, rootId, now, failedIds, STEP),
        );
        for (const one of due) {
          try {
            sent += await sendOne(rootId, one);
          } catch (error) {
            // It stays due, and does not hold up the others.
            failedIds.push(one.id);
            failure ??= error;
            log.error({ err: error, schedule: one.id }, 'a scheduled report could not be sent');
            await inScope(db.app, { rootId }, (tx) => store.failed(tx, one, now));
          }
        }
        if (due.length < STEP) break;
      }
      if (failure) throw failure;
      return sent;
    },

    /** Looks every quarter of an hour what is due: time zones differ by quarters. */
    async start(): Promise<void> {
      await jobs.work(dueJob, { pollingIntervalSeconds: 30 }, () =>
        tenants.eachRoot((rootId) => this.sendDue(rootId)),
      );
      await jobs.schedule(dueJob, '*/15 * * * *', {});
    },
  };
}
