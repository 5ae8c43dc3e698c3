import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROFILE_KEYS } from '../../contract/audience/enrichment-fields.ts';
import { NEW_ALERT } from '../../contract/campaigns/alert-rules.ts';
import type { AppParts } from '../app.ts';
import { clickfunnelsStub } from '../integrations/clickfunnels/stub.ts';
import { gohighlevelStub } from '../integrations/gohighlevel/stub.ts';
import { ManualClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { csvLine } from '../platform/csv.ts';
import { Ctx } from '../platform/ctx.ts';
import { inScope } from '../platform/db/scope.ts';
import { EventHub } from '../platform/events.ts';
import { newId } from '../platform/ids.ts';
import type { Platform } from '../platform/platform.ts';
import { simulatedEmail, simulatedPhone } from '../providers/drop/simulated.ts';
import { createServices } from '../services.ts';
import {
  type Company,
  createFactories,
  type Factories,
  type MadeCampaign,
  type MadePerson,
} from '../test/factories.ts';
import { createDemoAds } from './ads.ts';
import { seedIntent } from './intent.ts';
import { inventPeople, sequence } from './names.ts';
import { seedReturns } from './returns.ts';
import { seedDomains, seedPrograms, seedStates } from './states.ts';

const DAY_MS = 86_400_000;
const USD = 1_000_000n;
const STRETCHES = 6;
/** For how many days the demo has had ads. */
const AD_DAYS = 5;
/** Known people who come to the sites whose destinations are in trouble at the end of the last day. */
const LATE_VISITORS = 6;
/** Fixed, so that the demo shop finds its campaign again after a restart. */
export const SHOP_SITE_KEY = 'demoshop2345';

/** The service that the demo CRM is slow as. */
export const SLOW_SERVICE = 'clickfunnels';

export const RECEIVER_NAME = 'northwind';
/** Where the secret of the demo's webhook is stored, so that the receiver can check signatures. */
export const receiverSecretFile = (config: Config): string => join(config.dataDir, 'demo-receiver-secret');

/** The logins of the demo; one password for all (DEMO_PASSWORD). */
export const DEMO_LOGINS = [
  { email: 'root@demo.test', host: '', what: 'owner of the platform (master root)' },
  { email: 'agency@demo.test', host: 'acme.', what: 'owner of the agency Acme Leads' },
  { email: 'admin@demo.test', host: 'acme.', what: 'administrator of the agency Acme Leads' },
  { email: 'reader@demo.test', host: 'acme.', what: 'administrator of Acme Leads with read-only access' },
  { email: 'client@demo.test', host: 'acme.', what: 'owner of the client Northwind Outfitters' },
  { email: 'sales@demo.test', host: '', what: 'sales representative of the platform' },
  { email: 'agency2@demo.test', host: 'bluepeak.', what: 'owner of the agency Blue Peak Media' },
  { email: 'executive@demo.test', host: '', what: "the platform's account executive" },
  { email: 'seller@demo.test', host: 'acme.', what: 'account executive of the agency Acme Leads' },
  {
    email: 'cedar@demo.test',
    host: 'cedar.',
    what: 'owner of the agency Cedar Growth, offered the Data Wallet',
  },
  { email: 'newagency@demo.test', host: 'fresh.', what: 'owner of the agency Fresh Start, not set up yet' },
  { email: 'enterprise@demo.test', host: 'summit.', what: 'owner of the second root Summit Data' },
  { email: 'agency3@demo.test', host: 'ridgeline.', what: 'owner of its agency Ridgeline' },
  {
    email: 'granite@demo.test',
    host: 'granite.',
    what: 'owner of Granite Media: 25 clients, a failed payment, a domain waiting for a DNS record, developer mode turned off again',
  },
  {
    email: 'juniper@demo.test',
    host: 'juniper.',
    what: 'owner of Juniper Ads: developer mode without a key, no white label',
  },
  {
    email: 'walnut@demo.test',
    host: 'walnut.',
    what: 'owner of Walnut Partners: manual billing, a newly added domain',
  },
  {
    email: 'oakwood@demo.test',
    host: 'oakwood-portal.',
    what: 'owner of Oakwood Digital: a custom domain, developer mode with API keys',
  },
  {
    email: 'pending@demo.test',
    host: '',
    what: 'sales representative of the platform, payment account form not finished',
  },
  {
    email: 'verifying@demo.test',
    host: '',
    what: 'sales representative of the platform, payment account being verified',
  },
  { email: 'client2@demo.test', host: 'acme.', what: 'owner of the client Harbor Dental Care' },
  { email: 'client3@demo.test', host: 'acme.', what: 'owner of the client Evergreen Realty Group' },
  { email: 'client4@demo.test', host: 'bluepeak.', what: 'owner of the client Pinecrest Solar' },
  { email: 'client5@demo.test', host: 'bluepeak.', what: 'owner of the client Lakeside Auto' },
  { email: 'client6@demo.test', host: 'ridgeline.', what: 'owner of the client Orchard Home Goods' },
] as const;

/** The people whose addresses the shop offers to first-time users: known to the graph, but not leads yet. */
export const shopPeople = (): MadePerson[] =>
  inventPeople(6, 99).map((person, i) => ({ ...person, email: `visitor${i + 1}@demo.example` }));

const mark = (letter: string, color: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="10" fill="${color}"/><text x="20" y="28" font-family="system-ui,sans-serif" font-size="22" font-weight="700" text-anchor="middle" fill="#fff">${letter}</text></svg>`,
  );

/**
 * Fills an empty installation with a tenant tree and some weeks of activity, through the same features and factories
 * that everything else uses, on a clock that is advanced day by day.
 * @param progress called with the share that is done, from 0 to 1
 */
export async function seedDemo(
  platform: Platform,
  parts: Pick<AppParts, 'outboundExceptions'>,
  config: Config,
  receiver: string,
  progress: (share: number) => void = () => {},
): Promise<void> {
  const now = platform.clock.now();
  const days = config.demoDays;
  const begin = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - days * DAY_MS);
  const clock = new ManualClock(begin);
  const past: Platform = { ...platform, clock, events: new EventHub() };
  const features = createServices(past, { outboundExceptions: parts.outboundExceptions });
  const make = createFactories(features, past);
  const domain = config.rootDomain;
  const passwordHash = await features.users.hashPassword(config.demoPassword);
  const random = sequence(7);
  await createServices({ ...platform, events: new EventHub() }).visits.keepPartitions(days + 2);

  // The tree: a master root with two agencies, and a second root.
  const master = await make.root({
    name: 'Meridian Platform',
    host: domain,
    isMaster: true,
    brand: {
      name: 'Meridian',
      tagline: 'Know who is interested',
      link_color: '#3b5bdb',
      logo: mark('M', '#3b5bdb'),
    },
  });
  const summit = await make.root({
    name: 'Summit Data',
    host: `summit.${domain}`,
    brand: { name: 'Summit Data', link_color: '#7048e8', logo: mark('S', '#7048e8') },
  });
  const acme = await make.agency(master, {
    name: 'Acme Leads',
    host: `acme.${domain}`,
    brand: {
      name: 'Acme Leads',
      tagline: 'More of the right customers',
      link_color: '#0b7285',
      sidebar_bgcolor: '#0b3b45',
      box_bgcolor: '#0b7285',
      logo: mark('A', '#0b7285'),
    },
    modules: [{ module: 'local', name: 'Visitor ID', slug: 'visitor-id' }],
  });
  const bluepeak = await make.agency(master, {
    name: 'Blue Peak Media',
    host: `bluepeak.${domain}`,
    brand: {
      name: 'Blue Peak',
      tagline: 'Growth for local business',
      link_color: '#d9480f',
      sidebar_bgcolor: '#2b1d14',
      logo: mark('B', '#d9480f'),
    },
  });
  const ridge = await make.agency(summit, {
    name: 'Ridgeline Agency',
    host: `ridgeline.${domain}`,
    brand: { name: 'Ridgeline', link_color: '#2b8a3e', logo: mark('R', '#2b8a3e') },
  });
  // Signing up can be tried at the platform (as an agency) and at Acme (as its client).
  await inScope(platform.db.app, { rootId: master.id }, async (tx) => {
    for (const company of [master, acme]) await features.tenants.setRegistration(tx, company.id, true);
  });
  await make.leadCost(acme, 900_000n, 300_000n);
  await make.leadCost(bluepeak, 1_000_000n);
  await make.leadCost(ridge, 1_100_000n);
  // Acme pays for its leads from a Data Wallet while it lasts; the platform's own cost per lead is also known.
  await inScope(platform.db.app, { rootId: master.id }, async (tx) => {
    await features.billing.setSupplierCost(tx, {
      rootId: master.id,
      module: 'local',
      costMicros: 350_000n,
      from: begin,
    });
  });
  const topUp = (agency: typeof acme, amountMicros: bigint, key: string) =>
    inScope(platform.db.app, { rootId: agency.root_id }, (tx) =>
      features.wallet.topUp(
        tx,
        { rootId: agency.root_id, agencyId: agency.id, amountMicros, key },
        clock.now(),
      ),
    );
  await topUp(acme, 500n * USD, 'demo-1');
  await topUp(acme, 250n * USD, 'demo-2');
  const northwind = await make.client(acme, { name: 'Northwind Outfitters', industry: 'Outdoor gear' });
  const harbor = await make.client(acme, { name: 'Harbor Dental Care', industry: 'Dental care' });
  const evergreen = await make.client(acme, { name: 'Evergreen Realty Group', industry: 'Real estate' });
  const pinecrest = await make.client(bluepeak, { name: 'Pinecrest Solar', industry: 'Solar energy' });
  const lakeside = await make.client(bluepeak, { name: 'Lakeside Auto', industry: 'Car repair' });
  const orchard = await make.client(ridge, { name: 'Orchard Home Goods', industry: 'Home goods' });
  const fresh = await make.agency(master, {
    name: 'Fresh Start',
    host: `fresh.${domain}`,
    brand: { name: 'Fresh Start' },
  });
  const cedar = await make.agency(master, {
    name: 'Cedar Growth',
    host: `cedar.${domain}`,
    brand: { name: 'Cedar Growth', link_color: '#5f3dc4', logo: mark('C', '#5f3dc4') },
  });
  let phones = 5550100;
  const user = async (
    company: typeof master,
    email: string,
    name: string,
    role: 'owner' | 'administrator' | 'sales' = 'owner',
    more: { isAccountExecutive?: boolean; roleId?: string } = {},
  ) => {
    const phone = { number: `202${phones++}`, country: 'US', calling: '+1' };
    const made = await make.user(company, {
      email,
      name,
      role,
      passwordHash,
      phone,
      profileDone: true,
      ...more,
    });
    if (role === 'owner' && company.agency_id) await make.setUp(company, made.id);
    return made;
  };
  const robin = await user(master, 'root@demo.test', 'Robin Master');
  await user(master, 'sales@demo.test', 'Sasha Sales', 'sales');
  const executive = await user(master, 'executive@demo.test', 'Ellis Executive', 'sales', {
    isAccountExecutive: true,
  });
  await make.salesAccount(master, executive.id, 'approve');
  await make.sales(acme, { representative: executive.id, account_executive: executive.id });
  await make.user(fresh, { email: 'newagency@demo.test', name: 'Frankie Fresh', passwordHash });
  const alex = await user(acme, 'agency@demo.test', 'Alex Acme');
  await user(cedar, 'cedar@demo.test', 'Charlie Cedar');
  // Both are in the trial of the Data Wallet, B2B, and ads; Cedar Growth has not accepted their agreements yet.
  await inScope(platform.db.app, { rootId: master.id }, async (tx) => {
    const at = clock.now();
    for (const { root_id, id } of [acme, cedar])
      await features.tenants.products.setBetaUser(tx, { root_id, agency_id: id, company_id: id }, true, at);
  });
  await make.accept(acme, alex.id, 'data_wallet');
  for (const document of ['b2b_module', 'simplifi_module'] as const)
    await make.agree(acme, alex.id, document, BROWSER);
  await user(acme, 'admin@demo.test', 'Adrian Admin', 'administrator');
  const acmeRoles = await inScope(platform.db.app, { rootId: master.id }, (tx) =>
    features.users.roles.list(tx, acme.id),
  );
  const readOnly = acmeRoles.find((role) => role.name === 'Read only')!;
  await user(acme, 'reader@demo.test', 'Riley Reader', 'administrator', { roleId: readOnly.id });
  const casey = await user(northwind, 'client@demo.test', 'Casey Northwind');
  await make.accept(northwind, casey.id, 'simplifi_module');
  const harper = await user(harbor, 'client2@demo.test', 'Harper Harbor');
  const seller = await user(acme, 'seller@demo.test', 'Sidra Seller', 'sales', { isAccountExecutive: true });
  await make.salesAccount(acme, seller.id, 'approve');
  await make.sales(harbor, { account_executive: seller.id });
  await user(bluepeak, 'agency2@demo.test', 'Blake Peak');
  await user(summit, 'enterprise@demo.test', 'Sidney Summit');
  await user(ridge, 'agency3@demo.test', 'Reese Ridge');
  for (const [client, email, name] of [
    [evergreen, 'client3@demo.test', 'Evan Evergreen'],
    [pinecrest, 'client4@demo.test', 'Piper Pinecrest'],
    [lakeside, 'client5@demo.test', 'Logan Lakeside'],
    [orchard, 'client6@demo.test', 'Olive Orchard'],
  ] as const) {
    await user(client, email, name);
  }
  const agencies = await seedStates(make, { master, summit, domain, user });
  // The support addresses, so that an agency's people are offered support.
  for (const [company, email] of [
    [master, 'support@meridian.example'],
    [acme, 'help@acme.example'],
    [bluepeak, 'help@bluepeak.example'],
  ] as const)
    await make.details(company, { email });

  // The graph: a few thousand people for the master root, fewer for the second.
  const crowd = inventPeople(3000, 1);
  const columns = [
    'first_name',
    'last_name',
    'email',
    'phone',
    'address',
    'city',
    'state',
    'zip',
    'company_name',
    'job_title',
    ...PROFILE_KEYS,
  ] as const;
  const file = join(config.dataDir, 'demo-people.csv');
  await writeFile(
    file,
    [columns, ...[...crowd, ...shopPeople()].map((person) => columns.map((column) => person[column] ?? ''))]
      .map((cells) => csvLine([...cells]))
      .join(''),
  );
  await features.people.importFile(master.id, file, {});
  await rm(file);
  // A second source knows some of them under ids of its own: people to be merged.
  await make.people(
    master,
    crowd.slice(100, 112).map((person, i) => ({
      external_id: `letter-${i}`,
      first_name: person.first_name.slice(0, 1),
      last_name: person.last_name,
      email: person.email,
      ...(i % 3 ? {} : { company_name: 'Newsletter' }),
    })),
    'import: newsletter.csv',
  );
  // Two who buy before they become leads elsewhere (demo/returns.ts).
  const hikers = inventPeople(20, 57)
    .filter(({ phone }) => phone)
    .slice(0, 2);
  await make.people(master, hikers, 'import: outdoor-partner.csv');
  const buyers = hikers.map(({ email }) => email);
  // On the simulated lists of California, whose first download deletes them.
  await make.people(
    master,
    [1, 2, 3].map((n) => ({
      first_name: 'Sandbox',
      last_name: `Person ${n}`,
      email: simulatedEmail(n),
      ...(n === 3 ? { phone: simulatedPhone(3) } : {}),
    })),
    'import: outdoor-partner.csv',
  );
  await features.drop.trySandbox(master.id);
  const summitCrowd = inventPeople(600, 2);
  await make.people(summit, summitCrowd, 'Demo people');
  await inScope(platform.db.app, { rootId: master.id }, (tx) =>
    features.exclusions.addList(
      tx,
      {
        owner: { root_id: master.id, agency_id: null, company_id: master.id },
        ownerId: master.id,
        level: 'root',
        name: 'demo_opt_outs.csv',
        lines: crowd.slice(0, 40).map((p) => p.email),
      },
      clock.now(),
    ),
  );

  // The campaigns: busy, quiet, fussy, running dry, paused, archived.
  const shopUrl = (path: string): string =>
    `http://shop.${domain}${config.port ? `:${config.port}` : ''}${path}`;
  interface Plan {
    campaign: MadeCampaign;
    crowd: MadePerson[];
    daily: number;
    pages: string[];
  }
  const plan = async (
    client: typeof northwind,
    given: Parameters<typeof make.campaign>[1],
    daily: number,
    pages: string[],
    people = crowd,
  ): Promise<Plan> => ({
    campaign: await make.campaign(client, given),
    crowd: people,
    daily,
    pages,
  });
  const plans: Plan[] = [
    await plan(
      northwind,
      {
        name: 'Outdoor shop visitors',
        siteUrl: shopUrl('/'),
        price: 2n * USD,
        balance: 4000n * USD,
        siteKey: SHOP_SITE_KEY,
        score_pages: ['product', 'newsletter'],
      },
      42,
      [shopUrl('/'), shopUrl('/product.html'), shopUrl('/newsletter.html')],
    ),
    await plan(
      northwind,
      {
        name: 'Trail guide readers',
        company_leads: true,
        costs: { lead_company_micros: 750_000n },
        siteUrl: 'https://guides.northwind.example/',
        price: 1_500_000n,
        balance: 900n * USD,
        phone_required: true,
        reidentify: '1_week',
        score_pages: ['winter'],
      },
      18,
      ['https://guides.northwind.example/', 'https://guides.northwind.example/winter'],
    ),
    await plan(
      harbor,
      {
        name: 'New patient pages',
        siteUrl: 'https://harbordental.example/',
        price: 3n * USD,
        balance: 1500n * USD,
        address_required: true,
        reidentify: '3_months',
        score_pages: ['implants'],
      },
      16,
      ['https://harbordental.example/', 'https://harbordental.example/implants'],
    ),
    await plan(
      evergreen,
      {
        name: 'Listing viewers',
        siteUrl: 'https://evergreen.example/',
        price: 2_750_000n,
        balance: 260n * USD,
        dailyCap: 8,
        score_pages: ['listing'],
      },
      22,
      ['https://evergreen.example/', 'https://evergreen.example/listing/114'],
    ),
    await plan(
      pinecrest,
      {
        name: 'Solar quote page',
        siteUrl: 'https://pinecrest.example/',
        price: 5n * USD,
        balance: 2500n * USD,
        reidentify: '6_months',
        fit_home: 'owner',
        fit_ages: ['25 to 34', '35 to 44', '45 to 54', '55 to 64'],
      },
      14,
      ['https://pinecrest.example/quote'],
    ),
    await plan(
      lakeside,
      { name: 'Used cars', siteUrl: 'https://lakeside.example/', price: 2n * USD, balance: 800n * USD },
      10,
      ['https://lakeside.example/used'],
    ),
    // Two that are billed in arrears, with fees: invoices are issued at the end of their weeks and months.
    await plan(
      northwind,
      {
        name: 'Gift guide readers',
        siteUrl: 'https://gifts.northwind.example/',
        price: 1_750_000n,
        costs: { term: 'Weekly', setup_micros: 99n * USD, month_micros: 29n * USD },
      },
      9,
      ['https://gifts.northwind.example/', 'https://gifts.northwind.example/hikers'],
    ),
    await plan(
      harbor,
      {
        name: 'Whitening offer',
        siteUrl: 'https://whitening.harbordental.example/',
        price: 3_250_000n,
        costs: { term: 'Monthly', setup_micros: 49n * USD, month_micros: 19_900_000n },
      },
      7,
      ['https://whitening.harbordental.example/'],
    ),
    await plan(
      orchard,
      {
        name: 'Home goods visitors',
        siteUrl: 'https://orchard.example/',
        price: 2n * USD,
        balance: 900n * USD,
        score_pages: ['sale'],
      },
      14,
      ['https://orchard.example/', 'https://orchard.example/sale'],
      summitCrowd,
    ),
    // Its last week cannot be charged (see below), so that the lists show a problem.
    await plan(
      lakeside,
      {
        name: 'Trade-in offer',
        siteUrl: 'https://trade-in.lakeside.example/',
        price: 2_250_000n,
        costs: { term: 'Weekly', setup_micros: 0n, month_micros: 0n },
      },
      6,
      ['https://trade-in.lakeside.example/'],
    ),
  ];
  await make.campaign(northwind, {
    name: 'Autumn sale (ended)',
    siteUrl: 'https://sale.northwind.example/',
    price: 2n * USD,
    state: 'archived',
  });
  await make.campaign(lakeside, {
    name: 'Service reminders',
    siteUrl: 'https://service.lakeside.example/',
    price: 1n * USD,
    balance: 50n * USD,
    state: 'paused',
  });

  const ownerOf = async (company: Company, userId: string): Promise<Ctx> =>
    new Ctx({
      tenant: (await features.tenants.byHost(`acme.${domain}`))!,
      actor: {
        userId,
        sessionId: '',
        rootId: master.id,
        agencyId: acme.id,
        companyId: company.id,
        kind: company === acme ? 'agency' : 'client',
        grade: company === acme ? 'agency.owner' : 'client.owner',
        isAccountExecutive: false,
        trueActor: null,
        modules: null,
      },
      requestId: 'demo',
      clock,
      ip: '127.0.0.1',
      userAgent: 'demo',
      origin: `http://acme.${domain}`,
    });
  const asCasey = await ownerOf(northwind, casey.id);
  const asAlex = await ownerOf(acme, alex.id);
  for (const ctx of [asCasey, asAlex]) {
    const view = { list: 'leads', is_shared: true, columns: null };
    await features.views.create(ctx, { ...view, name: 'Last 7 days', params: { days: '7' } });
    await features.views.create(ctx, { ...view, name: 'Austin', params: { q: 'Austin' } });
  }

  /**
   * What the delivery desk has to show: a key that is refused, a mapping that is wrong, and a service that is slow.
   */
  async function addTroubles(): Promise<void> {
    const [, guides, , , , , gifts] = plans;
    await make.connection(northwind, {
      vendor: 'sendgrid',
      name: 'Newsletter',
      account: 'SendGrid Marketing',
      credentials: { api_key: 'SG.deleted-in-the-meantime' },
      campaignId: guides!.campaign.id,
    });
    await make.connection(northwind, {
      vendor: 'gohighlevel',
      name: 'Spring team',
      account: 'Springfield Roofing',
      credentials: gohighlevelStub().credentials(''),
      campaignId: guides!.campaign.id,
      mapping: { email: 'full_name' },
    });
    await make.connection(northwind, {
      vendor: SLOW_SERVICE,
      name: 'Gift funnel',
      account: 'Springfield',
      credentials: clickfunnelsStub().credentials(''),
      campaignId: gifts!.campaign.id,
    });
  }

  // The last day's leads are delivered to the demo receiver, by the server as soon as it runs.
  async function addReceiver(): Promise<void> {
    const { secret } = await features.delivery.create(asCasey, {
      campaign_id: plans[0]!.campaign.id,
      url: `${receiver}/hooks/${RECEIVER_NAME}`,
    });
    await writeFile(receiverSecretFile(config), secret, { mode: 0o600 });
  }

  // Customers of the client, some of whom come back on the last day.
  const customers = crowd.filter(({ phone }) => phone).slice(120, 145);
  async function addCustomers(): Promise<void> {
    await inScope(platform.db.app, { rootId: master.id }, (tx) =>
      features.exclusions.addList(
        tx,
        {
          owner: { root_id: master.id, agency_id: acme.id, company_id: northwind.id },
          ownerId: northwind.id,
          level: 'client',
          name: 'our_customers.csv',
          use: 'customers',
          lines: customers.map(({ email }) => email),
        },
        clock.now(),
      ),
    );
    await features.alerts.create(asCasey, {
      ...NEW_ALERT,
      name: 'Customers back on the site',
      trigger: 'customer',
      user_ids: [casey.id],
    });
  }

  let ads: Awaited<ReturnType<typeof createDemoAds>> | undefined;
  // Some weeks of visits, each day resolved when it ends, using that day's clock.
  const referrers = ['https://www.google.com/', 'https://www.bing.com/', 'https://news.example/', ''];
  for (let day = 0; day <= days; day++) {
    const start = begin.getTime() + day * DAY_MS;
    const until = Math.min(start + DAY_MS, now.getTime());
    if (until <= start) break;
    // The graph before and the signals after take about a tenth each.
    progress(0.1 + (0.8 * day) / (days + 1));
    if (day === days) {
      await addReceiver();
      await addTroubles();
      await addCustomers();
    }
    if (day === days - 8)
      await features.billing.accounts.sandboxCard(
        { root_id: master.id, agency_id: bluepeak.id, company_id: lakeside.id },
        'declines',
      );
    // They buy in the shop, and a day later the guides find them: leads that their client returns.
    if (day === days - 3 || day === days - 2) {
      const [shop, guides] = plans;
      for (const [i, email] of buyers.entries()) {
        const browser = { visitorId: newId(clock.now()), ip: `198.19.0.${i + 1}` };
        if (day === days - 3) {
          await make.visit(shop!.campaign, { ...browser, url: shop!.pages[0]! });
          await make.visit(shop!.campaign, { ...browser, url: shop!.pages[0]!, email, event: 'thanks' });
        } else await make.visit(guides!.campaign, { ...browser, url: guides!.pages[0]!, email });
      }
      await features.leads.resolver.resolveAll();
    }
    if (day === Math.max(0, days - AD_DAYS))
      ads = await createDemoAds({
        ...{
          platform: past,
          features,
          make,
          agency: acme,
          client: northwind,
          site: plans[0]!.campaign,
          shopUrl,
        },
        newsHost: `news.${domain}`,
        people: crowd.slice(200, 260),
      });
    if (day === days - 1) await seedReturns(features, clock, { asClient: asCasey, asAgency: asAlex, buyers });
    if (day === days - 9) await topUp(acme, 500n * USD, 'demo-3');
    const weekday = new Date(start).getUTCDay();
    const busy = (weekday === 0 || weekday === 6 ? 0.6 : 1) * (0.8 + day / (days * 2));
    // Visitors come in the second half of the day (because it is in American time); on the last day, only as far as it
    // has progressed.
    const share = (until - start) / DAY_MS;
    for (let stretch = 0; stretch < STRETCHES; stretch++) {
      const at = start + (until - start) * (0.5 + (stretch + random()) / 2 / STRETCHES);
      clock.advance(at - clock.now().getTime());
      await Promise.all(
        plans.flatMap(({ campaign, crowd: people, daily, pages }) =>
          Array.from(
            { length: Math.round((daily * busy * share * (0.6 + random() * 0.8)) / STRETCHES + 0.2) },
            () => {
              const person = people[Math.floor(random() * people.length)]!;
              const n = Math.floor(random() * 65_536);
              return make.visit(campaign, {
                url: pages[Math.floor(random() * pages.length)]!,
                ip: `198.18.${n >> 8}.${n & 255}`,
                visitorId: newId(clock.now()),
                ...(random() < 0.5 ? { referrer: referrers[Math.floor(random() * referrers.length)]! } : {}),
                ...(random() < 0.42 ? { email: person.email } : {}),
                ...(random() < 0.03 ? { gpc: true } : {}),
                ...(random() < 0.04 ? { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' } : {}),
              });
            },
          ),
        ),
      );
      // Early on a weekend there may be no one yet; the destinations in trouble need someone to send.
      if (day === days && stretch === STRETCHES - 1)
        for (const { campaign, pages } of [plans[1]!, plans[6]!])
          for (const { email } of crowd.filter(({ phone }) => phone).slice(-LATE_VISITORS))
            await make.visit(campaign, { url: pages[0]!, visitorId: newId(clock.now()), email });
      if (day === days && stretch === STRETCHES - 1)
        for (const [i, { email }] of customers.slice(0, LATE_VISITORS).entries()) {
          const { campaign, pages } = plans[0]!;
          await make.visit(campaign, { url: pages[i % pages.length]!, visitorId: newId(clock.now()), email });
        }
      await features.leads.resolver.resolveAll();
      await ads?.stretch();
    }
    // Does what the jobs would: fees of a new month, closing the periods that have ended, and charging for them.
    let issued = 0;
    for (const root of [master, summit]) {
      await features.invoices.fees.sweep(root.id);
      issued += await features.invoices.close(root.id);
    }
    if (issued > 0) {
      clock.advance(60_000);
      await features.payments.askDue();
    }
  }
  // Forged sign-ups: they are held until the agency reviews them.
  const forge = async (to: Plan, ip: string, people: MadePerson[], isSeen: boolean): Promise<void> => {
    for (const { email } of people) {
      const visitorId = newId(clock.now());
      const url = to.pages[0]!;
      if (isSeen) await make.visit(to.campaign, { url, ip, visitorId });
      await make.visit(to.campaign, { url, ip, visitorId, email, event: 'identify' });
    }
    await features.leads.resolver.resolveAll();
  };
  await forge(plans[0]!, '198.51.100.23', crowd.slice(0, 40), true);
  await forge(plans[2]!, '198.51.100.77', crowd.slice(40, 52), false);
  await seedDomains(make, agencies, config);
  await seedPrograms(make, agencies, receiver);
  await seedAgreements(make, { master, acme, harbor, robin: robin.id, alex: alex.id, harper: harper.id });
  await seedIntent({
    features,
    clock,
    config,
    rootId: master.id,
    crowd,
    client: harbor,
    outdoor: northwind,
    make,
    now,
  });
  for (const root of [master, summit]) await features.leads.scores.scoreDue(root.id);
  progress(1);
}

const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';

/**
 * New versions of agreements, within their notice period: Harbor has accepted Acme's, Northwind has not, and Acme has yet
 * to accept its root's.
 */
async function seedAgreements(
  make: Factories,
  who: { master: Company; acme: Company; harbor: Company; robin: string; alex: string; harper: string },
): Promise<void> {
  await make.publish(who.acme, who.alex, {
    document: 'default_client',
    title: 'Client agreement',
    noticeDays: 30,
    body: [
      '# What is agreed',
      '{{party}} runs campaigns for {{company}} and delivers the leads that they bring. This is version {{version}}.',
      '# Prices and payment',
      'Prices are those shown in your account when a campaign is started, in US dollars. Leads are billed when they are delivered.',
      '{{party}} charges the card on file. An invoice can be disputed within 30 days of its date.',
      '# Returns',
      'A lead that does not fit can be returned within 14 days, with the reason. {{party}} decides within five business days.',
      '# Lawful use of data',
      'Leads are for your own marketing only, and only where the law allows you to contact the person. You honor every opt-out at once.',
      '# Term',
      'This version applies from {{effective_date}} and runs until either side ends the agreement.',
    ].join('\n\n'),
  });
  await make.agree(who.harbor, who.harper, 'default_client', BROWSER);
  for (const [document, title] of [
    ['default_agency', 'Agency agreement'],
    ['minimum_spend_v3', 'Minimum spend agreement, third edition'],
  ] as const)
    await make.publish(who.master, who.robin, {
      document,
      title,
      noticeDays: 60,
      body: [
        '# What is agreed',
        document === 'default_agency'
          ? '{{party}} lets {{company}} offer the platform to its own clients, under its own name, and charges it at wholesale prices.'
          : 'The plan in your account names an amount for each month. If the wholesale total of a month is lower, {{party}} invoices the difference at its end.',
        '# Notice',
        'Either side may end the agreement with 30 days of notice. Changes are announced 60 days before they apply, and need a new acceptance.',
        '# Term',
        'This version applies from {{effective_date}}.',
      ].join('\n\n'),
    });
}
