import { NEW_RULES } from '../../../../contract/campaigns/campaign-rules.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Leads } from '../../campaigns/leads/index.ts';
import type { Billing } from '../../money/billing/index.ts';
import { madeUp } from './sandbox.policy.ts';
import * as store from './sandbox.store.ts';
import { lockCompany } from './store.ts';

/** Leads that a new sandbox has, over the last 30 days. */
const FIRST_LEADS = 40;
const DAY_MS = 86_400_000;
/** Leads that a sandbox can have. */
const MOST_LEADS = 10_000;

/** Where test keys work. */
export interface SandboxPlace {
  rootId: string;
  agencyId: string;
}

type Agency = Owner & { agency_id: string };
export type Sandbox = ReturnType<typeof createSandbox>;

/**
 * The systems that test keys work with (docs/decisions/0251-sandbox.md): each has a root, an agency and a client, with
 * campaigns and made-up leads. Being another root, it is hidden from the agency and everyone else by row level security,
 * as is the agency from it.
 */
export function createSandbox(
  { db, clock }: Platform,
  parts: { tenants: Tenants; billing: Billing; campaigns: Campaigns; leads: Leads; audit: Audit },
) {
  const { tenants, billing, campaigns, leads, audit } = parts;

  const campaign = async (
    tx: Tx,
    owner: Agency,
    given: { name: string; site?: string; keywords?: string[] },
  ): Promise<string> => {
    const at = clock.now();
    const id = newId(at);
    const { name, site = '', keywords } = given;
    const search = { location: 'national' as const, states: [], cities: [], zips: [] };
    await campaigns.insert(tx, {
      id,
      ...owner,
      name,
      module: keywords ? 'locator' : 'local',
      ...(keywords ? { search: { ...search, keywords } } : {}),
      state: 'active',
      site_key: campaigns.newSiteKey(),
      site_url: site,
      thank_you_url: null,
      site_hosts: [],
      ...NEW_RULES,
      advance_information: [],
      b2b_information: [],
      daily_cap: null,
      price_micros: 0n,
      created_at: at,
      updated_at: at,
    });
    return id;
  };

  return {
    /** The sandbox of an agency, which is made the first time. */
    of: (agency: Agency & { name: string }): Promise<SandboxPlace> =>
      inScope(db.app, { rootId: agency.root_id }, async (tx) => {
        await lockCompany(tx, agency.company_id);
        const there = await store.of(tx, agency.company_id);
        if (there) return { rootId: there.sandbox_root_id, agencyId: there.sandbox_agency_id };
        const at = clock.now();
        const rootId = newId(at);
        const agencyId = newId(at);
        await store.goOnIn(tx, rootId);
        await tenants.create(tx, { id: rootId, name: `Sandbox of ${agency.name}`.slice(0, 255) });
        await tenants.create(tx, { id: agencyId, rootId, name: agency.name });
        // Nothing in it waits for money.
        const own = { root_id: rootId, agency_id: agencyId, company_id: agencyId };
        await billing.accounts.setTerms(tx, own, { manual_bill: true, updated_at: at });
        const client = await tenants.create(tx, { rootId, agencyId, name: 'Test client' });
        const owner = { root_id: rootId, agency_id: agencyId, company_id: client.id };
        const ids = [
          await campaign(tx, owner, { name: 'Example shop', site: 'https://shop.example.com/' }),
          await campaign(tx, owner, {
            name: 'Example search',
            keywords: ['office chairs', 'standing desks'],
          }),
        ];
        for (const [n, campaignId] of ids.entries())
          await leads.makeUp(
            tx,
            { id: campaignId, owner },
            Array.from({ length: FIRST_LEADS }, (_, i) => i)
              .filter((i) => i % ids.length === n)
              .map((i) => ({
                at: new Date(at.getTime() - Math.round(((FIRST_LEADS - i) * 30 * DAY_MS) / FIRST_LEADS)),
                contact: madeUp(i),
              })),
          );
        await store.goOnIn(tx, agency.root_id);
        await store.insert(tx, {
          root_id: agency.root_id,
          agency_id: agency.agency_id,
          company_id: agency.company_id,
          sandbox_root_id: rootId,
          sandbox_agency_id: agencyId,
          created_at: at,
        });
        return { rootId, agencyId };
      }),

    /**
     * Makes a lead in a sandbox, as if a campaign had found someone: it is delivered and reported like any other.
     * Returns its id.
     * @throws Refusal 403 with a live key, 404, 409 with too many leads
     */
    async makeLead(ctx: Ctx, campaignId: string): Promise<string> {
      // A test key's place is in another root than its host.
      if (ctx.actor.rootId === ctx.tenant.rootId) throw new Refusal('forbidden', ownMessages.testKeysOnly);
      return inScope(db.app, ctx.scope, async (tx) => {
        const [row] = await campaigns.lock(tx, [campaignId]);
        if (!row || row.state === 'removed') throw new Refusal('not_found', ownMessages.notFound);
        const { root_id, agency_id, company_id } = row;
        const owner = { root_id, agency_id, company_id };
        const count = await store.leadsOf(tx, agency_id);
        if (count >= MOST_LEADS) throw new Refusal('conflict', ownMessages.sandboxFull(MOST_LEADS));
        const [id] = await leads.makeUp(
          tx,
          { id: campaignId, owner },
          [{ at: clock.now(), contact: { ...madeUp(count), page_url: row.site_url || null } }],
          true,
        );
        await audit.record(tx, ctx, {
          action: 'sandbox.lead',
          objectKind: 'lead',
          objectId: id!,
          description: `Made a lead in test mode for campaign #${row.number} ${row.name}`,
          owner,
        });
        return id!;
      });
    },
  };
}
