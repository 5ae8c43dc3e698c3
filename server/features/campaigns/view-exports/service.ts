import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { leadFilterOf } from '../../../../contract/campaigns/lead-view.ts';
import { LEAD_SORTS, LeadFilter } from '../../../../contract/campaigns/leads.ts';
import { MOST_EXPORTED } from '../../../../contract/campaigns/view-exports.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { toWire } from '../../../../contract/wire-schema.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { checkInput } from '../../../platform/http/input.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut } from '../../../platform/mail-layout.ts';
import { mailName } from '../../../platform/mail-name.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { mayNow, readingFor } from '../../accounts/auth/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Recipient } from '../../accounts/users/index.ts';
import type { Notices } from '../../money/ledger/index.ts';
import type { Leads } from '../leads/index.ts';
import type { Reports } from '../reports/index.ts';
import { nextExport } from './policy.ts';
import * as store from './store.ts';

const dueJob = defineJob('view.exports', z.object({}));

/** The purpose that the tokens of these emails are sealed for. */
const SEAL = 'view-export.recipient';
const STEP = 100;
const SENDS: LimitRule = { name: 'view-export.send', max: 10, base: 60, cap: 3600, window: 3600 };

type Sender = Awaited<ReturnType<Notices['sender']>>;
/** What an email of a view says; the file is missing if only the link is sent. */
interface Written {
  total: number;
  text?: string;
}

export type ViewExports = ReturnType<typeof createViewExports>;

const ownerOf = ({ root_id, agency_id, company_id }: Recipient) => ({ root_id, agency_id, company_id });
const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
const WORDS = { day: 'every day', week: 'every Monday', month: 'on the first of each month' };

/** Emails saved views of leads to the users who want them (docs/decisions/0335-scheduled-exports.md). */
export function createViewExports(
  platform: Platform,
  deps: {
    audit: Audit;
    leads: Leads;
    limits: Limits;
    mail: Mail;
    notices: Notices;
    reports: Reports;
    tenants: Tenants;
  },
) {
  const { db, clock, jobs, vault } = platform;
  const { audit, leads, limits, mail, notices, reports, tenants } = deps;

  /**
   * What a view asks for now. A view keeps what stood in the address, which anyone can write by hand, so it is checked
   * as what comes in by the list's call. @throws Refusal 422
   */
  async function asked(to: Recipient, { params }: store.LeadView) {
    const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
      .toZonedDateTimeISO(to.time_zone)
      .toPlainDate()
      .toString();
    try {
      const filter = await checkInput(LeadFilter, toWire(LeadFilter, leadFilterOf(params, today)));
      const sort = LEAD_SORTS.find((one) => one === params.sort) ?? 'created_at';
      return { filter, sort, order: params.dir === 'asc' ? ('asc' as const) : ('desc' as const) };
    } catch (error) {
      if (error instanceof Refusal) throw new Refusal('invalid', ownMessages.viewInvalid);
      throw error;
    }
  }

  /** Reads a view as its recipient sees it; null if it is empty. @throws Refusal 422 */
  async function read(ctx: Ctx, to: Recipient, view: store.LeadView, form: 'CSV' | 'link') {
    const { filter, sort, order } = await asked(to, view);
    const { total } = await leads.list(ctx, filter, { sort: 'created_at', order, limit: 1, offset: 0 });
    if (total === 0) return null;
    const written: Written = { total };
    if (form === 'CSV' && total <= MOST_EXPORTED) {
      written.text = '';
      for await (const line of await leads.exportLines(ctx, filter, sort, order)) written.text += line;
    }
    return written;
  }

  /** Puts the email of a view into the outbox. */
  async function post(
    tx: Tx,
    to: Recipient,
    sender: Sender,
    view: store.LeadView,
    form: 'CSV' | 'link',
    { total, text }: Written,
    reason: string,
  ): Promise<void> {
    const name = mailName(view.view_name);
    const rows = `${total.toLocaleString('en-US')} ${total === 1 ? 'lead' : 'leads'}`;
    const token = vault.seal(JSON.stringify({ userId: to.user_id, viewId: view.view_id }), SEAL);
    const address = new URLSearchParams({ ...view.params, view: view.view_id });
    const day = clock.now().toISOString().slice(0, 10);
    await mail.enqueue(tx, {
      ...layOut(
        sender,
        {
          subject: `${name}: ${rows}`,
          lines: [
            `Your saved view ${name} has ${rows}.`,
            ...(text !== undefined
              ? ['The attached file lists them.']
              : form === 'CSV'
                ? [
                    `That is more than the ${MOST_EXPORTED.toLocaleString('en-US')} that fit in a file by email. Export them from the dashboard.`,
                  ]
                : []),
          ],
          action: { label: 'Open the view', url: `${sender.site}/leads?${address}` },
          after:
            text === undefined
              ? []
              : [
                  'The file contains personal data. Handle it accordingly, and keep it only as long as you need it.',
                ],
          unsubscribe: `${sender.site}/unsubscribe/${token}`,
        },
        reason,
      ),
      ...(text === undefined
        ? {}
        : { file: { name: `leads-${day}.csv`, type: 'text/csv; charset=utf-8', text } }),
      kind: 'view.export',
      owner: ownerOf(to),
      to: { name: to.user_name, address: to.email },
      sender,
    });
  }

  const self = async (tx: Tx, ctx: Ctx) => (await store.recipientOf(tx, ctx.actor.userId)) ?? missing();

  /** The user behind a context as a recipient, and a view that they can use. @throws Refusal 404 */
  async function both(tx: Tx, ctx: Ctx, viewId: string) {
    const to = await self(tx, ctx);
    const view = (await store.viewOf(tx, to.user_id, viewId)) ?? missing();
    return { to, view };
  }

  /** Whether a recipient and a view are as they were. */
  const isSame = async (tx: Tx, to: Recipient, view: store.LeadView): Promise<boolean> =>
    isDeepStrictEqual(
      [await store.recipientOf(tx, to.user_id), await store.viewOf(tx, to.user_id, view.view_id)],
      [to, view],
    );

  /** Sends one export that is due; returns whether an email was sent by this call. */
  async function sendOne(rootId: string, due: store.Due): Promise<boolean> {
    const now = clock.now();
    const { to, view } = due;
    const next = { next_at: nextExport(now, due.every, due.time_zone) };
    const may = to && view && mayNow(to, 'lead.read');
    const written = may
      ? await read(readingFor(clock, to), to, view, due.form).catch((error: unknown) => {
          // Its filters were changed to what cannot be read: as if it were empty, until they are changed again.
          if (error instanceof Refusal) return null;
          throw error;
        })
      : null;
    const sender = written && to ? await notices.sender(ownerOf(to)) : null;
    return inScope(db.app, { rootId }, async (tx) => {
      // Whoever lost a right, was disabled, or got another address while it was read gets what they may have then.
      if (written && !(await isSame(tx, to!, view!))) return false;
      if (!(await store.take(tx, due, sender ? { ...next, sent_at: now } : next))) return false;
      if (!sender || !to || !view || !written) return false;
      await post(
        tx,
        to,
        sender,
        view,
        due.form,
        written,
        `you have this view emailed ${WORDS[due.every]} by ${sender.name}. Change that beside the view`,
      );
      if (written.text !== undefined)
        await audit.recordSystem(tx, now, ownerOf(to), {
          action: 'view.exported',
          objectKind: 'list_view',
          objectId: view.view_id,
          description: `Emailed the view ${view.view_name} with ${written.total} leads to ${to.email}`,
        });
      return true;
    });
  }

  reports.addList(async (ctx, token) => {
    let given: { userId: string; viewId: string };
    try {
      given = z.object({ userId: z.uuid(), viewId: z.uuid() }).parse(JSON.parse(vault.open(token, SEAL)));
    } catch {
      return false;
    }
    await inScope(db.app, { rootId: ctx.tenant.rootId }, async (tx) => {
      const to = await store.recipientOf(tx, given.userId);
      if (!to || !(await store.stopExport(tx, given.userId, given.viewId))) return;
      await audit.recordSystem(tx, clock.now(), ownerOf(to), {
        action: 'view.export_unsubscribed',
        objectKind: 'list_view',
        objectId: given.viewId,
        description: `${to.email} unsubscribed from a saved view`,
      });
    });
    return true;
  });

  return {
    /** Which views are emailed to the user. @throws Refusal 404 for others than a client's or an agency's */
    mine: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const to = await self(tx, ctx);
        return { to, exports: await store.exportsOf(tx, to.user_id) };
      }),

    /** Has a view emailed to the user; a file takes a fresh confirmation, as a download does. @throws Refusal 404, 403, 422 */
    async set(ctx: Ctx, viewId: string, schedule: store.Schedule): Promise<Date> {
      await inScope(db.app, ctx.scope, (tx) => both(tx, ctx, viewId));
      if (schedule.form === 'CSV') await ctx.mustBeConfirmed();
      return inScope(db.app, ctx.scope, async (tx) => {
        const { to, view } = await both(tx, ctx, viewId);
        await asked(to, view);
        const next_at = nextExport(clock.now(), schedule.every, to.time_zone);
        const known = await store.exportsOf(tx, to.user_id);
        if (!known.some((one) => one.view_id === viewId)) {
          await boundedBy(tx, 'viewExports', to.user_id, 'every');
          await boundedBy(tx, 'viewExportsOfCompany', to.company_id, 'every');
        }
        await store.setExport(tx, to, viewId, { ...schedule, next_at });
        await audit.record(tx, ctx, {
          action: 'view.export',
          objectKind: 'list_view',
          objectId: viewId,
          description: `Has the view ${view.view_name} emailed ${WORDS[schedule.every]}, ${schedule.form === 'CSV' ? 'as a file' : 'as a link'}`,
        });
        return next_at;
      });
    },

    /** Stops emailing a view to the user. @throws Refusal 404 */
    stop: (ctx: Ctx, viewId: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        if (!(await store.stopExport(tx, ctx.actor.userId, viewId))) missing();
        await audit.record(tx, ctx, {
          action: 'view.export_stop',
          objectKind: 'list_view',
          objectId: viewId,
          description: 'Stopped having a view emailed',
        });
      }),

    /**
     * Emails a view to the user now; returns their address.
     * @throws Refusal 404, 403, 422 if the view is empty or the company sends the user no emails, 429
     */
    async send(ctx: Ctx, viewId: string, form: 'CSV' | 'link'): Promise<string> {
      const { to, view } = await inScope(db.app, ctx.scope, (tx) => both(tx, ctx, viewId));
      if (form === 'CSV') await ctx.mustBeConfirmed();
      if (to.is_blocked) throw new Refusal('invalid', ownMessages.viewMailsOff);
      await limits.take(SENDS, ctx.actor.userId);
      const written = await read(ctx, to, view, form);
      if (!written) throw new Refusal('invalid', ownMessages.viewEmpty);
      const sender = await notices.sender(ownerOf(to));
      await inScope(db.app, ctx.scope, async (tx) => {
        await post(tx, to, sender, view, form, written, `you asked for this view at ${sender.name}`);
        await audit.record(tx, ctx, {
          action: 'view.export_send',
          objectKind: 'list_view',
          objectId: viewId,
          description: `Asked for the view ${view.view_name} with ${written.total} leads by email`,
        });
      });
      return to.email;
    },

    /** Sends the exports of a root that are due, each once; returns how many emails were sent. */
    async sendDue(rootId: string): Promise<number> {
      const failures: unknown[] = [];
      /** They stay due, and do not hold up the others. */
      const failed: store.Due[] = [];
      let sent = 0;
      for (;;) {
        const due = await inScope(db.app, { rootId }, (tx) =>
          store.dueExports(tx, rootId, clock.now(), failed, STEP),
        );
        for (const one of due) {
          try {
            if (await sendOne(rootId, one)) sent++;
          } catch (error) {
            failed.push(one);
            failures.push(error);
          }
        }
        if (due.length < STEP) break;
      }
      if (failures.length > 0) throw failures[0];
      return sent;
    },

    /** Sends the exports of every root that are due; a failure in one does not hold up the others. */
    sendAllDue(): Promise<void> {
      return tenants.eachRoot((rootId) => this.sendDue(rootId));
    },

    /** Looks every quarter of an hour what is due: time zones differ by quarters. */
    async start(): Promise<void> {
      await jobs.work(dueJob, { pollingIntervalSeconds: 30 }, () => this.sendAllDue());
      await jobs.schedule(dueJob, '*/15 * * * *', {});
    },
  };
}
