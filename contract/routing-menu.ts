import { mayUser, type Permission } from './permissions.ts';
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
import { paymentFailed, walletShown } from './setup-rules.ts';

/** A link of the sidebar. */
export interface MenuLink {
  page: PageId;
  label: string;
  to: string;
  module?: ModuleName;
}

/** A part of the sidebar; the first has no title. */
export interface MenuSection {
  title: string;
  links: MenuLink[];
}

const MAIN: readonly PageId[] = ['dashboard'];
const ADS: readonly PageId[] = [
  'client',
  'campaign',
  'campaign-setup',
  'audience',
  'banner-create',
  'banner-list',
];
const CONFIGURATION: readonly PageId[] = [
  'agency-list',
  'root-list',
  'client-management',
  'administrator-list',
  'sales-account-list',
  'role-list',
  'general-setting',
  'data-enrichment',
  'opt-out-list',
  'exclusion-lists',
  'report-analytics',
  'sales-connect-account',
  'minimum-spend',
  'coupons',
  'statement',
  'margins',
  'invoices',
  'taxes',
  'limits',
  'payments',
  'background-jobs',
  'outbox',
  'people-import',
  'people-merge',
];
const SETTING_UP: readonly PageId[] = ['profile-setup', 'card-setting'];
/** Pages for daily work, hidden while an agency's set-up or payment is pending (ROUT-13). */
const OPERATING: readonly PageId[] = [...MAIN, ...ADS, 'client-management', 'data-enrichment'];

/** Pages that show nothing but a refusal to users who lack this permission. */
const NEEDED: Partial<Record<PageId, Permission>> = { 'campaign-setup': 'campaign.create' };

const isUseful = (page: PageId, { user }: SignedIn): boolean => {
  const needed = NEEDED[page];
  return !needed || mayUser(user, needed);
};

/**
 * The user's sidebar (NAV-01): those links of the table whose address shows a page, in sections. A link that would only
 * redirect is not shown.
 */
export function sidebar(facts: SignedIn): MenuSection[] {
  const { user } = facts;
  const isHidden = menusHidden(facts);
  // Pages that stay readable after a failed payment keep their link.
  const isUnpaid = facts.setup !== null && !user.isViewMode && paymentFailed(facts.setup, user);
  const isShut = (id: PageId): boolean =>
    isHidden && OPERATING.includes(id) && !(isUnpaid && pageRow(id).whileUnpaid);
  const isForced = isSales(user) && salesAccount(facts) !== 'completed';
  const links = (ids: readonly PageId[]): MenuLink[] =>
    ids
      // What the company above has chosen not to show; a client's view of it comes with the set-up check.
      .filter((id) => !(facts.setup?.hidden_menu as readonly string[] | undefined)?.includes(id))
      .filter((id) => !isShut(id) && !(isForced && id !== 'sales-connect-account'))
      .map((id) => ({ page: id, label: pageRow(id).title, to: pageRow(id).path }))
      .filter((link) => maySee(link.to, facts) && isUseful(link.page, facts));
  // Until set-up is complete, its steps replace the daily work.
  const isOpen = isHidden || facts.user.profile_setup_completed === 'F';
  const first = links(isOpen && !isSystem(user) && !isForced ? [...MAIN, ...SETTING_UP] : MAIN);
  const sections: MenuSection[] = [{ title: '', links: first }];
  if ((!isHidden || isUnpaid) && !isForced && !isSystem(user)) {
    for (const { module, name, slug } of modulesOf(facts)) {
      const children = (['module-dashboard', 'campaign-management'] as const)
        .map((page) => ({
          page,
          label: pageRow(page).title,
          to: modulePath(slug, page === 'module-dashboard' ? 'dashboard' : 'campaign-management'),
          module,
        }))
        .filter((link) => {
          if (isHidden && !pageRow(link.page).whileUnpaid) return false;
          const seen = decide(link.to, facts);
          return seen.kind === 'page' && seen.page === link.page;
        });
      if (children.length > 0) sections.push({ title: name, links: children });
    }
  }
  const ads = { title: 'Advertising', links: links(ADS) };
  const configuration = { title: 'Configuration', links: links(CONFIGURATION) };
  // A system user's job is configuration.
  sections.push(...(isSystem(user) ? [configuration, ads] : [ads, configuration]));
  return sections.filter((section) => section.links.length > 0);
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
 * then the others that have an address of their own. Pages hidden from the sidebar are not included either.
 */
export function allPages(facts: SignedIn): (MenuLink & { section: string })[] {
  const pages = sidebar(facts).flatMap(({ title, links }) =>
    links.map((link) => ({ ...link, section: title })),
  );
  const inSidebar: readonly string[] = [...MAIN, ...ADS, ...CONFIGURATION];
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
    pages.push({ page: row.id as PageId, label: row.title, to: row.path, section });
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
    if (roleOf(user) !== 'agency' || !user.is_master || user.systemuser || !setup) return false;
    return walletShown(setup);
  },
  integrations: ({ user }) => roleOf(user) === 'client',
  developer: mayDevelop,
  exclusionList: ({ user }) => roleOf(user) === 'client',
  changePassword: ({ user }) => !user.isViewMode,
  twoFactor: ({ user }) => !user.isViewMode,
  sessions: ({ user }) => !user.isViewMode,
  support: ({ user }) => user.company_kind === 'agency',
  logout: () => true,
};

/** The items of the user's profile menu, in order. */
export function profileMenu(facts: SignedIn): ProfileEntry[] {
  return PROFILE_ENTRIES.filter((entry) => ENTRY_RULES[entry](facts));
}
