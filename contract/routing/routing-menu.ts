import { mayUser, type Permission } from '../accounts/permissions.ts';
import { paymentFailed, walletShown } from '../accounts/setup-rules.ts';
import { decide, maySee, modulePath, pageRow, salesAccount } from './routing.ts';
import {
  isSales,
  isSystem,
  type ModuleName,
  mayDevelop,
  menusHidden,
  modulesOf,
  roleOf,
  type SignedIn,
} from './routing-facts.ts';
import { PAGES, type PageId, type PageRow } from './routing-pages.ts';

/** A link of the sidebar. */
export interface MenuLink {
  page: PageId;
  /** What the sidebar calls it, below its group's title. */
  label: string;
  /** The page's own title. */
  title: string;
  to: string;
  /** For a page of a module: the module, and what the company calls it. */
  module?: ModuleName;
  product?: string;
}

/** An entry of the sidebar and the pages below it; the entry itself leads to the first of them. */
export interface MenuGroup {
  title: string;
  links: MenuLink[];
}

type Group = readonly [title: string, pages: readonly PageId[]];

/** The sidebar of agencies, clients, and salespeople, as far as each may see it (NAV-01). */
const COMPANY_MENU: readonly Group[] = [
  ['Home', ['dashboard']],
  ['Set up', ['profile-setup', 'card-setting']],
  ['Agencies', ['agency-list']],
  ['Clients', ['client-management', 'client', 'offboardings']],
  ['Leads', ['leads', 'module-dashboard', 'deliveries', 'returns', 'alerts']],
  [
    'Campaigns',
    ['campaign', 'campaign-management', 'campaign-setup', 'audience', 'banner-create', 'banner-list'],
  ],
  ['Money', ['invoices', 'statement', 'margins', 'reports', 'taxes', 'limits']],
  ['Connect your account', ['sales-connect-account']],
  ['Lists', ['exclusion-lists', 'privacy-requests', 'data-enrichment', 'report-analytics']],
  [
    'Settings',
    [
      'general-setting',
      'templates',
      'administrator-list',
      'role-list',
      'agreements',
      'integrations',
      'transfers',
    ],
  ],
];

/** The sidebar of a root's owner and administrators. */
const SYSTEM_MENU: readonly Group[] = [
  ['Agencies', ['agency-list', 'root-list', 'client', 'company-imports']],
  ['Campaigns', ['campaign', 'audience', 'banner-create', 'banner-list']],
  [
    'Data',
    [
      'people-import',
      'people-merge',
      'data-enrichment',
      'opt-out-list',
      'privacy-requests',
      'returns',
      'report-analytics',
    ],
  ],
  ['Money', ['invoices', 'statement', 'margins', 'payments', 'minimum-spend', 'coupons', 'taxes']],
  [
    'Settings',
    [
      'general-setting',
      'templates',
      'administrator-list',
      'sales-account-list',
      'role-list',
      'agreements',
      'background-jobs',
      'outbox',
      'data-retention',
    ],
  ],
];

/** Names that differ from the page's title, which would repeat the group's. */
const LABELS: Partial<Record<PageId, string>> = {
  leads: 'All leads',
  campaign: 'All campaigns',
  client: 'Results by client',
};

/** What the sidebar calls a page. */
export const linkName = (page: PageId): string => LABELS[page] ?? pageRow(page).title;

const SETTING_UP: readonly PageId[] = ['profile-setup', 'card-setting'];
/** Pages for daily work, hidden while an agency's setup or payment is pending (ROUT-13). */
const OPERATING: readonly PageId[] = [
  'dashboard',
  'leads',
  'module-dashboard',
  'deliveries',
  'returns',
  'alerts',
  'client',
  'campaign',
  'campaign-management',
  'campaign-setup',
  'audience',
  'banner-create',
  'banner-list',
  'client-management',
  'data-enrichment',
];

/** Pages that show nothing but a refusal to users who lack this permission. */
const NEEDED: Partial<Record<PageId, Permission>> = {
  'campaign-setup': 'campaign.create',
  'banner-create': 'banner.create',
};

const isUseful = (page: PageId, facts: SignedIn): boolean => {
  const needed = NEEDED[page];
  // Audiences are for ads alone.
  if (page === 'audience' && !modulesOf(facts).some(({ module }) => module === 'simplifi')) return false;
  return !needed || mayUser(facts.user, needed);
};

/** A page's links: one for each module of the user if it is a module's page. */
function linksOf(page: PageId, facts: SignedIn): MenuLink[] {
  const { title, path } = pageRow(page);
  if (!path.startsWith('/{module}/')) return [{ page, label: linkName(page), title, to: path }];
  const name = page === 'module-dashboard' ? 'dashboard' : 'campaign-management';
  return modulesOf(facts)
    .map(({ module, name: product, slug }) => ({
      ...{ page, label: product, title, module, product },
      to: modulePath(slug, name),
    }))
    .filter(({ to }) => {
      const seen = decide(to, facts);
      return seen.kind === 'page' && seen.page === page;
    });
}

/**
 * The user's sidebar (NAV-01): those links of the table whose address shows a page, in groups. A link that would only
 * redirect is not shown.
 */
export function sidebar(facts: SignedIn): MenuGroup[] {
  const { user, setup } = facts;
  const isHidden = menusHidden(facts);
  // Pages that stay readable after a failed payment keep their link.
  const isUnpaid = setup !== null && !user.in_view_mode && paymentFailed(setup, user);
  const isForced = isSales(user) && salesAccount(facts) !== 'completed';
  // Until setup is complete, its steps replace the daily work.
  const isOpen = isHidden || user.profile_setup_completed === 'F';
  const isShown = (id: PageId): boolean => {
    // What the company above has chosen not to show; a client's view of it comes with the setup check.
    if ((setup?.hidden_menu as readonly string[] | undefined)?.includes(id)) return false;
    if (isForced) return id === 'sales-connect-account';
    if (SETTING_UP.includes(id)) return isOpen;
    return !(isHidden && OPERATING.includes(id)) || (isUnpaid && pageRow(id).whileUnpaid === true);
  };
  return (isSystem(user) ? SYSTEM_MENU : COMPANY_MENU)
    .map(([title, pages]) => ({
      title,
      links: pages
        .filter(isShown)
        .flatMap((page) => linksOf(page, facts))
        .filter(({ page, to }) => maySee(to, facts) && isUseful(page, facts)),
    }))
    .filter(({ links }) => links.length > 0);
}

/** What everyone may read, wherever they are. */
const DOCUMENTS: readonly string[] = [
  'privacy-policy',
  'term-of-use',
  'service-billing-agreement',
  'marketing-services-agreement-developer',
];

/**
 * Every page that the user may see, for a search by name: those of the sidebar, in its order and with their section,
 * then the others that have their own address. Pages hidden from the sidebar are not included either.
 */
export function allPages(facts: SignedIn): (MenuLink & { section: string })[] {
  const pages = sidebar(facts).flatMap(({ title, links }) =>
    links.map((link) => ({ ...link, label: link.title, section: link.product ?? title })),
  );
  // The steps of the setup stay pages of their own after it.
  const inSidebar: readonly string[] = (isSystem(facts.user) ? SYSTEM_MENU : COMPANY_MENU)
    .flatMap(([, ids]) => ids)
    .filter((id) => !SETTING_UP.includes(id));
  const rows = (PAGES as readonly PageRow[]).filter((row) => !row.to && !row.path.includes('{'));
  const own = rows.filter(
    (row) => row.guard === 'protected' && row.layout === 'frame' && !inSidebar.includes(row.id),
  );
  for (const row of [...own, ...rows.filter(({ id }) => DOCUMENTS.includes(id))]) {
    // An older version of a page has the same name.
    const isKnown = pages.some(
      ({ to, label, module }) => to === row.path || (!module && label === row.title),
    );
    if (isKnown || !maySee(row.path, facts)) continue;
    const section = own.includes(row) ? 'Account' : 'Documents';
    const page = row.id as PageId;
    pages.push({ page, label: row.title, title: row.title, to: row.path, section });
  }
  return pages;
}

/** The entries of the profile menu (NAV-02). */
export const PROFILE_ENTRIES = [
  'profile',
  'cardSetting',
  'dataWallet',
  'integrations',
  'developer',
  'exclusionList',
  'changePassword',
  'twoFactor',
  'sessions',
  'support',
  'logout',
] as const;
export type ProfileEntry = (typeof PROFILE_ENTRIES)[number];

const ENTRY_RULES: Record<ProfileEntry, (facts: SignedIn) => boolean> = {
  profile: ({ user }) => !isSales(user),
  cardSetting: ({ user, setup }) =>
    !isSales(user) &&
    // The page shows nothing to an administrator whose role does not allow it.
    (user.user_type !== 'administrator' || mayUser(user, 'card.read')) &&
    ((Boolean(setup?.card_set) && user.manual_bill === 'F') ||
      (user.manual_bill === 'T' && roleOf(user) === 'agency')),
  dataWallet: ({ user, setup }) => {
    if (roleOf(user) !== 'agency' || !user.is_master || user.system_user || !setup) return false;
    return walletShown(setup);
  },
  integrations: ({ user }) => roleOf(user) === 'client',
  developer: mayDevelop,
  exclusionList: ({ user }) => roleOf(user) === 'client',
  changePassword: ({ user }) => !user.in_view_mode,
  twoFactor: ({ user }) => !user.in_view_mode,
  sessions: ({ user }) => !user.in_view_mode,
  support: ({ user }) => user.company_kind === 'agency',
  logout: () => true,
};

/** The items of the user's profile menu, in order. */
export function profileMenu(facts: SignedIn): ProfileEntry[] {
  return PROFILE_ENTRIES.filter((entry) => ENTRY_RULES[entry](facts));
}
