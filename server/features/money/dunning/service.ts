import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Users } from '../../accounts/users/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Billing } from '../billing/index.ts';
import type { DataWallet } from '../data-wallet/index.ts';
import type { Invoices } from '../invoices/index.ts';
import type { Ledger, Notices } from '../ledger/index.ts';
import type { MinimumSpend } from '../minimum-spend/index.ts';
import type { Payments } from '../payments/index.ts';
import { createBooks } from './books.service.ts';
import { createCollector } from './charge.service.ts';
import { createMails } from './mails.service.ts';
import { billJob, collectJob, followJob, giveBackJob, mailJob, packageJob, tellJob } from './queue.ts';
import { createTerms } from './terms.service.ts';

export type Dunning = ReturnType<typeof createDunning>;

/**
 * Money that is due (decisions 0051, 0053): charging invoices, retrying, the consequences while they stay unpaid, and
 * the changes of an agency's terms that charge immediately.
 */
export function createDunning(
  platform: Platform,
  parts: {
    tenants: Tenants;
    users: Users;
    audit: Audit;
    notices: Notices;
    ledger: Ledger;
    billing: Billing;
    invoices: Invoices;
    payments: Payments;
    campaigns: Campaigns;
    settings: Settings;
    dataWallet: DataWallet;
    minimumSpend: MinimumSpend;
  },
) {
  const { db, clock, jobs } = platform;
  const { tenants, users, audit, invoices, payments } = parts;
  const books = createBooks(platform, { ...parts, charges: payments.charges });
  const collector = createCollector(platform, { ...parts, books });
  const mails = createMails(platform, parts);
  const terms = createTerms(platform, { ...parts, collector });
  const missing = (): never => {
    throw new Refusal('not_found', ownMessages.notFound);
  };

  return {
    collector,
    terms,
    mails,

    /**
     * Pays an invoice of the actor's own company with its card. Repeating the same key returns what happened to that
     * charge, also after its cardholder has confirmed it with their bank.
     * @throws Refusal 404 for an invoice that another company pays
     */
    async pay(ctx: Ctx, id: string, key: string) {
      const { rootId, companyId, userId } = ctx.actor;
      const invoice = await inScope(db.app, ctx.scope, (tx) => invoices.byId(tx, id));
      if (invoice?.company_id !== companyId) return missing();
      const outcome = await collector.charge(rootId, id, {
        key,
        userId,
        ip: ctx.ip,
        note: (tx, { number }) =>
          audit.record(tx, ctx, {
            action: 'invoice.pay',
            objectKind: 'invoice',
            objectId: id,
            description: `Requested a card charge for invoice ${number}`,
          }),
      });
      const needed =
        outcome.status === 'authenticate'
          ? await payments.core.authentication(rootId, outcome.charge.id)
          : null;
      return { outcome, needed };
    },

    /**
     * Charges everything that a user's company has to pay, and clears its failed payment when nothing is due anymore. A
     * root settles its agencies, an agency its clients. Returns why not all of it is paid; null if it is.
     * @throws Refusal 404 for any other user
     */
    async settle(ctx: Ctx, personId: string): Promise<string | null> {
      const { rootId, userId, kind } = ctx.actor;
      const company = await inScope(db.app, ctx.scope, async (tx) => {
        const person = await users.byId(tx, personId);
        return person && tenants.company(tx, person.company_id);
      });
      if (!company?.agency_id || company.kind !== (kind === 'root' ? 'agency' : 'client')) return missing();
      const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id };
      const all = await collector.chargeAll(rootId, company.id, { userId, ip: ctx.ip });
      const unpaid = all.flatMap(({ number, outcome }) =>
        outcome.status === 'paid' || outcome.status === 'moot'
          ? []
          : [ownMessages.settleFailed(number, outcome.message)],
      );
      await inScope(db.app, { rootId }, async (tx) => {
        await books.reckon(tx, owner, clock.now());
        await audit.record(tx, ctx, {
          action: 'billing.settle',
          objectKind: 'company',
          objectId: company.id,
          description: `Charged the balance due of ${company.name}: ${all.length - unpaid.length} of ${all.length} invoices`,
          owner,
        });
      });
      return unpaid.length > 0 ? unpaid.join(' ') : null;
    },

    /** Starts retrying due charges, and handling the consequences of failures. */
    async start(): Promise<void> {
      await jobs.work(followJob, { pollingIntervalSeconds: 2 }, collector.follow);
      await jobs.work(tellJob, { pollingIntervalSeconds: 5 }, collector.tell);
      await jobs.work(mailJob, { pollingIntervalSeconds: 5 }, mails.send);
      await jobs.work(billJob, { pollingIntervalSeconds: 5 }, (of, { signal }) =>
        terms.billToDate(of, signal),
      );
      await jobs.work(giveBackJob, { pollingIntervalSeconds: 5 }, collector.giveBack);
      await jobs.work(collectJob, { pollingIntervalSeconds: 30 }, () => tenants.eachRoot(collector.collect));
      await jobs.work(packageJob, { pollingIntervalSeconds: 60 }, () =>
        tenants.eachRoot(terms.chargePackages),
      );
      await jobs.schedule(collectJob, '*/5 * * * *', {});
      await jobs.schedule(packageJob, '7 * * * *', {});
    },
  };
}
