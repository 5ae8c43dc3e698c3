import { join } from 'node:path';
import type { AnyContractRouter } from '@orpc/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { contract } from '../contract/index.ts';
import { isKnownPath } from '../contract/routing/routing.ts';
import { EXPORTS } from './exports.ts';
import { createAgreements, documentsRoutes, marketingRoutes } from './features/accounts/agreements/index.ts';
import { createAudit, createLogChain, startAudit } from './features/accounts/audit/index.ts';
import { authFinish, authRoutes, createAuth, isViewing, startAuth } from './features/accounts/auth/index.ts';
import {
  companiesRoutes,
  companyDetails,
  createCompanies,
  createStaff,
} from './features/accounts/companies/index.ts';
import { rootsRoutes } from './features/accounts/roots/index.ts';
import { createSales, salesListRoutes } from './features/accounts/sales/index.ts';
import { searchRoutes } from './features/accounts/search/index.ts';
import {
  createSettings,
  createSmtp,
  settingsRoutes,
  startSettings,
} from './features/accounts/settings/index.ts';
import { createSetup, profileRoutes, rolesRoutes, setupRoutes } from './features/accounts/setup/index.ts';
import { createTenants, tenantsRoutes } from './features/accounts/tenants/index.ts';
import { createUsers } from './features/accounts/users/index.ts';
import { createEnrichment, enrichmentRoutes } from './features/audience/enrichment/index.ts';
import { createExclusions, exclusionsRoutes, startExclusions } from './features/audience/exclusions/index.ts';
import { createPeople, peopleRoutes, startPeople } from './features/audience/people/index.ts';
import { createSignals, signalsRoutes, startSignals } from './features/audience/signals/index.ts';
import { analyticsRoutes } from './features/campaigns/analytics/index.ts';
import {
  campaignMoreRoutes,
  campaignsRoutes,
  createCampaigns,
  createGroups,
  groupsRoutes,
  startCampaigns,
} from './features/campaigns/campaigns/index.ts';
import {
  connectionsRoutes,
  createConnections,
  type StandIns,
} from './features/campaigns/connections/index.ts';
import { createDelivery, deliveryRoutes, startDelivery } from './features/campaigns/delivery/index.ts';
import { createLeads, leadsRoutes } from './features/campaigns/leads/index.ts';
import {
  addUnsubscribeRoute,
  createReports,
  reportsRoutes,
  unsubscribeRoute,
} from './features/campaigns/reports/index.ts';
import { addVisitRoutes, createVisits, heldRoutes } from './features/campaigns/visits/index.ts';
import {
  addApiRoutes,
  apiRoutes,
  createDeveloper,
  developerRoutes,
  sendClient,
} from './features/developer/api/index.ts';
import { createBilling } from './features/money/billing/index.ts';
import { createCredits, creditsRoutes } from './features/money/credits/index.ts';
import { createDataWallet, dataWalletRoutes } from './features/money/data-wallet/index.ts';
import { createDunning, dunningRoutes } from './features/money/dunning/index.ts';
import { createInvoices, invoicesRoutes, pdfRoutes, startInvoices } from './features/money/invoices/index.ts';
import { createLedger, createNotices, ledgerRoutes, snapshotJobs } from './features/money/ledger/index.ts';
import { createMargins, marginsRoutes } from './features/money/margins/index.ts';
import {
  createMinimumSpend,
  minimumSpendRoutes,
  startMinimumSpend,
} from './features/money/minimum-spend/index.ts';
import { createOnboardingCharge, onboardingChargeRoutes } from './features/money/onboarding-charge/index.ts';
import {
  addNoticeRoute,
  createPayments,
  type OnStep,
  paymentsRoutes,
  sandboxStore,
  startPayments,
} from './features/money/payments/index.ts';
import { createPrepaid, prepaidRoutes } from './features/money/prepaid/index.ts';
import { createCoupons, createPlans, createPricing, pricingRoutes } from './features/money/pricing/index.ts';
import { createSpendingLimits, spendingLimitsRoutes } from './features/money/spending-limits/index.ts';
import { createTaxes, startTaxes, taxesRoutes } from './features/money/taxes/index.ts';
import { createWallet, startWallet } from './features/money/wallet/index.ts';
import { backgroundJobsRoutes, createBackgroundJobs } from './features/operations/jobs/index.ts';
import { createOutbox, outboxRoutes } from './features/operations/outbox/index.ts';
import { startAsk } from './platform/ask.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { Vault } from './platform/crypto.ts';
import { openDatabase } from './platform/db/connect.ts';
import { isMigrated } from './platform/db/migrate.ts';
import { inScope } from './platform/db/scope.ts';
import { diskState, onceAMinute } from './platform/disk.ts';
import { createDns, type Dns } from './platform/dns.ts';
import { EventHub } from './platform/events.ts';
import { exportRoute } from './platform/http/csv-file.ts';
import { isDatabaseAway } from './platform/http/errors.ts';
import { describeApi, referencePage } from './platform/http/openapi.ts';
import { packedText } from './platform/http/packed.ts';
import type { PlainRoute } from './platform/http/routes.ts';
import {
  type AnyHandler,
  addCalls,
  addPlain,
  closeServer,
  createServer,
  type Doors,
} from './platform/http/server.ts';
import { addSite, type SitePage } from './platform/http/site.ts';
import { Jobs } from './platform/jobs.ts';
import { createLimits } from './platform/limits.ts';
import { createMail, outboxOnly } from './platform/mail.ts';
import { smtpTransport } from './platform/mail-smtp.ts';
import { createOutbound } from './platform/outbound.ts';
import type { Log, Platform } from './platform/platform.ts';
import { type CardGateway, createGateway, type GatewayParts } from './providers/payments.ts';
import { createPdl } from './providers/pdl/index.ts';
import { createRecaptcha } from './providers/recaptcha/index.ts';
import { createStripeTax } from './providers/stripe/tax.ts';

const dist = join(import.meta.dirname, '../dist');

/** The parts of an app other than its settings. */
export interface AppParts {
  config: Config;
  urls: { appUrl: string; ingestUrl: string };
  clock?: Clock;
  /** host:port that our own requests may reach even though it is loopback: the demo's shop and receiver. */
  outboundExceptions?: string[];
  /** Servers that stand in for the vendors that leads are delivered to, by vendor: the demo's and the tests' own. */
  standIns?: StandIns;
  /** How the sandbox waits, and where tests intercept calls to the card network. */
  cards?: CardParts;
  /** Looks up the tenants' domains; by default, the name servers are queried. */
  dns?: Dns;
  /** Mounts hosts that belong to no tenant (the demo hosts) before the rest. */
  mount?: (server: FastifyInstance, app: Features) => void;
}

/** What tests change on the way to the card network. */
export interface CardParts extends Pick<GatewayParts, 'answerTimeoutMs' | 'wait'> {
  /** Wraps the gateway to the network. */
  around?: (gateway: CardGateway) => CardGateway;
  /** Called at each step of a charge; throwing, or ending the process, ends the charge there. */
  onStep?: OnStep;
}

export type Features = ReturnType<typeof createFeatures>;

/** The features in dependency order, each given the ones it depends on. This is the only wiring. */
export function createFeatures(
  platform: Platform,
  outboundExceptions: string[] = [],
  { around = (gateway) => gateway, onStep, ...waits }: CardParts = {},
  dns: Dns = createDns(platform.config.dnsServers),
  standIns: StandIns = {},
) {
  const outbound = createOutbound({ allow: outboundExceptions });
  const tenants = createTenants(platform);
  const users = createUsers(platform);
  const audit = createAudit();
  const backgroundJobs = createBackgroundJobs(platform, { audit, tenants });
  const logChain = createLogChain(platform);
  const { smtpUrl, mailFrom, recaptcha } = platform.config;
  const smtp = createSmtp(platform, { outbound });
  const mail = createMail(platform, smtpUrl ? smtpTransport(smtpUrl) : outboxOnly, mailFrom, (rootId, host) =>
    smtp.at(rootId, host),
  );
  const outbox = createOutbox(platform, { audit, mail });
  const limits = createLimits(platform);
  const outsideCaptcha = recaptcha && createRecaptcha(recaptcha);
  const sales = createSales(platform, { audit, users });
  const auth = createAuth(platform, { tenants, users, audit, sales, mail, limits, outsideCaptcha });
  const pricing = createPricing(platform, { tenants, audit });
  const plans = createPlans(platform, { tenants, audit });
  const coupons = createCoupons(platform, { audit, limits });
  const settings = createSettings(platform, { tenants, audit, pricing, limits, smtp, sales, dns });
  const ledger = createLedger();
  const gateway = around(
    createGateway(platform.config, {
      clock: platform.clock,
      store: sandboxStore(platform.db.app),
      onboardingUrl: (token) => `/user/sandbox-account/${token}`,
      ...waits,
    }),
  );
  const notices = createNotices({ tenants, users, mail, port: platform.config.port });
  const payments = createPayments(platform, { gateway, audit, notices, onStep });
  const spendingLimits = createSpendingLimits(platform, { audit, notices });
  const wallet = createWallet(platform, { ledger, spendingLimits, tenants, notices });
  const billing = createBilling({
    events: platform.events,
    ledger,
    wallet,
    spendingLimits,
    pricing,
    payments,
  });
  const taxes = createTaxes(platform, {
    tenants,
    audit,
    service: platform.config.stripe && createStripeTax(platform.config.stripe),
  });
  const invoices = createInvoices(platform, {
    taxes,
    ledger,
    tenants,
    billing,
    wallet,
    pricing,
    audit,
    charges: payments.charges,
  });
  const agreements = createAgreements(platform, { tenants, audit });
  const minimumSpend = createMinimumSpend(platform, {
    tenants,
    audit,
    plans,
    settings,
    ledger,
    billing,
    agreements,
    notices,
    bill: invoices.bill,
  });
  const onboardingCharge = createOnboardingCharge(platform, {
    audit,
    settings,
    coupons,
    ledger,
    billing,
    invoices,
    payments,
  });
  const dataWallet = createDataWallet(platform, {
    tenants,
    audit,
    notices,
    wallet,
    billing,
    agreements,
    charges: payments.charges,
  });
  const setup = createSetup(platform, {
    tenants,
    users,
    audit,
    auth,
    settings,
    billing,
    agreements,
    minimumSpend,
    onboardingCharge,
  });
  const people = createPeople(platform, { audit });
  const { host: pdlHost, protocol: pdlProtocol } = new URL(platform.config.pdlApiBase);
  const pdl = createPdl({
    // Plain http is a test server of this machine.
    outbound: pdlProtocol === 'http:' ? createOutbound({ allow: [pdlHost] }) : outbound,
    base: platform.config.pdlApiBase,
    now: () => platform.clock.now(),
  });
  const enrichment = createEnrichment(platform, {
    audit,
    people,
    vendors: { pdl },
    // Leads are made with this feature's data and have access to the lists.
    isWithheld: async (tx, rootId, leadId) => (await leads.withheldIn(tx, rootId, [leadId])).has(leadId),
  });
  const exclusions = createExclusions(platform, { audit, tenants });
  const groups = createGroups(platform, { audit, tenants });
  const campaigns = createCampaigns(platform, {
    audit,
    billing,
    pricing,
    tenants,
    groups,
    information: enrichment,
    outbound,
    limits,
  });
  const margins = createMargins(platform, { audit, campaigns, pricing, notices, tenants });
  const prepaid = createPrepaid(platform, {
    tenants,
    audit,
    notices,
    ledger,
    spendingLimits,
    pricing,
    billing,
    payments,
    campaigns,
  });
  const companies = createCompanies(platform, {
    tenants,
    users,
    audit,
    auth,
    settings,
    plans,
    billing,
    agreements,
    sales,
    limits,
  });
  const staff = createStaff(platform, { users, audit, auth, limits });
  const visits = createVisits(platform, { audit, campaigns, notices, tenants });
  const leads = createLeads(platform, {
    tenants,
    audit,
    campaigns,
    exclusions,
    people,
    enrichment,
    billing,
    settings,
    visits,
  });
  const signals = createSignals(platform, {
    audit,
    campaigns,
    people,
    leads,
    mail,
    notices,
    users,
    tenants,
  });
  const connections = createConnections(platform, {
    tenants,
    audit,
    notices,
    limits,
    outbound,
    standIns,
  });
  const delivery = createDelivery(platform, {
    audit,
    notices,
    tenants,
    connections,
    outbound,
    leads,
    campaigns,
    enrichment,
  });
  const reports = createReports(platform, { tenants, audit, notices, mail, campaigns, leads });
  const dunning = createDunning(platform, {
    tenants,
    users,
    audit,
    notices,
    ledger,
    billing,
    invoices,
    payments,
    campaigns,
    settings,
    dataWallet,
    minimumSpend,
  });
  const credits = createCredits(platform, {
    tenants,
    audit,
    notices,
    billing,
    campaigns,
    dataWallet,
  });
  const developer = createDeveloper(platform, {
    tenants,
    users,
    audit,
    auth,
    limits,
    billing,
    agreements,
    notices,
    ledger,
    invoices,
    payments,
    minimumSpend,
  });
  return {
    outbound,
    mail,
    tenants,
    users,
    audit,
    backgroundJobs,
    outbox,
    logChain,
    sales,
    auth,
    pricing,
    plans,
    coupons,
    settings,
    ledger,
    payments,
    notices,
    spendingLimits,
    wallet,
    billing,
    taxes,
    invoices,
    agreements,
    minimumSpend,
    onboardingCharge,
    dataWallet,
    setup,
    people,
    enrichment,
    exclusions,
    groups,
    campaigns,
    margins,
    prepaid,
    companies,
    staff,
    visits,
    leads,
    signals,
    connections,
    delivery,
    reports,
    dunning,
    credits,
    developer,
  };
}

/** Builds the platform, the features and, for the roles web and ingest, the HTTP server. Nothing runs until `start`. */
export async function createApp(parts: AppParts) {
  const { config } = parts;
  const clock = parts.clock ?? systemClock;
  const database = openDatabase(parts.urls);
  const has = (role: Config['roles'][number]): boolean => config.roles.includes(role);

  // The doors are passed to the server before the features exist, because the logger belongs to the server.
  let features: Features;
  const doors: Doors = {
    tenantOf: (host) => features.tenants.byHost(host),
    actorOf: (token, tenant) => features.auth.actorOf(token, tenant),
    actorOfDownload: (token, path, tenant) => features.auth.actorOfDownload(token, path, tenant),
    unconfirmed: (actor, tenant) => features.auth.confirmation.missing(actor, tenant),
    openBody: (dt) => features.auth.keys.openBody(dt),
  };
  const server = await createServer(config, clock, doors);
  const log: Log = server.log;
  const jobs = new Jobs(parts.urls.appUrl, has('worker'), (error, name) => {
    // While the database is down, one log line a minute says as much as thousands.
    if (!isDatabaseAway(error) || onceAMinute('database')) log.error({ err: error, job: name }, 'job failed');
  });
  const platform: Platform = {
    config,
    db: database,
    clock,
    vault: new Vault(config.appKey, config.previousAppKeys),
    jobs,
    events: new EventHub(),
    log,
  };
  features = createFeatures(platform, parts.outboundExceptions, parts.cards, parts.dns, parts.standIns);

  const tenancy = tenantsRoutes(features.tenants, platform, ({ rootId, agencyId }) =>
    agencyId
      ? inScope(database.app, { rootId }, (tx) => features.billing.accounts.connected(tx, agencyId))
      : Promise.resolve(null),
  );
  const settings = settingsRoutes(features.settings);
  const people = peopleRoutes(features.people);
  const exclusions = exclusionsRoutes(features.exclusions);
  const delivery = deliveryRoutes(features.delivery);
  const leads = leadsRoutes(features.leads);
  const ledger = ledgerRoutes(platform, features.tenants);
  const profile = profileRoutes(features.setup);
  const dataWallet = dataWalletRoutes(features.dataWallet);

  const health: PlainRoute[] = [
    {
      method: 'GET',
      url: '/healthz',
      access: 'open',
      tag: 'Health',
      summary: 'Alive',
      handler: async () => ({ status: 'ok' }),
    },
    {
      method: 'GET',
      url: '/readyz',
      access: 'open',
      tag: 'Health',
      summary: 'Database and migrations ready',
      async handler(_ctx, _request, reply) {
        const notReady = (reason: string, retryAfter = '5') =>
          reply.code(503).header('Retry-After', retryAfter).send({ status: 'not ready', reason });
        // Checked first: on a full disk PostgreSQL may exit, which is the consequence and not the cause.
        if ((await diskState(config.dataDir)) === 'full') return notReady('the disk is full', '30');
        try {
          if (await isMigrated((text) => database.appPool.query(text))) return { status: 'ready' };
          return notReady('migrations are missing');
        } catch {
          return notReady('the database is unavailable');
        }
      },
    },
  ];
  addPlain(server, clock, doors, health);
  parts.mount?.(server, features);
  if (has('ingest')) addVisitRoutes(server, features.visits.ingest, join(dist, 'pixel/v1/pixel.js'));
  if (has('web')) {
    const documents = documentsRoutes(features.agreements);
    // A list is downloaded by the very call that shows it.
    const handlerOf = new Map<unknown, AnyHandler>();
    const calls = (
      router: AnyContractRouter,
      handlers: Record<string, AnyHandler>,
      finish?: Parameters<typeof addCalls>[5],
    ): void => {
      for (const [name, call] of Object.entries(router)) handlerOf.set(call, handlers[name]!);
      addCalls(server, clock, doors, router, handlers, finish);
    };
    const plain: PlainRoute[] = [
      ...documents.plain,
      ...tenancy.plain,
      ...profile.plain,
      ...settings.plain,
      ...leads.plain,
      ...delivery.plain,
      ...people.plain,
      ...exclusions.plain,
      ...ledger.plain,
      ...dataWallet.plain,
      ...pdfRoutes(platform, features.tenants, features.invoices.read.one),
      ...EXPORTS.map((list) => exportRoute(list, (one) => handlerOf.get(one)!)),
    ];
    const sendDocument = packedText('application/json', () => JSON.stringify(document));
    const sendReference = packedText('text/html', () => referencePage(document));
    const reference: PlainRoute[] = [
      {
        method: 'GET',
        url: '/api/openapi.json',
        access: 'public',
        tag: 'Reference',
        summary: 'This document',
        handler: (_ctx, request, reply) => sendDocument(request, reply),
      },
      {
        method: 'GET',
        url: '/api/reference',
        access: 'public',
        tag: 'Reference',
        summary: 'Returns this document as a readable page',
        handler: (_ctx, request, reply) =>
          sendReference(
            request,
            reply.header(
              'Content-Security-Policy',
              "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
            ),
          ),
      },
    ];
    reference.push({
      method: 'GET',
      url: '/api/client.tgz',
      access: 'public',
      tag: 'Reference',
      summary: 'Returns the TypeScript client of the developer API as a package for npm',
      handler: (_ctx, _request, reply) => sendClient(reply, join(dist, 'sdk/client.tgz')),
    });
    const visitLog: PlainRoute = {
      method: 'POST',
      url: '/v',
      access: 'open',
      tag: 'Visits',
      summary: 'Receives visits from the pixel',
      handler: async () => null,
    };
    const notice: PlainRoute = {
      method: 'POST',
      url: '/api/payment/notice',
      access: 'open',
      tag: 'Payments',
      summary: 'Receives signed notifications from the card provider (webhook endpoint)',
      handler: async () => null,
    };
    const document = await describeApi(contract, [
      ...plain,
      ...reference,
      ...health,
      ...apiRoutes,
      unsubscribeRoute,
      visitLog,
      notice,
    ]);
    addPlain(server, clock, doors, [...plain, ...reference]);
    calls(contract.auth, authRoutes(features.auth), authFinish);
    calls(contract.tenants, tenancy.handlers);
    calls(contract.settings, settings.handlers);
    calls(contract.setup, setupRoutes(features.setup));
    calls(contract.sales, salesListRoutes(features.sales, companyDetails(features.companies)));
    calls(contract.documents, documents.handlers);
    calls(contract.profile, profile.handlers);
    calls(contract.roles, rolesRoutes(features.setup));
    calls(contract.companies, companiesRoutes(features.companies, features.staff));
    calls(contract.roots, rootsRoutes(platform, features));
    calls(contract.search, searchRoutes(platform, features));
    calls(contract.pricing, pricingRoutes(features, features.settings.onboardingOf));
    calls(contract.credits, creditsRoutes(features.credits));
    calls(contract.taxes, taxesRoutes(features.taxes));
    calls(contract.onboardingCharge, onboardingChargeRoutes(features.onboardingCharge, features.payments));
    calls(contract.minimumSpend, minimumSpendRoutes(features.minimumSpend));
    calls(contract.campaigns, campaignsRoutes(features.campaigns));
    calls(contract.campaignMore, campaignMoreRoutes(features.campaigns));
    calls(contract.margins, marginsRoutes(features.margins));
    calls(contract.held, heldRoutes(features.visits));
    calls(contract.groups, groupsRoutes(features.groups));
    calls(contract.prepaid, prepaidRoutes(features.prepaid));
    calls(contract.leads, leads.handlers);
    calls(contract.signals, signalsRoutes(features.signals));
    calls(contract.analytics, analyticsRoutes(platform, features.tenants, features.invoices));
    calls(contract.connections, connectionsRoutes(features.connections));
    calls(contract.delivery, delivery.handlers);
    calls(contract.reports, reportsRoutes(features.reports));
    addUnsubscribeRoute(server, clock, doors, features.reports);
    calls(contract.developer, developerRoutes(features.developer));
    addApiRoutes(server, platform, doors, features);
    calls(contract.backgroundJobs, backgroundJobsRoutes(features.backgroundJobs));
    calls(contract.outbox, outboxRoutes(features.outbox));
    calls(contract.people, people.handlers);
    calls(contract.enrichment, enrichmentRoutes(features.enrichment));
    calls(contract.exclusions, exclusions.handlers);
    calls(contract.ledger, ledger.handlers);
    calls(contract.invoices, invoicesRoutes(features.invoices));
    calls(contract.payments, paymentsRoutes(features.payments, platform));
    calls(contract.dunning, dunningRoutes(features.dunning, features.payments));
    addNoticeRoute(server, features.payments);
    calls(contract.spendingLimits, spendingLimitsRoutes(features.spendingLimits));
    calls(contract.dataWallet, dataWallet.handlers);
    calls(
      contract.agreements,
      marketingRoutes(features.agreements, features.minimumSpend.askedOf, features.developer.accept),
    );
    const pageOf = async (request: FastifyRequest): Promise<SitePage> => {
      const tenant = request.tenant!;
      const brand = await tenancy.frontDoor(tenant);
      const code = await features.settings.embedFor(tenant);
      // In view mode, no embed code runs alongside a session that belongs to someone else.
      const embed = code && !(await isViewing(features.auth, request)) ? code : undefined;
      return { title: brand.name, favicon: brand.favicon, brand, embed };
    };
    addSite(server, join(dist, 'web'), pageOf, {
      recaptcha: Boolean(config.recaptcha),
      stripe: Boolean(config.stripe),
      // Anyone in a root's system may sign in at the root's host, so the slugs of any of its agencies may be meant
      // there.
      isPage: async (path, tenant) =>
        isKnownPath(path, []) ||
        isKnownPath(path, tenant.kind === 'root' ? null : await features.tenants.slugsOf(tenant.companyId)),
    });
  }

  let cards: Awaited<ReturnType<typeof startPayments>> | undefined;
  let ask: Awaited<ReturnType<typeof startAsk>> | undefined;
  let stopping: Promise<void> | undefined;
  return {
    server,
    features,
    platform,
    /** The loopback port where a proxy may ask whether a host is ours; undefined if there is none. */
    askPort: () => ask?.port,
    /** Starts jobs and, where the roles ask for it, listens. Returns the port. */
    async start(): Promise<number> {
      await jobs.start();
      await features.visits.keepPartitions();
      if (has('worker')) {
        await features.visits.start();
        await startPeople(features.people);
        await startExclusions(features.exclusions);
        await startSignals(features.signals, features.tenants, platform);
        await features.enrichment.completion.start();
        await startDelivery(features.delivery);
        await features.developer.start();
        await features.mail.start();
        await startAudit(features.logChain, jobs);
        await startAuth(features.auth, jobs);
        await startSettings(features.settings, jobs);
        await snapshotJobs(platform, features.ledger, features.tenants);
        cards = await startPayments(features.payments, features.tenants, platform);
        await features.spendingLimits.start();
        await startWallet(features.wallet, features.tenants, jobs);
        await startMinimumSpend(features.minimumSpend, features.tenants, jobs);
        await features.dataWallet.auto.start();
        await startTaxes(features.taxes, features.tenants, jobs);
        await startInvoices(features.invoices, features.tenants, platform);
        await features.prepaid.auto.start();
        await features.dunning.start();
        await features.reports.start();
        await features.margins.start();
        await startCampaigns(features.campaigns, features.tenants, platform);
        features.leads.resolver.start();
      }
      if (has('web') && config.askPort !== undefined) {
        ask = await startAsk(config.askPort, async (host) => {
          const tenant = await features.tenants.byHost(host);
          return tenant !== null;
        });
      }
      await server.listen({ port: platform.config.port, host: config.host });
      const address = server.server.address();
      return typeof address === 'object' && address ? address.port : config.port;
    },
    /**
     * Finishes work in progress and releases everything, no matter how much of it had been started. Requests and jobs
     * share `stopSeconds` for that; a job that is cut off is run again by another process, or after the next start.
     */
    stop(): Promise<void> {
      stopping ??= stop();
      return stopping;
    },
  };

  async function stop(): Promise<void> {
    const limitMs = config.stopSeconds * 1000;
    const end = performance.now() + limitMs;
    const steps = [
      () => ask?.close(),
      // Jobs get some time even if a request uses all of its own.
      () => closeServer(server, limitMs * 0.8),
      () => features.leads.resolver.stop(),
      () => cards?.stop(),
      () => jobs.stop(end - performance.now()),
      // Seals the latest log entries now; without the database, that happens at the next start.
      () =>
        has('worker') && features.logChain.seal().catch((error) => log.error({ err: error }, 'not sealed')),
      () => database.close(),
    ];
    const failures: unknown[] = [];
    for (const step of steps) await Promise.resolve(step()).catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

export type App = Awaited<ReturnType<typeof createApp>>;
