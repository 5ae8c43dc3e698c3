import { mayUser } from '../accounts/permissions.ts';
import {
  type Facts,
  goneSlugs,
  hasPermission,
  isAgency,
  isSales,
  isSystem,
  mayContinue,
  mayDevelop,
  modulesOf,
  paymentConnected,
  roleModule,
  roleOf,
  type ShownModule,
  type SignedIn,
} from './routing-facts.ts';
import { PAGES, type PageId, type PageRow, type RuleName } from './routing-pages.ts';

/** The answer to "what does this person see at this address?". */
export type Decision =
  | { kind: 'page'; page: PageId; params: Record<string, string>; module?: ShownModule }
  | { kind: 'redirect'; to: string; why: Why }
  | { kind: 'notFound' };

/** Why the user is redirected; for tests and for texts on the screen. */
export type Why =
  | 'alias'
  | 'moduleGone'
  | 'login'
  | 'signedIn'
  | 'system'
  | 'salesAccount'
  | 'paymentFailed'
  | 'agencySetUp'
  | 'clientCard'
  | 'paymentAccount'
  | 'addCampaign'
  | 'profileSetup'
  | 'secondFactor';

const AGENCY_LIST = '/configuration/agency-list';
const SALES_CONNECT = '/configuration/sales-connect-account';
/** Where salespeople can connect it. */
const OF_SALES_ACCOUNT = ['sales-connect-account', 'sandbox-account'];
const CARD = '/user/card-setting';
const PROFILE_SETUP = '/user/profile-setup';
/** Where a required second factor is set up. */
export const SECOND_FACTOR = '/user/second-factor';

const go = (to: string, why: Why): Decision => ({ kind: 'redirect', to, why });
const notFound: Decision = { kind: 'notFound' };

/** The state of a sales person's own payment account (ROUT-14). */
export const salesAccount = ({ user, setup }: SignedIn) => setup?.account_status ?? user.account_status;

/**
 * Where a signed-in user starts (spec product 4, Routing guard): system users at the Agency List, salespeople at their
 * account until it is connected, agencies depending on their setup, clients at the dashboard once they are set up.
 */
export function landing(facts: SignedIn): string {
  const { user, setup } = facts;
  const role = roleOf(user);
  if (isSales(user)) {
    if (salesAccount(facts) !== 'completed') return SALES_CONNECT;
    if (role === 'rootSales') return AGENCY_LIST;
    return user.is_account_executive === 'T' ? '/configuration/client-management' : SALES_CONNECT;
  }
  if (isSystem(user)) return systemHome(user);
  if (role === 'client') {
    if (setup?.setup_complete === 'F' && setup.access === 'paymentfailed') return CARD;
    if (user.profile_setup_completed === 'F') return PROFILE_SETUP;
    return paymentConnected(facts) ? dashboardOf(facts) : '/user/profile';
  }
  if (setup?.agency_access === 'paymentfailed' && !user.in_view_mode) return CARD;
  if (!mayContinue(facts)) return PROFILE_SETUP;
  if (user.account_status === 'completed' && user.charges_enabled && user.payouts_enabled)
    return dashboardOf(facts);
  if (user.profile_setup_completed === 'T' && !user.charges_enabled && !user.payouts_enabled)
    return '/configuration/general-setting';
  return PROFILE_SETUP;
}

/** Where a root's people start: at the list of agencies, unless their role hides it. */
const systemHome = (user: SignedIn['user']): string =>
  isSales(user) || mayUser(user, 'company.list') ? AGENCY_LIST : '/user/profile';

/** The dashboard of the first module that has one; otherwise the one for all modules. */
function dashboardOf(facts: SignedIn): string {
  const first = modulesOf(facts).find(({ module }) => module !== 'simplifi');
  return first ? modulePath(first.slug, 'dashboard') : '/dashboard';
}

/** The address of a module's page. */
export const modulePath = (slug: string, child: string): string => `/${encodeURIComponent(slug)}/${child}`;

type Rule = (facts: SignedIn, at: { module?: ShownModule | undefined }) => Decision | undefined;

const RULES: Record<Exclude<RuleName, 'registerOpen'>, Rule> = {
  clientCard: ({ user, setup }) => {
    if (roleOf(user) !== 'client' || !setup) return undefined;
    if (setup.setup_complete === 'F' && setup.access === 'paymentfailed') return undefined;
    return !setup.card_set || setup.setup_complete === 'F' ? go(PROFILE_SETUP, 'clientCard') : undefined;
  },
  profileSetupV1: (facts) => {
    const { user, setup } = facts;
    const leadsMenu = roleModule(user, 'LeadsPeek').enabled && modulesOf(facts).length > 0;
    if (isSystem(user) || (!setup?.card_set && leadsMenu)) return undefined;
    return go(PROFILE_SETUP, 'profileSetup');
  },
  notForSystem: ({ user }) => (isSystem(user) ? go(systemHome(user), 'system') : undefined),
  paymentAccount: (facts) =>
    roleOf(facts.user) === 'client' && !paymentConnected(facts)
      ? go('/user/profile', 'paymentAccount')
      : undefined,
  addCampaign: (facts, { module }) =>
    roleOf(facts.user) === 'client' && facts.setup?.campaigns_closed
      ? go(
          module && module.module !== 'simplifi' ? modulePath(module.slug, 'dashboard') : '/dashboard',
          'addCampaign',
        )
      : undefined,
  // Salespeople see Client Management only as account executives (spec product 6).
  accountExecutive: ({ user }) => (isSales(user) && user.is_account_executive !== 'T' ? notFound : undefined),
  // Salespeople have their own list, with what is in their care.
  companies: ({ user }) => (isSales(user) || mayUser(user, 'company.list') ? undefined : notFound),
  masterRoot: ({ user }) => (user.is_master ? undefined : notFound),
  outbox: ({ setup }) => (setup?.outbox ? undefined : notFound),
  developer: (facts) => (mayDevelop(facts) ? undefined : notFound),
  // The owner of a root grants the permission to others, and so has it.
  reportAnalytics: ({ user }) =>
    user.in_view_mode ||
    (user.is_root && (roleOf(user) === 'root' || hasPermission(user, 'report_analytics')))
      ? undefined
      : notFound,
};

/** Rules for every protected page that come before its own rules (spec product 4, Client setup, Agency setup). */
function forced(facts: SignedIn, page: PageRow): Decision | undefined {
  const { user, setup } = facts;
  if (page.always) return undefined;
  if (isSales(user)) {
    if (salesAccount(facts) === 'completed' || OF_SALES_ACCOUNT.includes(page.id)) return undefined;
    return go(SALES_CONNECT, 'salesAccount');
  }
  if (page.id === 'card-setting' || !setup) return undefined;
  if (isAgency(user) && !user.in_view_mode) {
    if (setup.agency_access === 'paymentfailed')
      return page.whileUnpaid ? undefined : go(CARD, 'paymentFailed');
    if (!mayContinue(facts) && !page.duringSetup) return go(PROFILE_SETUP, 'agencySetUp');
  }
  const failed = setup.setup_complete === 'F' && setup.access === 'paymentfailed' && !page.whileUnpaid;
  return roleOf(user) === 'client' && failed ? go(CARD, 'paymentFailed') : undefined;
}

/**
 * Decides what the user sees at an address of the app, using only the table of pages.
 * @param path the pathname, as in the address bar; a trailing slash makes no difference
 */
export function decide(path: string, facts: Facts): Decision {
  const found = matches(path);
  if (found.length === 0) return notFound;
  if (!facts.user) return decideForVisitor(found, path, facts);
  const signedIn = facts as SignedIn;
  const modules = modulesOf(facts);
  for (const { page, params } of found) {
    const module = modules.find(({ slug }) => slug === params.module);
    if (params.module !== undefined) {
      if (goneSlugs(signedIn).includes(params.module)) return go('/', 'moduleGone');
      if (!module || (page.modules && !page.modules.includes(module.module))) continue;
    }
    return decideForPerson(page, params, module, signedIn);
  }
  return notFound;
}

function decideForVisitor(found: Match[], path: string, facts: Facts): Decision {
  for (const { page, params } of found) {
    if (page.guard === 'protected') {
      // The slugs are only known after login; a bare first segment is more likely a typo.
      if (page.to && params.module !== undefined) continue;
      return go(path === '/dashboard' ? '/login' : `/login?next=${encodeURIComponent(path)}`, 'login');
    }
    if (page.to) return go(page.to, 'alias');
    if (page.rules?.includes('registerOpen') && !facts.registration_open)
      return { kind: 'page', page: 'login', params: {} };
    return { kind: 'page', page: page.id as PageId, params };
  }
  return notFound;
}

function decideForPerson(
  page: PageRow,
  params: Record<string, string>,
  module: ShownModule | undefined,
  facts: SignedIn,
): Decision {
  const { user } = facts;
  // Comes first, before any other redirect.
  if (user.factor_needed === 'now' && page.id !== 'second-factor' && (page.guard !== 'public' || page.to))
    return go(SECOND_FACTOR, 'secondFactor');
  if (page.guard === 'visitor' || page.id === 'home') return go(landing(facts), 'signedIn');
  const shown: Decision = {
    kind: 'page',
    page: page.id as PageId,
    params,
    ...(module ? { module } : {}),
  };
  if (page.guard === 'public') return shown;
  if (page.who && !page.who.includes(roleOf(user))) {
    // A user who is forced elsewhere is redirected before learning anything about pages.
    return (isSales(user) && forced(facts, page)) || notFound;
  }
  if (page.permission && !mayUser(user, page.permission)) {
    return (isSales(user) && forced(facts, page)) || notFound;
  }
  const elsewhere = forced(facts, page);
  if (elsewhere) return elsewhere;
  if (page.needs && !roleModule(user, page.needs).enabled) return notFound;
  if (page.to) return go(page.to.replace('{module}', encodeURIComponent(module?.slug ?? '')), 'alias');
  for (const name of page.rules ?? []) {
    const ruled = RULES[name as keyof typeof RULES](facts, { module });
    if (ruled) return ruled;
  }
  return shown;
}

interface Match {
  page: PageRow;
  params: Record<string, string>;
}

const split = (path: string): string[] => path.split('/').filter((part) => part !== '');
const compiled = (PAGES as readonly PageRow[]).flatMap((page) =>
  [page.path, ...(page.aliases ?? [])].map((path) => ({ page, parts: split(path) })),
);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The pages whose address matches this shape; fixed addresses before those that begin with a module's slug. */
function matches(path: string): Match[] {
  const given = split(path).map(decoded);
  const found: Match[] = [];
  for (const { page, parts } of compiled) {
    const params: Record<string, string> = {};
    const most = parts.length;
    const least = parts.filter((part) => !part.endsWith('?}')).length;
    if (given.length > most || given.length < least) continue;
    const fits = given.every((value, at) => {
      const part = parts[at]!;
      if (!part.startsWith('{')) return part === value;
      params[part.replace(/[{}?]/g, '')] = value;
      return true;
    });
    if (fits) found.push({ page, params });
  }
  const fixed = found.filter(({ params }) => params.module === undefined);
  return fixed.length > 0 ? fixed : found;
}

/**
 * Whether an address belongs to the app for any user: the server responds to all others with status 404.
 * @param slugs the modules' slugs at the host; null if any may be meant
 */
export function isKnownPath(path: string, slugs: readonly string[] | null): boolean {
  return matches(path).some(
    ({ params }) => params.module === undefined || slugs === null || slugs.includes(params.module),
  );
}

/**
 * Whether an agency's embed code runs at an address: on the pages that the table marks, never where people sign in, set
 * a password, enter a card, get paid or manage their account. Used by both server and browser, so it depends only on
 * the address.
 */
export function runsEmbed(path: string): boolean {
  const found = matches(path);
  return found.length > 0 && found.every(({ page }) => page.embed === true);
}

/** Whether the user may see the page at an address, not counting redirects: for links and buttons. */
export function maySee(path: string, facts: SignedIn): boolean {
  return decide(path, facts).kind === 'page';
}

/** The page's row. */
export const pageRow = (id: PageId): PageRow => PAGES.find((page) => page.id === id)!;
