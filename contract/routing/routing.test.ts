import { describe, expect, test } from 'vitest';
import type { SetupCheck } from '../accounts/setup.ts';
import { MODULE_NAMES, type SessionUser } from '../accounts/users.ts';
import { decide, isKnownPath, landing } from './routing.ts';
import type { Facts, SignedIn } from './routing-facts.ts';
import { allPages, profileMenu, sidebar } from './routing-menu.ts';
import { PAGES } from './routing-pages.ts';

const ID = '00000000-0000-4000-8000-000000000001';

/** An agency's owner with everything done; each test changes what it is about. */
const user = (given: Partial<SessionUser> = {}): SessionUser =>
  ({
    id: ID,
    name: 'Somebody',
    email: 'somebody@people.test',
    user_type: 'userdownline',
    true_user_type: 'userdownline',
    system_user: false,
    is_root: false,
    is_master: true,
    in_view_mode: false,
    user_permissions: [],
    true_permissions: [],
    module_permissions: MODULE_NAMES.map((module_name) => ({
      module_name,
      enable_permission: 'T',
      create_permission: 'T',
      update_permission: 'T',
      delete_permission: 'T',
    })),
    permission_active: 'T',
    profile_setup_completed: 'T',
    company_kind: 'agency',
    is_account_executive: 'F',
    manual_bill: 'F',
    account_status: 'completed',
    charges_enabled: true,
    payouts_enabled: true,
    grade: 'agency.owner',
    local_name: 'Visitor ID',
    local_url: 'visitor-id',
    locator_name: 'Search ID',
    locator_url: 'search-id',
    enhance_name: '',
    enhance_url: '',
    b2b_name: 'B2B',
    b2b_url: 'b2b-id',
    simplifi_name: 'Ads',
    simplifi_url: 'ads',
    ...given,
  }) as SessionUser;

const beta = (slug: 'data_wallet' | 'b2b_module' | 'simplifi_module', is_beta = true, all = true) => ({
  id: ['data_wallet', 'b2b_module', 'simplifi_module'].indexOf(slug) + 1,
  name: slug,
  slug,
  is_beta,
  for_all: all,
});
const setup = (given: Partial<SetupCheck> = {}): SetupCheck =>
  ({
    beta_user: false,
    beta_features: [beta('data_wallet'), beta('b2b_module', true, false), beta('simplifi_module')],
    setup_complete: 'T',
    access: '',
    agency_access: '',
    payment_failed: false,
    account_status: 'completed',
    package_id: 'p1',
    gateway: 'sandbox',
    card_set: true,
    client_sidebar: ['local', 'simplifi'],
    campaigns_closed: false,
    onboarding_on: false,
    api_mode: 'T',
    modules: ['local', 'locator', 'b2b', 'simplifi'],
    agency_modules: ['local', 'locator', 'b2b', 'simplifi'],
    ...given,
  }) as SetupCheck;

const rootUser = (given: Partial<SessionUser> = {}) =>
  user({
    company_kind: 'root',
    user_type: 'user',
    system_user: true,
    is_root: true,
    grade: 'root.owner',
    account_status: '',
    charges_enabled: false,
    payouts_enabled: false,
    ...given,
  });
const signedIn = (person: SessionUser, check: Partial<SetupCheck> = {}): SignedIn => ({
  user: person,
  setup: setup(check),
});

const PEOPLE = {
  root: signedIn(rootUser(), { outbox: true }),
  enterprise: signedIn(rootUser({ is_master: false })),
  rootAdmin: signedIn(rootUser({ user_type: 'administrator', grade: 'root.administrator' })),
  rootSales: signedIn(rootUser({ user_type: 'sales', grade: 'root.sales' }), { account_status: '' }),
  rootAE: signedIn(rootUser({ user_type: 'sales', grade: 'root.sales', is_account_executive: 'T' })),
  agency: signedIn(user()),
  agencyNew: signedIn(user({ profile_setup_completed: 'F', account_status: '', charges_enabled: false }), {
    setup_complete: 'F',
    card_set: false,
    account_status: '',
  }),
  agencyAdmin: signedIn(user({ user_type: 'administrator', grade: 'agency.administrator' })),
  agencySales: signedIn(user({ user_type: 'sales', grade: 'agency.sales' })),
  agencyAE: signedIn(user({ user_type: 'sales', grade: 'agency.sales', is_account_executive: 'T' })),
  client: signedIn(user({ user_type: 'client', company_kind: 'client', grade: 'client.owner' })),
  // An agency with nothing set up, viewed by a member of the root.
  viewMode: signedIn(user({ in_view_mode: true, true_user_type: 'user' }), {
    setup_complete: 'F',
    card_set: false,
    agency_access: 'paymentfailed',
  }),
} satisfies Record<string, SignedIn>;
type Who = keyof typeof PEOPLE;

/** Where the short words of the table below lead. */
const WORDS: Record<string, string> = {
  list: '/configuration/agency-list',
  connect: '/configuration/sales-connect-account',
  prof: '/user/profile-setup',
  profile: '/user/profile',
  dash: '/visitor-id/dashboard',
  clients: '/configuration/client-management',
  localdash: '/visitor-id/dashboard',
  camps: '/ads/campaign-management',
};

// One line per route: P page, 404 not found, any other word a redirect (see WORDS).
const EXPECTED = `
path                                          root   enterprise rootAdmin rootSales rootAE   agency  agencyNew agencyAdmin agencySales agencyAE client  viewMode
/                                             list   list       list      connect   list     dash    prof      dash        connect     clients  dash    dash
/login                                        list   list       list      connect   list     dash    prof      dash        connect     clients  dash    dash
/register                                     list   list       list      connect   list     dash    prof      dash        connect     clients  dash    dash
/agency-register                              list   list       list      connect   list     dash    prof      dash        connect     clients  dash    dash
/agency-register/FRIEND                       list   list       list      connect   list     dash    prof      dash        connect     clients  dash    dash
/sso                                          P      P          P         P         P        P       P         P           P           P        P       P
/set-new-password/abc                         P      P          P         P         P        P       P         P           P           P        P       P
/reset-password-invalid                       P      P          P         P         P        P       P         P           P           P        P       P
/setup                                        P      P          P         P         P        P       P         P           P           P        P       P
/register/confirm/a                          P      P          P         P         P        P       P         P           P           P        P       P
/unsubscribe/a                               P      P          P         P         P        P       P         P           P           P        P       P
/confirm-email/a                             P      P          P         P         P        P       P         P           P           P        P       P
/privacy                                      P      P          P         P         P        P       P         P           P           P        P       P
/privacy-policy                               P      P          P         P         P        P       P         P           P           P        P       P
/term-of-use                                  P      P          P         P         P        P       P         P           P           P        P       P
/service-billing-agreement                    P      P          P         P         P        P       P         P           P           P        P       P
/marketing-services-agreement-developer       P      P          P         P         P        P       P         P           P           P        P       P
/verify                                       P      P          P         P         P        P       P         P           P           P        P       P
/download-auth/default_agency                 P      P          P         connect   404      P       P         P           404         404      404     P
/user                                         profile profile   profile   connect   profile  profile profile   profile     profile     profile  profile profile
/user/profile                                 P      P          P         connect   P        P       P         P           P           P        P       P
/user/profile-setup                           P      P          P         connect   P        P       P         P           P           P        P       P
/user/profile-setup-v1                        P      P          P         connect   prof     prof    P         prof        prof        prof     prof    P
/user/card-setting                            P      P          P         connect   404      P       P         P           404         404      P       P
/user/sandbox-account/abc                     404    404        404       P         P        P       P         P           P           P        404     P
/user/questionnaire                           P      P          P         connect   P        P       P         P           P           P        404     P
/user/questionnaire-add                       P      P          P         connect   P        P       P         P           P           P        404     P
/user/sessions                                P      P          P         P         P        P       P         P           P           P        P       P
/developer                                    P      P          404       connect   404      P       prof      404         404         404      404     404
/oauth/authorize                              P      P          404       connect   404      P       prof      404         404         404      404     404
/user/second-factor                           P      P          P         P         P        P       P         P           P           P        P       P
/dashboard                                    list   list       list      connect   P        P       prof      P           P           P        P       P
/leads                                        list   list       list      connect   404      P       prof      P           404         404      P       P
/banner/create                                P      P          P         connect   404      P       prof      P           404         404      P       P
/banner/list                                  P      P          P         connect   404      P       prof      P           404         404      P       P
/client                                       P      P          P         connect   404      P       prof      P           404         404      404     P
/Client                                       P      P          P         connect   404      P       prof      P           404         404      404     P
/campaign                                     P      P          P         connect   404      P       prof      P           404         404      P       P
/campaign-setup                               P      P          P         connect   404      P       prof      P           404         404      P       P
/audience                                     P      P          P         connect   404      P       prof      P           404         404      P       P
/Audience                                     P      P          P         connect   404      P       prof      P           404         404      P       P
/deliveries                                   404    404        404       connect   404      P       prof      P           404         404      P       P
/returns                                      P      P          P         connect   404      P       prof      P           404         404      P       P
/alerts                                       404    404        404       connect   404      P       prof      P           404         404      P       P
/integrations                                 404    404        404       connect   404      P       prof      404         404         404      P       P
/integrations/zapier                          404    404        404       connect   404      P       prof      404         404         404      P       P
/configuration                                clients clients   clients   connect   clients  clients prof      clients     clients     clients  clients clients
/configuration/client-management              list   list       list      connect   P        P       prof      P           404         P        404     P
/configuration/root/list                      P      404        P         connect   404      404     404       404         404         404      404     404
/configuration/agency-list                    P      P          P         connect   P        404     404       404         404         404      404     404
/configuration/administrator-list             P      P          P         connect   404      P       prof      P           404         404      P       P
/configuration/sales-account-list             P      P          P         connect   404      404     404       404         404         404      404     404
/configuration/role-list                      P      P          P         connect   404      P       prof      P           404         404      404     P
/configuration/privacy-requests              P      P          P         connect   404      P       prof      P           404         404      404     P
/configuration/general-setting                P      P          P         connect   404      P       prof      P           404         404      404     P
/configuration/agreements                     P      P          P         connect   404      P       prof      P           404         404      P       P
/configuration/agreements/default_client      P      P          P         connect   404      P       prof      P           404         404      P       P
/configuration/offboarding                   404    404        404       connect   404      P       prof      P           404         404      404     P
/configuration/offboarding/c1                404    404        404       connect   404      P       prof      P           404         404      404     P
/configuration/transfers                     404    404        404       connect   404      P       prof      P           404         404      P       P
/configuration/transfers/t1                  404    404        404       connect   404      P       prof      P           404         404      P       P
/configuration/templates                     P      P          P         connect   404      P       prof      P           404         404      404     P
/configuration/templates/t1                  P      P          P         connect   404      P       prof      P           404         404      404     P
/configuration/data-enrichment                P      P          P         connect   404      P       prof      P           404         404      404     P
/configuration/opt-out-list                   P      P          P         connect   404      404     404       404         404         404      404     404
/configuration/exclusion-lists                404    404        404       connect   404      P       prof      P           404         404      P       P
/configuration/report-analytics               P      P          404       connect   404      404     prof      404         404         404      404     P
/configuration/sales-connect-account          404    404        404       P         P        404     404       404         P           P        404     404
/configuration/statement                      P      P          P         connect   404      P       prof      P           404         404      P       P
/configuration/margins                        P      P          P         connect   404      P       prof      P           404         404      404     P
/configuration/reports                        404    404        404       connect   404      P       prof      P           404         404      404     P
/configuration/taxes                          P      P          P         connect   404      P       prof      P           404         404      404     P
/configuration/invoices                       P      P          P         connect   404      P       prof      P           404         404      P       P
/configuration/payments                       P      P          P         connect   404      404     404       404         404         404      404     404
/configuration/outbox                        P      404        404       connect   404      404     prof      404         404         404      404     404
/configuration/data-retention                 P      404        404       connect   404      404     404       404         404         404      404     404
/configuration/background-jobs               P      P          P         connect   404      404     404       404         404         404      404     404
/configuration/limits                         404    404        404       connect   404      P       prof      P           404         404      P       P
/configuration/minimum-spend                  P      P          P         connect   404      404     404       404         404         404      404     404
/configuration/coupons                        P      P          P         connect   404      404     404       404         404         404      404     404
/configuration/company-imports                P      P          404       connect   404      404     404       404         404         404      404     404
/configuration/people-import                  P      P          P         connect   404      404     404       404         404         404      404     404
/configuration/people-merge                   P      P          P         connect   404      404     404       404         404         404      404     404
/visitor-id                                   dash   dash       dash      connect   dash     dash    prof      dash        dash        dash     dash    dash
/visitor-id/dashboard                         list   list       list      connect   P        P       prof      P           P           P        P       P
/visitor-id/campaign-management               list   list       list      connect   404        P       prof      P           404           404        P       P
/visitor-id/campaign-management-v1            list   list       list      connect   404        P       prof      P           404           404        P       P
/visitor-id/leads-management                  404    404        P         connect   404      404     404       P           404         404      404     404
/search-id/campaign-management                list   list       list      connect   404        P       prof      P           404           404        404     P
/ads                                          camps  404        camps     connect   camps    camps   prof      camps       camps       camps    camps   camps
/ads/campaign-management                      list   404        list      connect   404        P       prof      P           404           404        P       P
/ads/dashboard                                404    404        404       404       404      404     404       404         404         404      404     404
/b2b-id/campaign-management                   404    404        404       404       404      404     404       404         404         404      404     404
/site-id/dashboard                            404    404        404       404       404      404     404       404         404         404      404     404
/no/such/page                                 404    404        404       404       404      404     404       404         404         404      404     404
/configuration/nothing                        404    404        404       404       404      404     404       404         404         404      404     404
`;

const [head = '', ...lines] = EXPECTED.trim().split('\n');
const people = head.trim().split(/\s+/).slice(1) as Who[];
const table = lines.map((line) => {
  const [path = '', ...cells] = line.trim().split(/\s+/);
  if (cells.length !== people.length) throw new Error(`${path} has ${cells.length} cells`);
  return { path, cells };
});

const wordOf = (path: string, facts: Facts): string => {
  const answer = decide(path, facts);
  if (answer.kind === 'page') return 'P';
  return answer.kind === 'notFound' ? '404' : answer.to;
};

test('[BEY-32] who lacks a two-factor authentication requirement is led to set one up, before anything else', () => {
  for (const { user: person, setup: check } of Object.values(PEOPLE)) {
    const facts: Facts = { user: { ...person, factor_needed: 'now' }, setup: check };
    for (const path of [
      '/',
      '/login',
      '/dashboard',
      '/user/sessions',
      '/user/profile-setup',
      '/configuration/statement',
    ])
      expect([path, decide(path, facts)]).toMatchObject([
        path,
        { kind: 'redirect', to: '/user/second-factor' },
      ]);
    expect(decide('/user/second-factor', facts)).toMatchObject({ kind: 'page' });
    expect(decide('/privacy-policy', facts)).toMatchObject({ kind: 'page' });
  }
});

describe('[ROUT-01] [ROUT-02] [ROUT-04] [ROUT-05] [ROUT-06] [ROUT-07] [ROUT-08] [ROUT-09] [ROUT-10] every route as every role', () => {
  test.each(table)('$path', ({ path, cells }) => {
    const expected = cells.map((cell) => WORDS[cell] ?? cell);
    expect(people.map((who) => [who, wordOf(path, PEOPLE[who])])).toEqual(
      people.map((who, at) => [who, expected[at]]),
    );
  });

  test('no page of the table is left out', () => {
    const shown = new Set(
      table.flatMap(({ path }) =>
        people.map((who) => {
          const answer = decide(path, PEOPLE[who]);
          return answer.kind === 'page' ? answer.page : '';
        }),
      ),
    );
    const leadsOn: string[] = PAGES.filter((page) => 'to' in page).map((page) => page.id);
    // Only visible while no one is signed in; covered by the next test.
    const visitors: string[] = PAGES.filter((page) => page.guard === 'visitor').map((page) => page.id);
    const missing = PAGES.map((page) => page.id).filter(
      (id) => !shown.has(id) && !leadsOn.includes(id) && !visitors.includes(id),
    );
    expect(missing).toEqual([]);
  });

  test('no redirect leads in a circle, and each ends at a page', () => {
    const states: Partial<SetupCheck>[] = [
      {},
      { setup_complete: 'F' },
      { card_set: false },
      { access: 'paymentfailed', setup_complete: 'F' },
      { agency_access: 'paymentfailed' },
      { account_status: 'pending', package_id: '' },
      { modules: [], agency_modules: [], client_sidebar: [] },
      { campaigns_closed: true },
    ];
    for (const who of people) {
      for (const state of states) {
        for (const { path } of table) {
          const facts = { user: PEOPLE[who].user, setup: setup({ ...PEOPLE[who].setup, ...state }) };
          let at = path;
          let answer = decide(at, facts);
          for (let i = 0; i < 6 && answer.kind === 'redirect'; i++) {
            at = answer.to;
            answer = decide(at, facts);
          }
          expect([who, path, state, answer.kind]).not.toContain('redirect');
          // The home page never ends at the 404 page.
          if (path === '/') expect([who, state, answer.kind]).toContain('page');
        }
      }
    }
  });
});

describe('[ROUT-01] [ROUT-05] no one signed in', () => {
  const nobody: Facts = { user: null, setup: null };
  test.each([
    ['/', '/login'],
    ['/login', 'P'],
    ['/agency-register', 'P'],
    ['/agency-register/FRIEND', 'P'],
    ['/set-new-password/abc', 'P'],
    ['/set-new-password', '404'],
    ['/privacy-policy', 'P'],
    ['/register/confirm/abc', 'P'],
    ['/confirm-email/abc', 'P'],
    ['/dashboard', '/login'],
    ['/user/profile', '/login?next=%2Fuser%2Fprofile'],
    ['/visitor-id/dashboard', '/login?next=%2Fvisitor-id%2Fdashboard'],
    ['/download-auth/default_agency', '/login?next=%2Fdownload-auth%2Fdefault_agency'],
    ['/nothing', '404'],
    ['/no/such/page', '404'],
  ])('%s', (path, expected) => {
    expect(wordOf(path, nobody)).toBe(expected);
  });

  test('[AUTH-07] /register shows the login unless registering is open', () => {
    expect(decide('/register', nobody)).toMatchObject({ kind: 'page', page: 'login' });
    expect(decide('/register', { ...nobody, registration_open: true })).toMatchObject({ page: 'register' });
  });
});

describe('[ROUT-12] client setup', () => {
  const client = PEOPLE.client.user;
  const at = (path: string, check: Partial<SetupCheck>, person: Partial<SessionUser> = {}) =>
    wordOf(path, signedIn({ ...client, ...person }, check));

  test('Card Setting without a card, or with the setup open, leads to Profile Setup', () => {
    expect(at('/user/card-setting', { card_set: false })).toBe('/user/profile-setup');
    expect(at('/user/card-setting', { setup_complete: 'F' })).toBe('/user/profile-setup');
    expect(at('/user/card-setting', {})).toBe('P');
  });
  test('a failed payment with the setup open forces Card Setting', () => {
    const failed = { setup_complete: 'F', access: 'paymentfailed' } as const;
    expect(at('/visitor-id/campaign-management', failed)).toBe('/user/card-setting');
    expect(at('/user/profile', failed)).toBe('/user/card-setting');
    expect(at('/user/card-setting', failed)).toBe('P');
    expect(at('/user/sessions', failed)).toBe('P');
    expect(at('/login', failed)).toBe('/user/card-setting');
    // Leads and what is owed stay readable, and the sidebar leads there.
    const readable = ['/visitor-id/dashboard', '/configuration/invoices', '/configuration/statement'];
    for (const path of readable) expect(at(path, failed)).toBe('P');
    const shown = sidebar(signedIn(client, failed)).flatMap(({ links }) => links);
    expect(shown.map(({ to }) => to)).toEqual(expect.arrayContaining([...readable, '/user/card-setting']));
    expect(shown.some(({ page }) => page === 'campaign-management')).toBe(false);
    // What the agency owes is not the client's concern.
    expect(at('/visitor-id/campaign-management', { agency_access: 'paymentfailed' })).toBe('P');
  });
  test('without leave to add campaigns, campaign-management leads to the dashboard', () => {
    const disabled = { campaigns_closed: true };
    expect(at('/visitor-id/campaign-management', disabled)).toBe('/visitor-id/dashboard');
    expect(at('/ads/campaign-management', disabled)).toBe('/dashboard');
    expect(at('/campaign-setup', disabled)).toBe('/dashboard');
    expect(at('/campaign', disabled)).toBe('P');
  });
  test.each([
    [{ account_status: 'completed', package_id: 'p' }, 'F', 'P'],
    [{ account_status: 'completed', package_id: '' }, 'F', '/user/profile'],
    [{ account_status: '', package_id: 'p', gateway: 'none' }, 'F', 'P'],
    [{ account_status: '', package_id: 'p', gateway: 'stripe' }, 'F', '/user/profile'],
    [{ account_status: '', package_id: 'p', gateway: 'stripe' }, 'T', 'P'],
    [{ account_status: 'failed', package_id: 'p', gateway: 'stripe' }, 'T', 'P'],
    [{ account_status: 'failed', package_id: 'p', gateway: 'stripe' }, 'F', '/user/profile'],
    [{ account_status: 'pending', package_id: 'p' }, 'T', '/user/profile'],
    [{ account_status: 'inverification', package_id: 'p' }, 'T', '/user/profile'],
  ] as const)(
    'the dashboard needs a connected account: %j, manual bill %s',
    (check, manual_bill, expected) => {
      expect(at('/visitor-id/dashboard', check, { manual_bill })).toBe(expected);
      const shown = sidebar(signedIn({ ...client, manual_bill }, check)).flatMap(({ links }) => links);
      expect(shown.some(({ page }) => page === 'module-dashboard')).toBe(expected === 'P');
    },
  );
  test('an open profile lands at Profile Setup', () => {
    expect(at('/login', {}, { profile_setup_completed: 'F' })).toBe('/user/profile-setup');
  });
});

describe('[ROUT-13] agency setup', () => {
  const at = (path: string, check: Partial<SetupCheck>, person: Partial<SessionUser> = {}) =>
    wordOf(path, signedIn(user(person), check));

  test('a failed payment forces Card Setting, outside view mode only', () => {
    const failed = { agency_access: 'paymentfailed' } as const;
    expect(at('/visitor-id/campaign-management', failed)).toBe('/user/card-setting');
    expect(at('/user/profile', failed)).toBe('/user/card-setting');
    expect(at('/visitor-id/campaign-management', failed, { in_view_mode: true })).toBe('P');
    for (const path of ['/visitor-id/dashboard', '/configuration/invoices', '/configuration/statement'])
      expect(at(path, failed)).toBe('P');
  });
  test('goes on with setup_complete T and a card, or onboarding on', () => {
    expect(at('/configuration/general-setting', { card_set: false })).toBe('/user/profile-setup');
    expect(at('/configuration/general-setting', { card_set: false, onboarding_on: true })).toBe('P');
    expect(at('/configuration/general-setting', { setup_complete: 'F' })).toBe('/user/profile-setup');
    expect(at('/user/profile', { setup_complete: 'F' })).toBe('P');
  });
  test('lands by charges, payouts and profile', () => {
    const off = { charges_enabled: false, payouts_enabled: false } as const;
    expect(at('/login', {}, off)).toBe('/configuration/general-setting');
    expect(at('/login', {}, { ...off, profile_setup_completed: 'F' })).toBe('/user/profile-setup');
    expect(at('/login', {}, { charges_enabled: false })).toBe('/user/profile-setup');
  });
  test('payment failure, a missing card or account hide the menus for daily work', () => {
    const pages = (facts: SignedIn) => sidebar(facts).flatMap(({ links }) => links.map(({ page }) => page));
    expect(pages(PEOPLE.agency)).toContain('module-dashboard');
    for (const check of [
      { agency_access: 'paymentfailed' },
      { card_set: false, onboarding_on: true },
      { account_status: 'pending' },
    ] as const) {
      const seen = pages(signedIn(user(), check));
      // Purchases stay readable after a failed payment.
      const isReadable = 'agency_access' in check;
      expect(seen.includes('module-dashboard')).toBe(isReadable);
      expect(seen.includes('dashboard')).toBe(isReadable);
      expect(seen).not.toContain('campaign-management');
      expect(seen).not.toContain('client-management');
    }
    expect(pages(PEOPLE.viewMode)).toContain('module-dashboard');
  });
});

test('[ROUT-14] sales whose account is not connected are forced to connect it', () => {
  for (const accountStatus of ['', 'pending', 'inverification', 'failed'] as const) {
    const facts = signedIn(PEOPLE.rootAE.user, { account_status: accountStatus });
    expect(wordOf('/configuration/client-management', facts)).toBe('/configuration/sales-connect-account');
    expect(landing(facts)).toBe('/configuration/sales-connect-account');
    expect(sidebar(facts).flatMap(({ links }) => links.map(({ page }) => page))).toEqual([
      'sales-connect-account',
    ]);
  }
});

test('[ROLE-01] a module of permissions that is off is no page and no link', () => {
  const off = (module_name: 'LeadsPeek' | 'Settings' | 'Campaign' | 'Ads Design') =>
    signedIn(
      user({
        user_type: 'administrator',
        grade: 'agency.administrator',
        module_permissions: user().module_permissions.map((row) =>
          row.module_name === module_name ? { ...row, enable_permission: 'F' } : row,
        ),
      }),
    );
  expect(wordOf('/visitor-id/dashboard', off('LeadsPeek'))).toBe('404');
  expect(wordOf('/configuration/role-list', off('Settings'))).toBe('404');
  expect(wordOf('/configuration/role-list', off('Campaign'))).toBe('P');
  expect(wordOf('/audience', off('Campaign'))).toBe('404');
  expect(wordOf('/banner/list', off('Ads Design'))).toBe('404');
  const links = (facts: SignedIn) =>
    sidebar(facts).flatMap((section) => section.links.map(({ page }) => page));
  expect(links(off('Settings'))).not.toContain('data-enrichment');
  // A page that would only show a refusal has no link.
  const reader = user({
    user_type: 'administrator',
    grade: 'agency.administrator',
    module_permissions: user().module_permissions.map((row) => ({ ...row, create_permission: 'F' })),
  });
  expect(links(signedIn(reader))).not.toContain('campaign-setup');
  expect(links(PEOPLE.agency)).toContain('campaign-setup');
});

test('[ROUT-08] report analytics by permission, its own or in view mode', () => {
  const admin = PEOPLE.rootAdmin.user;
  const given = [{ name: 'report_analytics', permission_active: 'T' as const }];
  const path = '/configuration/report-analytics';
  expect(wordOf(path, signedIn({ ...admin, user_permissions: given }))).toBe('P');
  expect(
    wordOf(path, signedIn({ ...admin, user_permissions: [{ ...given[0]!, permission_active: 'F' }] })),
  ).toBe('404');
});

test('[ROUT-07] a module that the root no longer has leads home; one without a name gets the global one', () => {
  expect(wordOf('/visitor-id/dashboard', signedIn(user(), { modules: ['locator'] }))).toBe('/');
  const unnamed = signedIn(user({ locator_name: '', locator_url: '' }));
  expect(decide('/search-id/dashboard', unnamed)).toMatchObject({ module: { name: 'Search ID' } });
  const noEnhance = signedIn(user(), { modules: ['local', 'enhance'], agency_modules: ['enhance'] });
  expect(wordOf('/enhance-id/dashboard', noEnhance)).toBe('404');
});

describe('[BETA-01] modules and beta features', () => {
  const b2b = '/b2b-id/campaign-management';
  test('b2b only while it is in trial, for all or for a beta user', () => {
    expect(wordOf(b2b, PEOPLE.agency)).toBe('404');
    expect(wordOf(b2b, signedIn(user(), { beta_user: true }))).toBe('P');
    expect(wordOf(b2b, signedIn(user(), { beta_features: [beta('b2b_module')] }))).toBe('P');
    expect(wordOf(b2b, signedIn(user(), { beta_features: [beta('b2b_module', false)] }))).toBe('404');
  });
  test('simplifi on the master system only', () => {
    expect(wordOf('/ads/campaign-management', PEOPLE.agency)).toBe('P');
    expect(wordOf('/ads/campaign-management', signedIn(user({ is_master: false })))).toBe('404');
  });
  test('the Data Wallet for agencies of the master system, and only who qualifies for b2b while that is in trial', () => {
    expect(profileMenu(signedIn(user(), { beta_user: true }))).toContain('dataWallet');
    expect(profileMenu(PEOPLE.agency)).not.toContain('dataWallet');
    expect(profileMenu(signedIn(user(), { beta_features: [beta('data_wallet')] }))).toContain('dataWallet');
    expect(profileMenu(signedIn(user({ is_master: false }), { beta_user: true }))).not.toContain(
      'dataWallet',
    );
  });
});

describe('[NAV-01] the sidebar', () => {
  const labels = (who: Who) =>
    sidebar(PEOPLE[who]).map(({ title, links }) => [title, links.map((l) => l.label)]);
  test('of a system user', () => {
    expect(labels('root')).toEqual([
      ['Agencies', ['Agency List', 'Root List', 'Results by client', 'Import companies']],
      ['Campaigns', ['All campaigns', 'Audiences', 'Banners']],
      [
        'Data',
        [
          'People data',
          'Merge people',
          'Data Enrichment',
          'Exclusion List',
          'Privacy Requests',
          'Returns',
          'Report Analytics',
        ],
      ],
      [
        'Money',
        ['Invoices', 'Statement', 'Margins', 'Payments to check', 'Minimum Spend', 'Coupons', 'Taxes'],
      ],
      [
        'Settings',
        [
          'General Settings',
          'Templates',
          'Administrator List',
          'Sales Rep & AE List',
          'Role List',
          'Agreements',
          'Background jobs',
          'Outbox',
          'Data retention',
        ],
      ],
    ]);
  });
  test('of an agency and its administrator', () => {
    const expected = [
      ['Home', ['Dashboard']],
      ['Clients', ['Client Management', 'Results by client', 'Offboarding']],
      ['Leads', ['All leads', 'Visitor ID', 'Search ID', 'Deliveries', 'Returns', 'Alerts']],
      [
        'Campaigns',
        [
          ...['All campaigns', 'Visitor ID', 'Search ID', 'Ads'],
          ...['Build Your Campaign', 'Audiences', 'Create banner', 'Banners'],
        ],
      ],
      ['Money', ['Invoices', 'Statement', 'Margins', 'Reports', 'Taxes', 'Limits']],
      ['Lists', ['Exclusion Lists', 'Privacy Requests', 'Data Enrichment']],
      [
        'Settings',
        [
          ...[
            'General Settings',
            'Templates',
            'Administrator List',
            'Role List',
            'Agreements',
            'Integrations',
          ],
          'Transfers',
        ],
      ],
    ];
    expect(labels('agency')).toEqual(expected);
    const [settings = ['', []]] = expected.slice(-1);
    expect(labels('agencyAdmin')).toEqual([
      ...expected.slice(0, -1),
      [settings[0], [...(settings[1] ?? [])].filter((label) => label !== 'Integrations')],
    ]);
  });
  test('of a client', () => {
    expect(labels('client')).toEqual([
      ['Home', ['Dashboard']],
      ['Leads', ['All leads', 'Visitor ID', 'Deliveries', 'Returns', 'Alerts']],
      [
        'Campaigns',
        [
          ...['All campaigns', 'Visitor ID', 'Ads'],
          ...['Build Your Campaign', 'Audiences', 'Create banner', 'Banners'],
        ],
      ],
      ['Money', ['Invoices', 'Statement', 'Limits']],
      ['Lists', ['Exclusion Lists']],
      ['Settings', ['Administrator List', 'Agreements', 'Integrations', 'Transfers']],
    ]);
  });
  test('of an account executive', () => {
    expect(labels('rootAE')).toEqual([
      ['Home', ['Dashboard']],
      ['Agencies', ['Agency List']],
      ['Clients', ['Client Management']],
      ['Leads', ['Visitor ID', 'Search ID']],
      ['Connect your account', ['Connect your account']],
    ]);
  });
  test('of an agency that is not set up: the steps of its setup', () => {
    expect(labels('agencyNew')).toEqual([['Set up', ['Profile setup', 'Card Setting']]]);
  });
  test('has at most seven entries, and every page with a link under one of them', () => {
    for (const who of people) {
      const groups = sidebar(PEOPLE[who]);
      expect([who, groups.length <= 7]).toEqual([who, true]);
      const all = groups.flatMap(({ links }) => links.map(({ to }) => to));
      expect([who, new Set(all).size]).toEqual([who, all.length]);
    }
  });
  test('shows no link that its own address does not answer with a page', () => {
    for (const who of people)
      for (const { links } of sidebar(PEOPLE[who]))
        for (const { to } of links) expect([who, to, decide(to, PEOPLE[who]).kind]).toContain('page');
  });
});

describe('[NAV-02] the profile menu', () => {
  test.each([
    ['root', 'profile cardSetting developer changePassword twoFactor sessions logout'],
    ['rootSales', 'changePassword twoFactor sessions logout'],
    ['agency', 'profile cardSetting developer changePassword twoFactor sessions support logout'],
    ['agencyNew', 'profile changePassword twoFactor sessions support logout'],
    ['client', 'profile cardSetting integrations exclusionList changePassword twoFactor sessions logout'],
    ['viewMode', 'profile support logout'],
  ] as [Who, string][])('of %s', (who, entries) => {
    expect(profileMenu(PEOPLE[who]).join(' ')).toBe(entries);
  });
  test('Card Setting with manual billing for the agency itself only', () => {
    const manual = { manual_bill: 'T' } as const;
    expect(profileMenu(signedIn(user(manual), { card_set: false }))).toContain('cardSetting');
    expect(profileMenu(signedIn({ ...PEOPLE.client.user, ...manual }))).not.toContain('cardSetting');
  });
});

test('[ROUT-02] addresses are known or not, no matter who asks', () => {
  expect(isKnownPath('/configuration/agency-list/', ['visitor-id'])).toBe(true);
  expect(isKnownPath('/visitor-id/dashboard', ['visitor-id'])).toBe(true);
  expect(isKnownPath('/site-id/dashboard', ['visitor-id'])).toBe(false);
  expect(isKnownPath('/site-id/dashboard', null)).toBe(true);
  expect(isKnownPath('/no/such/page', null)).toBe(false);
  expect(isKnownPath('/%E0%A4%A', [])).toBe(false);
});

test('the search by name has every page that someone may see, each once and no other', () => {
  for (const [name, facts] of Object.entries(PEOPLE)) {
    const pages = allPages(facts);
    expect([name, pages.filter(({ to }) => decide(to, facts).kind !== 'page')]).toEqual([name, []]);
    expect([name, new Set(pages.map(({ to }) => to)).size]).toEqual([name, pages.length]);
    const links = sidebar(facts).flatMap((section) => section.links.map(({ to }) => to));
    expect(pages.map(({ to }) => to)).toEqual(
      expect.arrayContaining([...links, '/user/sessions', '/privacy-policy']),
    );
  }
  const titles = (facts: SignedIn) => allPages(facts).map(({ label }) => label);
  expect(titles(PEOPLE.agency)).toEqual(expect.arrayContaining(['Profile', 'Card Setting', 'Integrations']));
  expect(titles(PEOPLE.agency)).not.toContain('Agency List');
  expect(titles(PEOPLE.agencyNew)).not.toContain('Client Management');
});

test('[CONF-03] [NAV-01] what the company above hides is neither in the sidebar nor in the search, but still a page', () => {
  const facts: SignedIn = {
    ...PEOPLE.agency,
    setup: setup({ hidden_menu: ['client-management', 'limits'] }),
  };
  const links = (who: SignedIn) => sidebar(who).flatMap((section) => section.links.map(({ page }) => page));
  expect(links(PEOPLE.agency)).toEqual(expect.arrayContaining(['client-management', 'limits']));
  const left = links(PEOPLE.agency).filter((page) => page !== 'client-management' && page !== 'limits');
  expect(links(facts)).toEqual(left);
  expect(allPages(facts).map(({ page }) => page)).not.toContain('limits');
  expect(decide('/configuration/limits', facts)).toMatchObject({ kind: 'page' });
});
