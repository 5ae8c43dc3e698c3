import { z } from 'zod';
import { OFFBOARDING_NEEDS } from '../../../../contract/accounts/permissions.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Connections } from '../../campaigns/connections/index.ts';
import type { Billing } from '../../money/billing/index.ts';
import type { Payments } from '../../money/payments/index.ts';
import type { Prepaid } from '../../money/prepaid/index.ts';
import type { Audit } from '../audit/index.ts';
import { actingFor, mayNow } from '../auth/index.ts';
import type { Companies } from '../companies/index.ts';
import type { Tenants } from '../tenants/index.ts';
import { workerOf } from '../users/index.ts';
import { type Facts, isDone, isReady, stepsOf, sum } from './policy.ts';
import * as store from './store.ts';

export type Offboarding = ReturnType<typeof createOffboarding>;

const Payload = z.object({ rootId: z.uuid(), companyId: z.uuid() });
const runJob = defineJob('offboarding.run', Payload);
const sweepJob = defineJob('offboarding.sweep', z.object({}));

/** @throws Refusal 403 */
const needAll = (ctx: Ctx): void => {
  for (const permission of OFFBOARDING_NEEDS) ctx.need(permission);
};

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/**
 * The end of a client's relationship with its agency, as a checklist whose steps look at what there is
 * (docs/decisions/0471-offboarding.md). Its job can be interrupted and run again at any point.
 */
export function createOffboarding(
  platform: Platform,
  deps: {
    audit: Audit;
    billing: Billing;
    campaigns: Campaigns;
    companies: Companies;
    connections: Connections;
    payments: Payments;
    prepaid: Prepaid;
    tenants: Tenants;
  },
) {
  const { db, clock, jobs } = platform;
  const { audit, billing, campaigns, companies, connections, payments, prepaid, tenants } = deps;

  const ownerOf = (company: { id: string; root_id: string; agency_id: string | null }) => ({
    root_id: company.root_id,
    agency_id: company.agency_id!,
    company_id: company.id,
  });
  const note = (
    tx: Tx,
    ctx: Ctx,
    action: string,
    company: Parameters<typeof ownerOf>[0] & { name: string },
    description: string,
  ) =>
    audit.record(tx, ctx, {
      action: `offboarding.${action}`,
      objectKind: 'company',
      objectId: company.id,
      description: `${description} ${company.name}`,
      owner: ownerOf(company),
    });

  /** A client of the actor's agency whose offboarding is under way, both locked. @throws Refusal 404, 409 */
  async function begun(tx: Tx, ctx: Ctx, id: string) {
    if (!(await store.client(tx, ctx.actor.companyId, id))) return missing();
    const row = await store.byClient(tx, id, true);
    if (row?.state !== 'running')
      throw new Refusal(
        'conflict',
        row ? `This offboarding is ${row.state}.` : 'This offboarding has not begun.',
      );
    return { company: await companies.child(tx, ctx, id), row };
  }

  /** How much of a client's balances the cards that paid it can get back, now or soon, in micro-dollars. */
  async function refundableOf(ctx: Ctx, rows: readonly { id: string }[]): Promise<bigint> {
    let sum = 0n;
    for (const { id } of rows) {
      const { refundable_micros, kept_micros } = await prepaid.remaining(ctx, id);
      sum += BigInt(refundable_micros) + BigInt(kept_micros);
    }
    return sum;
  }

  /** What there is of a client of the actor's agency. @throws Refusal 404 */
  async function look(ctx: Ctx, id: string) {
    const read = await inScope(db.app, ctx.scope, async (tx) => {
      const client = (await store.client(tx, ctx.actor.companyId, id)) ?? missing();
      const at = new Date(clock.now().getTime() + 1000);
      return {
        client,
        left: await store.leftOf(tx, id),
        money: await companies.moneyOf(tx, { id, kind: 'client' }, at),
        balances: await store.withBalance(tx, id),
      };
    });
    const { client, left, money } = read;
    const facts: Facts = {
      ...left,
      ...money,
      isRemoved: client.removed_at !== null,
      refundable: client.removed_at ? 0n : await refundableOf(ctx, read.balances),
      decided:
        client.state === null || client.state === 'canceled'
          ? null
          : {
              keepsBalance: client.keeps_balance!,
              deleteOn: client.delete_on!,
              isExported: client.export_at !== null,
            },
    };
    return { client, facts, steps: stepsOf(facts), balances: read.balances };
  }

  const futureDay = async (tx: Tx, companyId: string, day: string): Promise<void> => {
    const timeZone = (await tenants.company(tx, companyId))?.time_zone ?? 'UTC';
    const today = Temporal.Instant.fromEpochMilliseconds(clock.now().getTime())
      .toZonedDateTimeISO(timeZone)
      .toPlainDate()
      .toString();
    if (day < today) throw refusalOf('delete_on', `must not be before today, ${today}`);
  };

  const send = (tx: Tx, company: { id: string; root_id: string }) =>
    jobs.send(tx, runJob, [{ rootId: company.root_id, companyId: company.id }]);

  /** Archives the campaigns, with automatic purchases off first: nothing may be bought for what no longer runs. */
  async function stopCampaigns(ctx: Ctx, id: string): Promise<void> {
    for (const row of await inScope(db.app, ctx.scope, (tx) => store.openCampaigns(tx, id))) {
      if (row.module !== 'simplifi' && (await prepaid.current(ctx, row.id)).topup === 'continual')
        await prepaid.setContinual(ctx, row.id, true);
      await campaigns.setState(ctx, row.id, 'archived', 'campaign.archive');
    }
  }

  /**
   * Refunds what cards can get back. The key says how much was refunded before, so an interrupted refund goes on and a
   * second one of the same balance does not begin.
   */
  async function refund(ctx: Ctx, id: string, balances: readonly { id: string }[]): Promise<string> {
    let problem = '';
    for (const campaign of balances) {
      const { refundable_micros, refunded_micros } = await prepaid.remaining(ctx, campaign.id);
      if (refundable_micros === 0) continue;
      const key = `offboarding:${id}:${campaign.id}:${refunded_micros}`.slice(0, 100);
      const answer = await prepaid.refund(ctx, campaign.id, { key });
      if (answer.result === 'failed') problem = `A refund failed. ${answer.message}`;
    }
    return problem;
  }

  /** While an invoice is due, its payment may still be confirmed. After that, nothing should come in anymore. */
  async function endConfirmable(
    rootId: string,
    id: string,
    facts: Pick<Facts, 'confirmable' | 'owes'>,
  ): Promise<void> {
    if (facts.confirmable > 0 && facts.owes <= 0n) await payments.charges.endConfirmable(rootId, id);
  }

  return {
    /** A page of the clients that an agency offboards or has offboarded, the newest first. */
    list: (ctx: Ctx, search: string | undefined, limit: number, offset: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOf(tx, ctx.actor.companyId, search, limit, offset);
        return {
          total,
          rows: rows.map((row) => ({
            id: row.company_id,
            company_name: row.company_name,
            state: row.state,
            started_at: row.started_at.toISOString(),
            started_by_name: row.started_by_name ?? '',
            ended_at: row.ended_at?.toISOString() ?? null,
            delete_on: row.delete_on,
            keeps_balance: row.keeps_balance,
          })),
        };
      }),

    /** The checklist of a client. @throws Refusal 404 */
    async one(ctx: Ctx, id: string) {
      const { client, steps } = await look(ctx, id);
      return {
        data: {
          id: client.id,
          company_name: client.name,
          state: client.state,
          started_at: client.started_at?.toISOString() ?? null,
          started_by_name: client.started_by_name ?? '',
          ended_at: client.ended_at?.toISOString() ?? null,
          delete_on: client.delete_on,
          keeps_balance: client.keeps_balance ?? false,
        },
        steps,
        problem: client.problem ?? '',
      };
    },

    /** Begins an offboarding; a job does the rest. @throws Refusal 403, 404, 409, 422 */
    start: (ctx: Ctx, id: string, given: { keep_balance: boolean; delete_on: string }): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        needAll(ctx);
        if (!(await store.client(tx, ctx.actor.companyId, id))) return missing();
        const company = await companies.child(tx, ctx, id);
        const before = await store.byClient(tx, id, true);
        if (before && before.state !== 'canceled')
          throw new Refusal('conflict', `This offboarding is ${before.state}.`);
        await futureDay(tx, company.agency_id, given.delete_on);
        const at = clock.now();
        const terms = await billing.accounts.terms(tx, id);
        await store.begin(tx, {
          ...ownerOf(company),
          state: 'running',
          keeps_balance: given.keep_balance,
          delete_on: given.delete_on,
          was_closed: terms.campaigns_closed,
          problem: '',
          ...{ started_by: ctx.actor.userId, acts_as: ctx.actor.userId, started_at: at },
        });
        await billing.accounts.setTerms(tx, ownerOf(company), { campaigns_closed: true, updated_at: at });
        await send(tx, company);
        await note(tx, ctx, 'start', company, 'Started to offboard the client');
      }),

    /** Changes what happens with the balance, and the deletion date. @throws Refusal 403, 404, 409, 422 */
    change: (ctx: Ctx, id: string, given: { keep_balance: boolean; delete_on: string }): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        needAll(ctx);
        const { company } = await begun(tx, ctx, id);
        await futureDay(tx, company.agency_id, given.delete_on);
        await store.update(tx, id, { keeps_balance: given.keep_balance, delete_on: given.delete_on });
        await send(tx, company);
        await note(tx, ctx, 'change', company, 'Changed the offboarding of the client');
      }),

    /** Keeps that the client has its data: the last steps wait for it. @throws Refusal 403, 404, 409 */
    exported: (ctx: Ctx, id: string): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        needAll(ctx);
        const { company } = await begun(tx, ctx, id);
        await store.update(tx, id, { export_at: clock.now() });
        await send(tx, company);
        await note(tx, ctx, 'export', company, 'Confirmed the handover of data to the client');
      }),

    /** Runs the job now, with the actor's rights from now on. @throws Refusal 403, 404, 409 */
    resume: (ctx: Ctx, id: string): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        needAll(ctx);
        const { company } = await begun(tx, ctx, id);
        await store.update(tx, id, { acts_as: ctx.actor.userId, problem: '' });
        await send(tx, company);
        await note(tx, ctx, 'resume', company, 'Resumed the offboarding of the client');
      }),

    /** Ends an offboarding before it is done; what was done stays. @throws Refusal 404, 409 */
    cancel: (ctx: Ctx, id: string): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { company, row } = await begun(tx, ctx, id);
        const at = clock.now();
        await store.update(tx, id, { state: 'canceled', ended_at: at, problem: '' });
        await billing.accounts.setTerms(tx, ownerOf(company), {
          campaigns_closed: row.was_closed,
          updated_at: at,
        });
        await note(tx, ctx, 'cancel', company, 'Canceled the offboarding of the client');
      }),

    /**
     * Does what can be done now: every step looks at what there is, so that it may be interrupted, and run twice or at the
     * same time. Money that is under way is waited for. What else is missing is done by a later run.
     */
    async run({ rootId, companyId: id }: { rootId: string; companyId: string }): Promise<void> {
      const who = await inScope(db.app, { rootId }, async (tx) => {
        const row = await store.byClient(tx, id);
        if (row?.state !== 'running') return null;
        const worker = await workerOf(tx, row.acts_as);
        if (worker && OFFBOARDING_NEEDS.every((permission) => mayNow(worker, permission))) return worker;
        await store.update(tx, id, {
          problem:
            'Whoever started this may no longer offboard clients. Resume it to go on with your own rights.',
        });
        return null;
      });
      if (!who) return;
      const ctx = actingFor(clock, who);
      let problem = '';
      try {
        await stopCampaigns(ctx, id);
        await endConfirmable(rootId, id, (await look(ctx, id)).facts);
        let { facts, steps, balances } = await look(ctx, id);
        // A charge whose outcome is unknown may still become a balance.
        if (facts.charges + facts.refunds === 0) {
          problem = await refund(ctx, id, balances);
          ({ facts, steps, balances } = await look(ctx, id));
        }
        if (isDone(steps, 'deliveries'))
          for (const { id: connection } of await inScope(db.app, ctx.scope, (tx) =>
            store.connectionsOf(tx, id),
          ))
            await connections.remove(ctx, connection);
        const found = await look(ctx, id);
        if (isReady(found.steps)) {
          await inScope(db.app, ctx.scope, async (tx) => {
            const { company } = await begun(tx, ctx, id);
            // Judged once more under the lock: a charge that has begun meanwhile, or a campaign, stops it here.
            const left = await store.leftOf(tx, id);
            if (Object.values(left).some((count) => count > 0)) return;
            await companies.takeOff(tx, ctx, company, found.facts.has);
            await store.update(tx, id, { state: 'done', ended_at: clock.now(), problem: '' });
            await note(
              tx,
              ctx,
              'done',
              company,
              found.facts.has > 0n
                ? `Offboarded, with ${sum(found.facts.has)} kept as credit, the client`
                : 'Offboarded the client',
            );
          });
          companies.forget(id);
          return;
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        problem = error.message;
      }
      await inScope(db.app, ctx.scope, (tx) => store.update(tx, id, { problem: problem.slice(0, 500) }));
    },

    // For transfers (features/accounts/client-transfers).
    /** What a client still has, what of it cards can get back, and what it owes, micro-dollars. @throws Refusal 404 */
    async moneyOf(ctx: Ctx, id: string) {
      const { facts, balances } = await look(ctx, id);
      return { has: facts.has, refundable: facts.refundable, owes: facts.owes, balances };
    },
    /** Refunds balances to the cards that paid them; returns why not all, or ''. */
    refundAll: refund,
    endConfirmable,

    /** Goes on with every offboarding of a root. */
    async sweep(rootId: string): Promise<void> {
      const rows = await inScope(db.app, { rootId }, (tx) => store.running(tx, rootId));
      for (const row of rows) await this.run({ rootId, companyId: row.company_id });
    },

    async work(): Promise<void> {
      await jobs.work(runJob, { pollingIntervalSeconds: 5 }, (payload) => this.run(payload));
      await jobs.work(sweepJob, { pollingIntervalSeconds: 60 }, () =>
        tenants.eachRoot((rootId) => this.sweep(rootId)),
      );
      await jobs.schedule(sweepJob, '*/15 * * * *', {});
    },
  };
}
