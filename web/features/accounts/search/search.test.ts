import { describe, expect, test } from 'vitest';
import type { SearchHit } from '../../../../contract/accounts/search.ts';
import type { SetupCheck } from '../../../../contract/accounts/setup.ts';
import { MODULE_NAMES, type SessionUser } from '../../../../contract/accounts/users.ts';
import type { SignedIn } from '../../../../contract/routing/routing-facts.ts';
import { actionsFor, type Doer, phraseChoices, phraseOf } from './actions.ts';
import { forgetRecent, recentOf, remember } from './recent.ts';
import { choicesOf, pagesFor, targetOf } from './targets.ts';

const facts = (given: Partial<SessionUser>): SignedIn => ({
  user: {
    id: 'u1',
    user_type: 'userdownline',
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
    ...given,
  } as SessionUser,
  setup: {
    beta_features: [],
    setup_complete: 'T',
    access: '',
    agency_access: '',
    account_status: 'completed',
    package_id: 'standard',
    card_set: true,
    client_sidebar: ['local'],
    modules: ['local'],
    agency_modules: ['local'],
  } as unknown as SetupCheck,
});
const agency = facts({});
const root = facts({ company_kind: 'root', user_type: 'user', grade: 'root.owner', is_root: true });
const client = facts({ company_kind: 'client', user_type: 'client', grade: 'client.owner' });

const hit = (given: Partial<SearchHit>): SearchHit => ({
  type: 'client',
  id: 'c1',
  name: 'Oak & Sons',
  user_id: '',
  full_name: 'Olga Oak',
  company_name: '',
  agency_id: 'a1',
  agency_name: 'Acme 100%',
  modules: '',
  campaign_number: '',
  status: '',
  ...given,
});
const campaign = hit({
  type: 'campaign',
  id: 'g1',
  name: 'Spring',
  company_name: 'Oak & Sons',
  modules: 'local',
  campaign_number: '100001',
});

describe('where a hit leads', () => {
  test('a root finds agencies, and beneath them their clients and what runs there, in the agency list', () => {
    expect(targetOf(hit({ type: 'agency', name: 'Acme 100%' }), root)).toBe(
      '/configuration/agency-list?q=Acme+100%25',
    );
    const tree = '/configuration/agency-list?q=Acme+100%25&open=a1&client=Oak+%26+Sons';
    expect(targetOf(hit({}), root)).toBe(tree);
    expect(targetOf(campaign, root)).toBe(tree);
    // An agency that is not named in the hit cannot be opened.
    expect(targetOf(hit({ agency_name: '' }), root)).toBeUndefined();
  });

  test('an agency opens its client list and the drawer of a campaign; a client its own campaigns', () => {
    expect(targetOf(hit({}), agency)).toBe('/configuration/client-management?q=Oak+%26+Sons');
    expect(targetOf(campaign, agency)).toBe('/visitor-id/campaign-management?campaign=g1');
    expect(targetOf(campaign, client)).toBe('/visitor-id/campaign-management?campaign=g1');
    expect(targetOf(hit({ type: 'agency' }), agency)).toBeUndefined();
  });

  test('what leads nowhere is not offered, the rest comes by group with what tells it apart', () => {
    const choices = choicesOf([campaign, hit({}), hit({ type: 'agency', id: 'a1' })], agency);
    expect(choices.map(({ group, title, detail }) => [group, title, detail])).toEqual([
      ['Clients', 'Oak & Sons', 'Olga Oak'],
      ['Campaigns', 'Spring', '#100001 · Oak & Sons'],
    ]);
    expect(choicesOf([campaign], client)[0]!.detail).toBe('#100001');
    expect(choicesOf([campaign], root)[0]!.detail).toBe('#100001 · Oak & Sons · Acme 100%');
  });
});

test('pages are found by every word of their name and section, and only those that may be seen', () => {
  const names = (text: string, who = agency) => pagesFor(text, who).map(({ title }) => title);
  expect(names('client man')).toEqual(['Client Management']);
  // A section alone finds nothing, a module's name does.
  expect(names('configuration')).toEqual([]);
  expect(names('visitor id')).toEqual(['Dashboard', 'Campaign Management']);
  expect(names('visitor dash')).toEqual(['Dashboard']);
  expect(names('agency list')).toEqual([]);
  expect(names('agency list', root)).toEqual(['Agency List']);
  expect(names('securi')).toEqual(['Security']);
  expect(names('privacy')).toEqual(['Privacy Requests', 'Privacy policy']);
  expect(new Set(names('')).size).toBeGreaterThan(10);
});

test('the last choices come back, newest first, each once, as long as they may be seen', () => {
  const store = new Map<string, string>();
  const kept = {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => void store.set(key, value),
    removeItem: (key: string) => void store.delete(key),
  };
  const [page] = pagesFor('agency list', root);
  const [one] = choicesOf([hit({})], agency);
  for (const choice of [one!, page!, one!]) remember(choice, 'u1', kept);
  expect(recentOf(agency, kept).map(({ group, title }) => [group, title])).toEqual([
    ['Recent', 'Oak & Sons'],
  ]);
  expect(recentOf(root, kept).map(({ title }) => title)).toEqual(['Agency List']);
  for (let n = 0; n < 9; n++) remember({ ...one!, key: `client ${n}`, title: `C${n}` }, 'u1', kept);
  expect(recentOf(agency, kept).map(({ title }) => title)).toEqual(['C8', 'C7', 'C6', 'C5', 'C4']);
  store.set('search.recent.u1', JSON.stringify([{ ...one!, to: '//evil.example' }]));
  expect(recentOf(agency, kept)).toEqual([]);
  store.set('search.recent.u1', '{');
  expect(recentOf(agency, kept)).toEqual([]);
  forgetRecent('u1', kept);
  expect(store.size).toBe(0);
});

describe('[BEY-33] actions', () => {
  const done: string[] = [];
  const does: Doer = {
    menu: [{ label: 'Data Wallet', also: 'top up balance', run: () => done.push('wallet') }],
    theme: 'dark',
    setTheme: (theme) => done.push(`theme ${theme}`),
    help: () => done.push('help'),
    logOut: () => done.push('log out'),
    begin: (words) => done.push(`begin ${words}`),
    change: (action, id) => done.push(`${action} ${id}`),
    viewAs: ({ user_id, name, company_name }) => done.push(`as ${user_id} ${name} of ${company_name}`),
  };
  const titles = (text: string, who = agency) => actionsFor(text, who, does).map(({ title }) => title);

  test('are found by their words and by others, and only those that the user may take', () => {
    expect(titles('')).toEqual([
      'New campaign',
      'Pause a campaign',
      'Activate a campaign',
      'View as a user',
      'Data Wallet',
      'Dark theme',
      'Keyboard shortcuts',
      'Log out',
    ]);
    expect(titles('top up')).toEqual(['Data Wallet']);
    expect(titles('create')).toEqual(['New campaign']);
    expect(titles('theme')).toEqual(['Dark theme']);
    expect(titles('e')).not.toContain('');
    expect(titles('view', client)).toEqual([]);
    const reader = facts({ company_kind: 'client', user_type: 'client', grade: 'client.reader' } as never);
    expect(titles('campaign', reader)).toEqual([]);
  });

  test('a phrase is completed by a name: running campaigns are paused, paused ones activated, owners viewed as', () => {
    expect(phraseOf('pause spring sale', agency)).toEqual({ phrase: 'pause', name: 'spring sale' });
    expect(phraseOf('View as oak', agency)).toEqual({ phrase: 'view as', name: 'oak' });
    expect(phraseOf('view as oak', client)).toEqual({ name: 'view as oak' });
    expect(phraseOf('pauses', agency)).toEqual({ name: 'pauses' });
    const hits = [
      hit({ user_id: 'u9' }),
      { ...campaign, status: 'active' },
      { ...campaign, id: 'g2', name: 'Fall', status: 'paused' },
    ];
    const found = (phrase: 'pause' | 'activate' | 'view as') => phraseChoices(phrase, hits, does);
    expect(found('pause').map(({ title, detail }) => [title, detail])).toEqual([
      ['Pause Spring', '#100001 · Oak & Sons'],
    ]);
    expect(found('activate').map(({ title }) => title)).toEqual(['Activate Fall']);
    expect(found('view as').map(({ title, detail }) => [title, detail])).toEqual([
      ['View as Olga Oak', 'Oak & Sons'],
    ]);
    for (const choice of [...found('pause'), ...found('activate'), ...found('view as')]) choice.run?.();
    for (const choice of actionsFor('', agency, does)) choice.run?.();
    expect(done).toEqual([
      'pause g1',
      'activate g2',
      'as u9 Olga Oak of Oak & Sons',
      'begin pause ',
      'begin activate ',
      'begin view as ',
      'wallet',
      'theme dark',
      'help',
      'log out',
    ]);
  });
});
