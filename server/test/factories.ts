import { hash } from 'node:crypto';
import type { BannerDesign } from '../../contract/ads/banner-rules.ts';
import type { ProfileKey } from '../../contract/audience/enrichment-fields.ts';
import { type CampaignRules, NEW_RULES, rulesIn } from '../../contract/campaigns/campaign-rules.ts';
import { SCOPE_NAMES } from '../../contract/developer/developer-rules.ts';
import type { Version } from '../../contract/developer/versions.ts';
import type { NewCompany } from '../features/accounts/tenants/index.ts';
import type { Search, SearchModule } from '../features/campaigns/campaigns/index.ts';
import type { NewKey } from '../features/developer/api/index.ts';
import type { Bill } from '../features/money/invoices/index.ts';
import type { Retail } from '../features/money/pricing/index.ts';
import { vendors } from '../integrations/index.ts';
import type { Clock, ManualClock } from '../platform/clock.ts';
import { newToken } from '../platform/crypto.ts';
import { Ctx } from '../platform/ctx.ts';
import { inScope } from '../platform/db/scope.ts';
import { newId } from '../platform/ids.ts';
import type { Platform } from '../platform/platform.ts';
import type { Services } from '../services.ts';

/** A company as created by the factories. */
export interface Company {
  id: string;
  root_id: string;
  agency_id: string | null;
}

/** A campaign as created by the factories. */
export interface MadeCampaign {
  id: string;
  siteKey: string;
  owner: { root_id: string; agency_id: string; company_id: string };
}

/** One made-up person, as in a row of an import. */
export interface MadePerson extends Partial<Record<ProfileKey, string>> {
  external_id?: string;
  first_name: string;
  last_name: string;
  email: string;
  phone?: string;
  address?: string;
  city?: string;
  state?: string;
  zip?: string;
  company_name?: string;
  job_title?: string;
  /** Whether the numbers are on a do-not-call list: one mark for all, or one for each. */
  phone_dnc?: string;
}

type Terms = Parameters<Services['billing']['accounts']['setTerms']>[2];
type Accepted = Parameters<Services['agreements']['accept']>[1];

const ownerOf = ({ id, root_id, agency_id }: Company) => ({ root_id, agency_id, company_id: id });
/** A banner's design with one text, in one size. */
export const anyDesign = (): BannerDesign => ({
  background: '#1f5c43',
  border: null,
  sizes: ['300x250'],
  layers: [
    {
      id: 'title',
      name: 'Title',
      kind: 'text',
      text: 'Packs that are repaired, not replaced',
      font: 'inter',
      bold: true,
      color: '#ffffff',
      align: 'left',
      fill: null,
      radius: 0,
      anchor_x: 'left',
      anchor_y: 'top',
      opacity: 1,
      frames: { '300x250': { x: 20, y: 20, width: 200, height: 60, text_size: 22 } },
    },
  ],
});
export const sha256 = (text: string): string => hash('sha256', text.trim().toLowerCase());
export const md5 = (text: string): string => hash('md5', text.trim().toLowerCase());

/** A browser that is on no bot list. */
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

/** Creates everything that tests and the demo need, through the features' own interfaces. */
export function createFactories(features: Services, platform: Platform) {
  const { db } = platform;
  const clock: Clock | ManualClock = platform.clock;
  let serial = 0;
  const next = (): number => ++serial;
  /** An address in its own network, as site visitors have. */
  const anyAddress = (): string => {
    const n = next();
    return `100.${64 + ((n >> 8) & 63)}.${n & 255}.${1 + ((n >> 14) & 127)}`;
  };

  /** A company's owner who has just signed in. */
  const ownerCtx = (company: Company, userId: string, userAgent = ''): Ctx => {
    const { id, root_id, agency_id } = company;
    const kind = id === root_id ? 'root' : id === agency_id ? 'agency' : 'client';
    const place = { rootId: root_id, agencyId: agency_id, companyId: id, kind } as const;
    return new Ctx({
      tenant: { ...place, host: '', companyName: '', timeZone: 'UTC' },
      actor: {
        ...place,
        userId,
        sessionId: '',
        grade: `${kind}.owner`,
        isAccountExecutive: false,
        modules: null,
        trueActor: null,
      },
      requestId: newId(clock.now()),
      clock,
      ip: '127.0.0.1',
      userAgent,
      origin: '',
    });
  };

  return {
    root(given: Partial<NewCompany> = {}): Promise<Company> {
      const id = given.id ?? newId(clock.now());
      return inScope(db.app, { rootId: id }, (tx) =>
        features.tenants.create(tx, { name: `Root ${next()}`, host: `root${next()}.test`, ...given, id }),
      );
    },
    agency(root: Company, given: Partial<NewCompany> = {}): Promise<Company> {
      return inScope(db.app, { rootId: root.id }, (tx) =>
        features.tenants.create(tx, {
          name: `Agency ${next()}`,
          host: `agency${next()}.test`,
          ...given,
          rootId: root.id,
        }),
      );
    },
    client(agency: Company, given: Partial<NewCompany> = {}): Promise<Company> {
      return inScope(db.app, { rootId: agency.root_id }, (tx) =>
        features.tenants.create(tx, {
          name: `Client ${next()}`,
          ...given,
          rootId: agency.root_id,
          agencyId: agency.id,
        }),
      );
    },
    /** Creates many clients of an agency, named in sequence. */
    async clients(agency: Company, count: number, name = 'Client'): Promise<Company[]> {
      const made: Company[] = [];
      for (let i = 1; i <= count; i++)
        made.push(await this.client(agency, { name: `${name} ${String(i).padStart(2, '0')}` }));
      return made;
    },
    /** Creates a user of a company; without a hash or password, no one can sign in as them. */
    async user(
      company: Company,
      given: {
        email?: string;
        name?: string;
        role?: 'owner' | 'administrator' | 'sales';
        password?: string;
        passwordHash?: string;
        isAccountExecutive?: boolean;
        phone?: { number: string; country: string; calling: string };
        roleId?: string;
        profileDone?: boolean;
      } = {},
    ): Promise<{ id: string; email: string }> {
      const email = given.email ?? `user${next()}@people.test`;
      const id = await inScope(db.app, { rootId: company.root_id }, (tx) =>
        features.users.create(tx, { company, role: 'owner', name: `User ${next()}`, ...given, email }),
      );
      return { id, email };
    },
    /**
     * Completes a company's setup: its address, its agreement and the sandbox's card, and for an agency the sandbox's
     * account with the first package.
     */
    async setUp(company: Company, userId: string): Promise<void> {
      const { accounts } = features.billing;
      if (company.agency_id === company.id)
        await accounts.sandboxAccount({ ...ownerOf(company), agency_id: company.id }, 'approve');
      await accounts.sandboxCard({ ...ownerOf(company), agency_id: company.agency_id! }, 'works');
      await this.details(company, {
        phone: `+1202555${String(2000 + next()).slice(-4)}`,
        address: `${next()} Market Street`,
        city: 'Chicago',
        state_code: 'IL',
        zip: '60601',
        country_code: 'US',
      });
      await this.accept(
        company,
        userId,
        company.agency_id === company.id ? 'default_agency' : 'default_client',
      );
    },
    /** Sets some of a company's details: its email address, phone, place. */
    details(company: Company, values: Parameters<Services['tenants']['setDetails']>[2]): Promise<void> {
      return inScope(db.app, { rootId: company.root_id }, (tx) =>
        features.tenants.setDetails(tx, company.id, values),
      );
    },
    /** Accepts a document as a user on behalf of their company. */
    accept(company: Company, userId: string, document: Accepted['document']): Promise<void> {
      return inScope(db.app, { rootId: company.root_id }, (tx) =>
        features.agreements.accept(tx, {
          owner: ownerOf(company),
          userId,
          document,
          at: clock.now(),
          ip: null,
        }),
      );
    },
    /** Publishes the next version of an agreement that a company makes with others. */
    async publish(
      company: Company,
      userId: string,
      given: { document: Accepted['document']; title: string; body: string; noticeDays: number },
    ): Promise<void> {
      const ctx = ownerCtx(company, userId);
      const { version } = await features.agreements.texts.versions(ctx, given.document);
      await features.agreements.texts.publish(ctx, { ...given, baseVersion: version });
    },
    /** Accepts the newest version of a document as someone who has read it. */
    async agree(
      company: Company,
      userId: string,
      document: Accepted['document'],
      userAgent?: string,
    ): Promise<void> {
      await features.agreements.agree(ownerCtx(company, userId, userAgent), document, {
        isReadToEnd: true,
        timeZone: 'America/Chicago',
        location: 'Agreements',
      });
    },
    /** The signed file of what a client accepted. Returns its file_uuid. */
    async agreementFile(client: Company, userId: string): Promise<string> {
      const ctx = ownerCtx({ ...client, id: client.agency_id! }, userId);
      return (await features.agreements.files.ofCompany(ctx, client.id, features.agreements.requiredOf)).id;
    },
    /**
     * Sets how a company is billed: manually, failed, excluded from the minimum spend, in API mode, without white
     * label.
     */
    terms(company: Company, values: Omit<Terms, 'updated_at'>): Promise<void> {
      const at = clock.now();
      return inScope(db.app, { rootId: company.root_id }, (tx) =>
        features.billing.accounts.setTerms(
          tx,
          { ...ownerOf(company), agency_id: company.agency_id! },
          { ...(values.api_mode ? { api_mode_since: at } : {}), ...values, updated_at: at },
        ),
      );
    },
    /** A minimum spend that a root applies to its agencies by default, announced to those it affects. */
    async minimumSpend(
      root: Company,
      plan: Parameters<Services['plans']['insertDefault']>[2],
    ): Promise<void> {
      await inScope(db.app, { rootId: root.id }, (tx) =>
        features.plans.insertDefault(tx, root, plan, clock.now()),
      );
      await features.minimumSpend.offers.announce(root.id);
    },
    /**
     * An agency's own domain: entered and not checked yet; waiting for its second record; served; or still served for
     * three days after its records disappeared. Returns the record that proves ownership.
     */
    customDomain(
      agency: Company,
      host: string,
      state: 'entered' | 'waiting' | 'verified' | 'failing',
    ): Promise<{ name: string; value: string }> {
      const none = { ownership: 'missing' as const, texts: [], address: 'missing' as const, addresses: [] };
      const half = { ...none, ownership: 'found' as const };
      const both = { ...half, address: 'found' as const };
      const looks = { entered: [], waiting: [half], verified: [both], failing: [both, none] }[state];
      return features.settings.domains.place(ownerOf(agency), host, looks);
    },
    /** An agency with developer mode, whose terms one of its users has accepted; its fee is posted, without an invoice. */
    async developer(agency: Company, userId: string): Promise<void> {
      await this.terms(agency, { api_mode: true });
      await this.accept(agency, userId, 'developer');
      const owner = ownerOf(agency);
      const root = { root_id: agency.root_id, agency_id: null, company_id: agency.root_id };
      await inScope(db.app, { rootId: agency.root_id }, async (tx) => {
        const since = (await features.billing.accounts.terms(tx, agency.id)).api_mode_since;
        const fee = {
          owner,
          kind: 'developer_fee' as const,
          referenceId: null,
          memo: 'One-time developer API fee',
          key: `developer_fee:${agency.id}:${since?.toISOString() ?? 'first'}`,
          entries: [
            { account: { owner, kind: 'agency_payable' as const }, amount: -1_000_000n },
            { account: { owner: root, kind: 'root_revenue' as const }, amount: 1_000_000n },
          ],
        };
        await features.ledger.post(tx, [fee], clock.now());
      });
    },
    /** The same as when its owner does it on the page, with the fee paid by the card on file. */
    async becomeDeveloper(agency: Company, userId: string): Promise<void> {
      await this.terms(agency, { api_mode: true });
      await features.developer.accept(ownerCtx(agency, userId), { companyName: '', location: 'Developer' });
      const [charge] = await inScope(db.app, { rootId: agency.root_id }, async (tx) => {
        const { id } = await tx
          .selectFrom('invoice')
          .select('id')
          .where('company_id', '=', agency.id)
          .where('kind', '=', 'developer')
          .executeTakeFirstOrThrow();
        return features.payments.charges.of(tx, agency.id, 'wholesale', id, 1);
      });
      await features.payments.core.ask(agency.root_id, charge!.id);
    },
    /** An API key of an agency with developer mode, created by its owner. */
    async apiKey(
      agency: Company,
      userId: string,
      { version, ...given }: Partial<NewKey> & { version?: Version } = {},
    ) {
      const ctx = ownerCtx(agency, userId);
      const made = await features.developer.make(ctx, {
        name: 'API key',
        mode: 'live',
        scopes: [...SCOPE_NAMES],
        expires_in_days: null,
        ...given,
      });
      if (version) await features.developer.setVersion(ctx, made.id, version);
      return made;
    },
    /** A webhook endpoint of an agency that is told of events about its clients, sent as soon as workers run. */
    async hook(
      agency: Company,
      userId: string,
      given: { url: string; description?: string; types?: string[]; about?: Company[] },
    ): Promise<{ id: string; secret: string }> {
      const { hooks } = features.developer.api;
      const { about = [], types = ['*'], ...rest } = given;
      const { row, secret } = await hooks.create(ownerCtx(agency, userId), { ...rest, types });
      await hooks.fan({
        ...{ rootId: agency.root_id, agencyId: agency.id, type: 'client.created' },
        at: clock.now().toISOString(),
        events: about.map(({ id }) => ({ objectId: id, clientId: id, key: `client.created ${id}` })),
      });
      return { id: row.id, secret };
    },
    /** Requests with a key of an agency, as its program made them. */
    async apiRequests(
      agency: Company,
      userId: string,
      keyId: string,
      given: {
        method?: string;
        route: string;
        path?: string;
        status?: number;
        body?: object;
        problem?: object;
      }[],
    ): Promise<void> {
      const caller = await features.developer.auth.asKey(ownerCtx(agency, userId), keyId);
      for (const { method = 'GET', route, path = route, status = 200, body, problem } of given)
        features.developer.requests.add({
          id: newId(clock.now()),
          ...{ caller, method, route, url: path, status, body, problem },
          durationMs: 12 + (next() % 40),
          idempotencyKey: method === 'GET' ? undefined : newId(clock.now()),
        });
      await features.developer.requests.flush();
    },
    /** An exclusion list of a company, in force. */
    exclusionList: (company: Company, level: 'agency' | 'client', lines: string[]) =>
      inScope(db.app, { rootId: company.root_id }, (tx) =>
        features.exclusions.addList(
          tx,
          { owner: ownerOf(company), ownerId: company.id, level, name: 'list.csv', lines },
          clock.now(),
        ),
      ),
    /** A fee that an agency owes its root. */
    fee(agency: Company, amount: bigint): Promise<void> {
      const owner = { ...ownerOf(agency), agency_id: agency.id };
      const root = { root_id: agency.root_id, agency_id: null, company_id: agency.root_id };
      return inScope(db.app, { rootId: agency.root_id }, async (tx) => {
        await features.ledger.post(
          tx,
          [
            {
              owner,
              kind: 'monthly_fee',
              referenceId: agency.id,
              key: `fee:${newId(clock.now())}`,
              entries: [
                { account: { owner, kind: 'agency_payable' }, amount: -amount },
                { account: { owner: root, kind: 'root_revenue' }, amount },
              ],
            },
          ],
          clock.now(),
        );
      });
    },
    /** Issues an invoice for what a company owes; its first charge is recorded, to be sent by the payment jobs. */
    async bill(payer: Company, given: Partial<Bill> = {}): Promise<string> {
      const issued = await inScope(db.app, { rootId: payer.root_id }, (tx) =>
        features.invoices.bill(
          tx,
          {
            owner: { ...ownerOf(payer), agency_id: payer.agency_id! },
            side: payer.id === payer.agency_id ? 'wholesale' : 'retail',
            kind: 'period',
            term: 'Monthly',
            periodKey: newId(clock.now()),
            from: null,
            to: null,
            events: { before: new Date('9999-01-01'), cycle: null },
            ...given,
          },
          clock.now(),
        ),
      );
      if (!issued) throw new Error('There was nothing to bill');
      return issued.id;
    },
    /** An agency whose payment has failed, with the invoice that its card was declined for; returns its id. */
    async failedPayment(agency: Company, amount: bigint): Promise<string> {
      const owner = { ...ownerOf(agency), agency_id: agency.id };
      await features.billing.accounts.sandboxCard(owner, 'declines');
      await this.fee(agency, amount);
      const id = await this.bill(agency);
      await features.payments.askDue();
      await this.terms(agency, { payment_status: 'failed' });
      return id;
    },
    /** Advances a sales person's sandbox account by one step. `afterMs`: how long the verification of 'submit' takes. */
    salesAccount(
      company: Company,
      userId: string,
      step: 'start' | 'submit' | 'approve',
      afterMs?: number,
    ): Promise<unknown> {
      return features.billing.accounts.sandboxAccount(
        { ...ownerOf(company), user_id: userId },
        step,
        afterMs,
      );
    },
    /** Assigns an agency to salespeople of its root, or a client to those of its agency. */
    sales(
      company: Company,
      given: Partial<Record<'representative' | 'account_executive' | 'referrer', string>>,
    ): Promise<void> {
      return inScope(db.app, { rootId: company.root_id }, async (tx) => {
        const owner = { id: company.id, root_id: company.root_id, agency_id: company.agency_id! };
        for (const [role, userId] of Object.entries(given))
          await features.sales.assign(tx, owner, role as 'representative', userId, clock.now());
      });
    },
    /**
     * Creates an active Site ID campaign for a client; prices in micro-dollars. `balance` is posted through the ledger.
     */
    /** A connection of a client, to HubSpot as its stub knows it unless given, and a destination of a campaign through it. */
    async connection(
      client: Company,
      given: {
        vendor?: string;
        name?: string;
        account?: string;
        credentials?: Record<string, string>;
        campaignId?: string;
        settings?: Record<string, string>;
        mapping?: Record<string, string>;
      } = {},
    ): Promise<{ id: string; destinationId: string }> {
      const now = clock.now();
      const [id, destinationId] = [newId(now), newId(now)];
      const vendor = vendors.get(given.vendor ?? 'hubspot')!;
      const name = given.name ?? `Connection ${next()}`;
      const owner = { root_id: client.root_id, agency_id: client.agency_id!, company_id: client.id };
      const credentials = given.credentials ?? { token: 'pat-na1-stub' };
      await inScope(db.app, { rootId: client.root_id }, async (tx) => {
        await tx
          .insertInto('connection')
          .values({
            id,
            ...owner,
            vendor: vendor.id,
            name,
            account: given.account ?? 'Account 4417',
            credentials_sealed: platform.vault.seal(JSON.stringify(credentials), 'connection.credentials'),
            state: 'connected',
            created_at: now,
            updated_at: now,
          })
          .execute();
        if (given.campaignId)
          await tx
            .insertInto('integration')
            .values({
              id: destinationId,
              ...owner,
              campaign_id: given.campaignId,
              kind: vendor.id,
              connection_id: id,
              name: `${vendor.name} · ${name}`,
              settings: JSON.stringify(given.settings ?? {}),
              mapping: JSON.stringify(given.mapping ?? {}),
              state: 'enabled',
              created_at: now,
              updated_at: now,
            })
            .execute();
      });
      return { id, destinationId };
    },

    async campaign(
      client: Company,
      given: {
        name?: string;
        siteUrl?: string;
        siteHosts?: string[];
        thankYouUrl?: string;
        price?: bigint;
        /** Costs other than the price per lead; the term is Prepaid unless given. */
        costs?: Partial<Retail>;
        balance?: bigint;
        state?: 'active' | 'paused' | 'archived';
        dailyCap?: number | null;
        siteKey?: string;
        /** The module of a keyword campaign; Search ID unless given. */
        module?: SearchModule;
        /** The data fields that it requests, by id. */
        advanced?: number[];
        b2b?: number[];
        /** A campaign that searches for this instead of watching a site. */
        search?: Partial<Search> & { keywords: string[] };
      } & Partial<CampaignRules> = {},
    ): Promise<MadeCampaign> {
      const at = clock.now();
      const id = newId(at);
      const siteKey = given.siteKey ?? features.campaigns.newSiteKey();
      const owner = { root_id: client.root_id, agency_id: client.agency_id!, company_id: client.id };
      await inScope(db.app, { rootId: client.root_id }, async (tx) => {
        await features.campaigns.insert(tx, {
          id,
          ...owner,
          module: given.search ? (given.module ?? 'locator') : 'local',
          advance_information: given.advanced ?? [],
          b2b_information: given.b2b ?? [],
          ...(given.search
            ? { search: { location: 'national', states: [], cities: [], zips: [], ...given.search } }
            : {}),
          name: given.name ?? `Campaign ${next()}`,
          state: given.state ?? 'active',
          site_key: siteKey,
          site_url: given.search ? '' : (given.siteUrl ?? 'https://shop.example.com/'),
          thank_you_url: given.thankYouUrl ?? null,
          site_hosts: given.siteHosts ?? [],
          ...rulesIn({ ...NEW_RULES, ...given }),
          daily_cap: given.dailyCap ?? null,
          price_micros: given.price ?? 0n,
          ...(given.costs ? { costs: given.costs } : {}),
          created_at: at,
          updated_at: at,
        });
        if (given.balance) {
          const of = {
            rootId: owner.root_id,
            agencyId: owner.agency_id,
            clientId: owner.company_id,
            campaignId: id,
          };
          await features.billing.topUp(tx, { ...of, amountMicros: given.balance, key: `factory-${id}` }, at);
        }
      });
      return { id, siteKey, owner };
    },
    /** An ad campaign of a client, with budgets that are not in the way unless given, and a 300x250 creative. */
    async adCampaign(
      client: Company,
      given: {
        name?: string;
        platform?: 'sandbox' | 'house' | 'simplifi';
        state?: 'active' | 'paused';
        balance?: bigint;
        clickUrl?: string;
        size?: [width: number, height: number];
        image?: Buffer;
        startsOn?: string;
        endsOn?: string;
      } & Partial<Omit<Parameters<Services['adCampaigns']['insert']>[2], 'platform'>> = {},
    ): Promise<MadeCampaign & { creativeId: string }> {
      const at = clock.now();
      const [id, creativeId] = [newId(at), newId(at)];
      const owner = { root_id: client.root_id, agency_id: client.agency_id!, company_id: client.id };
      const { name, platform: by, state, balance, clickUrl, size, image, startsOn, endsOn, ...ad } = given;
      const max_bid_micros = ad.max_bid_micros ?? 5_000_000n;
      const siteKey = features.campaigns.newSiteKey();
      await inScope(db.app, { rootId: client.root_id }, async (tx) => {
        await features.adCampaigns.insert(
          tx,
          {
            id,
            ...owner,
            module: 'simplifi',
            name: name ?? `Ads ${next()}`,
            state: state ?? 'active',
            site_key: siteKey,
            starts_on: startsOn ?? null,
            ends_on: endsOn ?? null,
            price_micros: BigInt(max_bid_micros) / 1000n,
            created_at: at,
            updated_at: at,
          },
          {
            daily_micros: 1_000_000_000n,
            monthly_micros: 10_000_000_000n,
            ...ad,
            max_bid_micros,
            platform: by ?? 'house',
          },
        );
        await features.adCampaigns.insertCreative(tx, {
          id: creativeId,
          ...owner,
          campaign_id: id,
          name: `Creative ${next()}`,
          width: size?.[0] ?? 300,
          height: size?.[1] ?? 250,
          type: 'image/png',
          bytes: image ?? Buffer.from('iVBORw0KGgo=', 'base64'),
          alt_text: 'An ad',
          click_url: clickUrl ?? 'https://shop.example.com/',
          created_at: at,
          updated_at: at,
        });
        if (balance) {
          const of = { rootId: owner.root_id, agencyId: owner.agency_id, clientId: owner.company_id };
          await features.billing.topUp(
            tx,
            { ...of, campaignId: id, amountMicros: balance, key: `factory-${id}` },
            at,
          );
        }
      });
      return { id, siteKey, owner, creativeId };
    },
    /** An audience of a client from a list, matched: of email addresses unless given. */
    audience(
      client: Company,
      given: { name?: string; origin?: 'customers' | 'other'; emails?: string[]; ips?: string[] } = {},
    ): Promise<string> {
      const owner = { root_id: client.root_id, agency_id: client.agency_id!, company_id: client.id };
      const { emails = ['someone@example.com'], ips } = given;
      return features.adAudiences.seed(owner, {
        name: given.name ?? `Audience ${next()}`,
        kind: ips ? 'ip' : 'email',
        origin: given.origin ?? 'customers',
        values: ips ?? emails,
      });
    },
    /** Aims an ad campaign at audiences, and away from others. */
    aim(campaign: MadeCampaign, included: string[], excluded: string[] = []): Promise<void> {
      const { root_id, agency_id, company_id } = campaign.owner;
      return inScope(db.app, { rootId: root_id }, (tx) =>
        features.adAudiences.aim(
          tx,
          {
            owner: { root_id, agency_id: agency_id!, company_id },
            campaignId: campaign.id,
            platform: 'house',
          },
          { included, excluded },
        ),
      );
    },
    /** One more creative of an ad campaign. */
    adCreative(
      campaign: MadeCampaign,
      given: { name: string; clickUrl: string; size: [number, number]; image: Buffer },
    ): Promise<void> {
      const at = clock.now();
      return inScope(db.app, { rootId: campaign.owner.root_id }, (tx) =>
        features.adCampaigns.insertCreative(tx, {
          id: newId(at),
          ...campaign.owner,
          campaign_id: campaign.id,
          name: given.name,
          width: given.size[0],
          height: given.size[1],
          type: 'image/png',
          bytes: given.image,
          alt_text: 'A pack by Northwind Outfitters',
          click_url: given.clickUrl,
          created_at: at,
          updated_at: at,
        }),
      );
    },
    /** An image in the library of a client or an agency; one white pixel unless given. Returns its id. */
    async media(
      company: Company,
      given: { name?: string; image?: Buffer; size?: [number, number]; by?: string } = {},
    ): Promise<string> {
      const at = clock.now();
      const id = newId(at);
      await inScope(db.app, { rootId: company.root_id }, (tx) =>
        features.adCampaigns.insertCreative(tx, {
          id,
          ...ownerOf(company),
          agency_id: company.agency_id!,
          campaign_id: null,
          name: given.name ?? `Image ${next()}`,
          width: given.size?.[0] ?? 1,
          height: given.size?.[1] ?? 1,
          type: 'image/png',
          bytes: given.image ?? Buffer.from('iVBORw0KGgo=', 'base64'),
          created_by: given.by ?? null,
          created_at: at,
          updated_at: at,
        }),
      );
      return id;
    },
    /** A banner of a client or an agency; a text in one size unless given. Returns its id. */
    async banner(
      company: Company,
      given: {
        name?: string;
        alt_text?: string;
        click_url?: string;
        design?: BannerDesign;
        by?: string;
      } = {},
    ): Promise<string> {
      const at = clock.now();
      const id = newId(at);
      const { name, design, by, ...texts } = given;
      await inScope(db.app, { rootId: company.root_id }, (tx) =>
        features.banners.insert(tx, {
          id,
          ...ownerOf(company),
          agency_id: company.agency_id!,
          name: name ?? `Banner ${next()}`,
          ...texts,
          design: JSON.stringify(design ?? anyDesign()),
          created_by: by ?? newId(at),
          created_at: at,
          updated_at: at,
        }),
      );
      return id;
    },
    /** A zone of house ads on news.example.com, of a client or an agency; 300x250 at $5 for 1,000 unless given. */
    async adZone(
      company: Company,
      given: { name?: string; key?: string; hosts?: string[]; size?: [number, number]; cpm?: bigint } = {},
    ): Promise<{ id: string; key: string }> {
      const at = clock.now();
      const id = newId(at);
      const key = given.key ?? features.campaigns.newSiteKey();
      await inScope(db.app, { rootId: company.root_id }, (tx) =>
        features.adServing.zones.insert(tx, {
          id,
          ...ownerOf(company),
          agency_id: company.agency_id!,
          key,
          name: given.name ?? `Zone ${next()}`,
          hosts: given.hosts ?? ['news.example.com'],
          width: given.size?.[0] ?? 300,
          height: given.size?.[1] ?? 250,
          cpm_micros: given.cpm ?? 5_000_000n,
          created_at: at,
          updated_at: at,
        }),
      );
      return { id, key };
    },
    /** An exchange of a root that may ask our bidder; returns its key. */
    async adExchange(root: Company, given: { name?: string } = {}): Promise<{ id: string; key: string }> {
      const at = clock.now();
      const id = newId(at);
      const { token, hash } = newToken();
      await inScope(db.app, { rootId: root.id }, (tx) =>
        features.adServing.exchanges.insert(tx, {
          id,
          ...ownerOf(root),
          name: given.name ?? `Exchange ${next()}`,
          key_hash: hash,
          created_at: at,
          updated_at: at,
        }),
      );
      return { id, key: token };
    },
    /** What a root requires of ad campaigns, and its share of what media costs. */
    adTerms(
      root: Company,
      given: Partial<Parameters<Services['adCampaigns']['putTerms']>[1]>,
    ): Promise<void> {
      return inScope(db.app, { rootId: root.id }, (tx) =>
        features.adCampaigns.putTerms(tx, {
          ...given,
          root_id: root.id,
          agency_id: null,
          company_id: root.id,
          updated_at: clock.now(),
        }),
      );
    },
    /** What the root charges an agency for a lead, in micro-dollars. */
    leadCost(agency: Company, costMicros: bigint, companyMicros = 0n): Promise<void> {
      return inScope(db.app, { rootId: agency.root_id }, (tx) =>
        features.billing.setLeadCost(tx, {
          rootId: agency.root_id,
          agencyId: agency.id,
          module: 'local',
          costMicros,
          companyMicros,
          from: new Date(0),
        }),
      );
    },
    /** Puts people into a root's graph, as an import does. */
    people: (root: Company, rows: MadePerson[], source = 'factory') =>
      inScope(db.app, { rootId: root.root_id }, (tx) =>
        features.people.addPeople(
          tx,
          root.root_id,
          rows.map((row) => ({ ...row })),
          source,
        ),
      ),
    /** A made-up person, different each time. */
    person(given: Partial<MadePerson> = {}): MadePerson {
      const n = next();
      return {
        first_name: `First${n}`,
        last_name: `Last${n}`,
        email: `person${n}.${newId(clock.now()).slice(-6)}@people.example`,
        phone: `+1504${String(5550000 + n).padStart(7, '0')}`,
        address: `${n} Main Street`,
        city: 'New Orleans',
        state: 'LA',
        zip: '70116',
        ...given,
      };
    },
    /** Sends a visit through the ingest, as the pixel would. Returns the event id. */
    async visit(
      campaign: { siteKey: string },
      given: {
        email?: string;
        hash?: Record<string, string>;
        visitorId?: string;
        ip?: string;
        url?: string;
        referrer?: string;
        title?: string;
        gpc?: boolean;
        event?: 'identify' | 'thanks';
        eventId?: string;
        userAgent?: string;
      } = {},
    ): Promise<string> {
      const i = given.eventId ?? newId(clock.now());
      await features.visits.ingest.take(
        {
          k: campaign.siteKey,
          e: [
            {
              i,
              u: given.url ?? 'https://shop.example.com/',
              ...(given.visitorId ? { v: given.visitorId } : {}),
              ...(given.email ? { h: sha256(given.email) } : {}),
              ...given.hash,
              ...(given.referrer ? { r: given.referrer } : {}),
              ...(given.title ? { t: given.title } : {}),
              ...(given.gpc ? { g: 1 } : {}),
              ...(given.event ? { n: given.event } : {}),
            },
          ],
        },
        {
          origin: new URL(given.url ?? 'https://shop.example.com/').origin,
          ip: given.ip ?? anyAddress(),
          userAgent: given.userAgent ?? BROWSER,
          gpc: false,
        },
      );
      return i;
    },
  };
}

export type Factories = ReturnType<typeof createFactories>;
