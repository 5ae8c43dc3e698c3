import type { z } from 'zod';
import { Refusal } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { microsOf, usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Billing } from '../billing/index.ts';
import type { DataWallet } from '../data-wallet/index.ts';
import type { Invoices } from '../invoices/index.ts';
import type { Ledger, Posting } from '../ledger/index.ts';
import type { MinimumSpend } from '../minimum-spend/index.ts';
import type { Payments } from '../payments/index.ts';
import type { Collector } from './charge.service.ts';
import * as policy from './policy.ts';
import { billJob, followJob } from './queue.ts';
import * as store from './store.ts';

type BillPayload = z.output<typeof billJob.payload>;
/** How many clients one job bills to date. */
const BILLED_AT_ONCE = 20;

type Agency = { root_id: string; agency_id: string; company_id: string; name: string };

/** How an agency is billed: manual billing, its package, the end of its subscription (decisions 0051, 0053). */
export function createTerms(
  { db, clock, jobs, log }: Pick<Platform, 'db' | 'clock' | 'jobs' | 'log'>,
  parts: {
    tenants: Tenants;
    audit: Audit;
    billing: Billing;
    ledger: Ledger;
    invoices: Invoices;
    payments: Payments;
    campaigns: Campaigns;
    settings: Settings;
    dataWallet: DataWallet;
    minimumSpend: MinimumSpend;
    collector: Collector;
  },
) {
  const {
    tenants,
    audit,
    billing,
    ledger,
    invoices,
    payments,
    campaigns,
    settings,
    dataWallet,
    minimumSpend,
    collector,
  } = parts;
  const within = <T>(rootId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId }, work);
  const ownerOf = ({ root_id, agency_id, company_id }: Agency) => ({ root_id, agency_id, company_id });

  /**
   * An agency named by a root's user, or the actor's own.
   * @throws Refusal 403 without the permission, 404 for any other
   */
  async function agencyOf(ctx: Ctx, companyId: string): Promise<Agency> {
    ctx.need('subscription.write');
    const company = await inScope(db.app, ctx.scope, (tx) => tenants.company(tx, companyId));
    if (company?.kind !== 'agency' || !(ctx.actor.kind === 'root' || companyId === ctx.actor.companyId))
      throw new Refusal('not_found', ownMessages.notFound);
    return { root_id: company.root_id, agency_id: company.id, company_id: company.id, name: company.name };
  }

  /** Bills what a company owes up to an instant and has not been invoiced yet, once for each instant. */
  const billToDate = (
    tx: Tx,
    owner: { root_id: string; agency_id: string; company_id: string },
    until: Date,
  ) =>
    invoices.bill(
      tx,
      {
        owner,
        side: owner.company_id === owner.agency_id ? 'wholesale' : 'retail',
        kind: 'to_date',
        term: null,
        periodKey: `to_date:${until.toISOString()}`,
        from: null,
        to: until,
        events: { before: new Date(until.getTime() + 1), cycle: null },
      },
      clock.now(),
    );
  /** Has what an agency's clients owe billed once this has committed, and then, `withAgency`, what the agency owes. */
  const billLater = (tx: Tx, agency: Agency, until: Date, withAgency: boolean): Promise<void> =>
    sendBill(tx, {
      rootId: agency.root_id,
      agencyId: agency.company_id,
      at: until.toISOString(),
      withAgency,
      after: null,
    });
  const sendBill = (tx: Tx, of: BillPayload): Promise<void> =>
    jobs.send(tx, billJob, [of], { turn: of.agencyId, unlessWaiting: true });

  const unable = (why: string): Refusal =>
    new Refusal('conflict', messages.manualBillFailed, { errors: { card: [why] } });

  /**
   * Starts manual billing: clients are billed outside the system from now on, and what they owe so far is invoiced to
   * them by a job.
   */
  const beginManual = (ctx: Ctx, agency: Agency): Promise<void> =>
    within(agency.root_id, async (tx) => {
      const at = clock.now();
      await payments.cards.chargeable(tx, ownerOf(agency)).catch((error: unknown) => {
        throw error instanceof Refusal ? unable(error.message) : error;
      });
      if ((await store.lockBilling(tx, agency.company_id))?.manual_bill) return;
      await billing.accounts.setTerms(tx, ownerOf(agency), { manual_bill: true, updated_at: at });
      await billLater(tx, agency, at, false);
      await audit.record(tx, ctx, {
        action: 'billing.manual_on',
        objectKind: 'company',
        objectId: agency.company_id,
        description: `Switched to billing ${agency.name} wholesale and its clients outside the system; clients are invoiced what they owe to date`,
        owner: ownerOf(agency),
      });
    });

  /**
   * Ends manual billing. The bill to date is charged first: only when it is paid are campaigns stopped and the switch
   * flipped, so that any earlier failure leaves everything as it was, except for an invoice of what was owed anyway.
   */
  async function endManual(ctx: Ctx, agency: Agency): Promise<void> {
    const { root_id: rootId } = agency;
    const due = await within(rootId, async (tx) => {
      await payments.cards.chargeable(tx, ownerOf(agency)).catch((error: unknown) => {
        throw error instanceof Refusal ? unable(error.message) : error;
      });
      if (!(await billing.accounts.terms(tx, agency.company_id)).manual_bill) return [];
      await billToDate(tx, ownerOf(agency), clock.now());
      // Includes the bills of failed attempts, and of concurrent requests.
      return (await store.openOf(tx, agency.company_id)).filter(({ kind }) => kind === 'to_date');
    });
    for (const { id } of due) {
      const outcome = await collector.charge(rootId, id);
      if (outcome.status !== 'paid')
        throw unable('message' in outcome ? outcome.message : ownMessages.chargeUnknown);
    }
    await within(rootId, async (tx) => {
      const at = clock.now();
      // Campaigns are locked before the agency's billing, as everywhere.
      const held = await campaigns.hold(tx, { agencyId: agency.company_id }, 'billing_changed', at);
      if (!(await store.lockBilling(tx, agency.company_id))?.manual_bill) return;
      await billing.accounts.setTerms(tx, ownerOf(agency), { manual_bill: false, updated_at: at });
      await audit.record(tx, ctx, {
        action: 'billing.manual_off',
        objectKind: 'company',
        objectId: agency.company_id,
        description: `Ended manual billing of ${agency.name}; ${held.length} campaigns were stopped`,
        owner: ownerOf(agency),
      });
    });
  }

  function feeOf(
    rootId: string,
    companyId: string,
    name: string,
    month: string,
    key: string,
    amount: bigint,
  ): Posting {
    const owner = { root_id: rootId, agency_id: companyId, company_id: companyId };
    const root = { root_id: rootId, agency_id: null, company_id: rootId };
    return {
      owner,
      kind: 'monthly_fee',
      referenceId: companyId,
      memo: `Package ${name}, ${month}`,
      key,
      entries: [
        { account: { owner, kind: 'agency_payable' }, amount: -amount },
        { account: { owner: root, kind: 'root_revenue' }, amount },
      ],
    };
  }

  /**
   * Posts the month's package for every agency of a root (or one of them) that had one when the month began, in the
   * root's time zone: each once, in full. They appear on the next monthly wholesale invoice. Returns how many were
   * posted.
   */
  async function postPackages(tx: Tx, rootId: string, at: Date, agencyId?: string): Promise<number> {
    const root = await tenants.card(tx, rootId);
    if (!root) return 0;
    const { month, began } = policy.monthOf(at, root.time_zone);
    const packages = new Map((await settings.packagesOf(tx, rootId)).map((one) => [one.package_id, one]));
    const had = await store.packagesBefore(tx, rootId, began, agencyId);
    const postings = had.flatMap(({ company_id, package_id }) => {
      const chosen = packages.get(package_id);
      const amount = chosen ? microsOf(chosen.amount) : 0n;
      if (!chosen || amount === 0n) return [];
      return [feeOf(rootId, company_id, chosen.name, month, `package:${company_id}:${month}`, amount)];
    });
    return (await ledger.post(tx, postings, at)).filter(Boolean).length;
  }

  /** What choosing a package now would add to an agency's current month, micro-dollars. In the root's scope. */
  async function returnFeesOf(tx: Tx, rootId: string, agencyId: string, at: Date) {
    const timeZone = (await tenants.card(tx, rootId))?.time_zone ?? 'UTC';
    const { began: current, month } = policy.monthOf(at, timeZone);
    const { began: last } = policy.monthOf(new Date(current.getTime() - 1), timeZone);
    const packages = await settings.packagesOf(tx, rootId);
    const prices = new Map(packages.map((one) => [one.package_id, microsOf(one.amount)]));
    const had = (await store.packagesSince(tx, agencyId, last)).map(({ package_id, chosen_at }) => ({
      at: chosen_at,
      price: prices.get(package_id) ?? 0n,
    }));
    const feeFor = (packageId: string): bigint =>
      policy.returnFee(had, { last, current }, prices.get(packageId) ?? 0n);
    return { month, feeFor };
  }

  return {
    /** Switches manual billing. @throws Refusal 404, 409 with the reason under `card` when nothing was changed */
    async setManual(ctx: Ctx, companyId: string, on: boolean): Promise<void> {
      const agency = await agencyOf(ctx, companyId);
      const { manual_bill } = await within(agency.root_id, (tx) => billing.accounts.terms(tx, companyId));
      if (manual_bill === on) return;
      await (on ? beginManual(ctx, agency) : endManual(ctx, agency));
    },

    /**
     * Ends a subscription: campaigns and automatic top-ups stop, the package is gone, and a job bills clients and agency
     * to date and charges them. No campaign runs until a package is chosen again.
     * @throws Refusal 404, 409 when it has ended already
     */
    async cancel(ctx: Ctx, companyId: string): Promise<void> {
      const agency = await agencyOf(ctx, companyId);
      await within(agency.root_id, async (tx) => {
        const at = clock.now();
        const held = await campaigns.hold(tx, { agencyId: companyId }, 'cancelled', at);
        const before = await store.lockBilling(tx, companyId);
        if (before?.cancelled_at) throw new Refusal('conflict', ownMessages.notSubscribed);
        await postPackages(tx, agency.root_id, at, companyId);
        await billing.accounts.setTerms(tx, ownerOf(agency), {
          cancelled_at: at,
          package_id: '',
          package_since: null,
          updated_at: at,
        });
        await dataWallet.setContinual(tx, { rootId: agency.root_id, agencyId: companyId }, false, at);
        await billLater(tx, agency, at, true);
        await audit.record(tx, ctx, {
          action: 'subscription.cancel',
          objectKind: 'company',
          objectId: companyId,
          description: `Ended the subscription of ${agency.name}; ${held.length} campaigns were stopped`,
          owner: ownerOf(agency),
        });
      });
    },

    /**
     * The packages of the actor's own root with what choosing each adds to the current month, the subscription of their
     * own agency, and the first day on which a new choice is charged.
     */
    packages: (ctx: Ctx) =>
      within(ctx.actor.rootId, async (tx) => {
        const { rootId, agencyId } = ctx.actor;
        const at = clock.now();
        const fees = agencyId ? await returnFeesOf(tx, rootId, agencyId, at) : null;
        return {
          packages: (await settings.packagesOf(tx, rootId)).map((one) => ({
            ...one,
            feeNow: fees?.feeFor(one.package_id) ?? 0n,
          })),
          terms: agencyId ? await billing.accounts.terms(tx, agencyId) : null,
          feeFrom: policy.monthAfter(at, (await tenants.card(tx, rootId))?.time_zone ?? 'UTC'),
        };
      }),

    /**
     * Chooses an agency's package, also after its subscription had ended. One that it had last month and dropped before
     * this month began is charged for this month, too.
     * @throws Refusal 404, 422 for an unknown one
     */
    async choose(ctx: Ctx, companyId: string, packageId: string): Promise<void> {
      const agency = await agencyOf(ctx, companyId);
      await within(agency.root_id, async (tx) => {
        const at = clock.now();
        const chosen = (await settings.packagesOf(tx, agency.root_id)).find(
          (one) => one.package_id === packageId,
        );
        if (!chosen)
          throw new Refusal('invalid', 'package_id: is not one of the packages', {
            errors: { package_id: ['is not one of the packages'] },
          });
        const before = await store.lockBilling(tx, companyId);
        // The current month is still charged at the previous package.
        await postPackages(tx, agency.root_id, at, companyId);
        const { month, feeFor } = await returnFeesOf(tx, agency.root_id, companyId, at);
        const added = feeFor(packageId);
        if (added > 0n) {
          const key = `package:${companyId}:${month}:${packageId}`;
          await ledger.post(tx, [feeOf(agency.root_id, companyId, chosen.name, month, key, added)], at);
        }
        await billing.accounts.setTerms(tx, ownerOf(agency), {
          package_id: packageId,
          cancelled_at: null,
          ...(before?.package_id === packageId ? {} : { package_since: at }),
          updated_at: at,
        });
        if (before?.cancelled_at)
          await minimumSpend.cameBack(
            tx,
            { rootId: agency.root_id, agencyId: companyId },
            before.cancelled_at,
          );
        await jobs.send(tx, followJob, [{ rootId: agency.root_id, companyId }]);
        await audit.record(tx, ctx, {
          action: 'subscription.package',
          objectKind: 'company',
          objectId: companyId,
          description: `Chose the package ${chosen.name} for ${agency.name}${added > 0n ? `; added ${usd(added)} for the current month` : ''}`,
          owner: ownerOf(agency),
        });
      });
    },

    /**
     * Bills a page of an agency's clients to date, each in its own transaction, and has the next page billed; after the
     * last one, if asked to, the agency, whose costs the clients' invoices include where they can. A payer that cannot be
     * billed now does not hold up the others: it is tried again by itself. Safe to run any number of times.
     */
    async billToDate(of: BillPayload, signal?: AbortSignal): Promise<void> {
      const { rootId, agencyId } = of;
      const bill = (companyId: string) =>
        within(rootId, (tx) =>
          billToDate(tx, { root_id: rootId, agency_id: agencyId, company_id: companyId }, new Date(of.at)),
        );
      if (of.payerId) return void (await bill(of.payerId));
      const ids = await within(rootId, (tx) => store.unbilledClients(tx, agencyId, of.after, BILLED_AT_ONCE));
      const isLast = ids.length < BILLED_AT_ONCE;
      for (const payerId of isLast && of.withAgency ? [...ids, agencyId] : ids) {
        signal?.throwIfAborted();
        try {
          await bill(payerId);
        } catch (error) {
          log.error({ err: error, company: payerId }, 'a payer could not be billed to date');
          await within(rootId, (tx) => sendBill(tx, { ...of, payerId }));
        }
      }
      if (!isLast) await within(rootId, (tx) => sendBill(tx, { ...of, after: ids.at(-1)! }));
    },

    /** Charges the packages of the month to every agency of a root that had one when it began. Returns how many. */
    chargePackages: (rootId: string): Promise<number> =>
      within(rootId, (tx) => postPackages(tx, rootId, clock.now())),
  };
}
