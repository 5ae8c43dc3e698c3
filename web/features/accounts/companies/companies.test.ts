import { expect, test, vi } from 'vitest';
import { type CompanyItem, named, readCompanies, salesWords, searchSegment } from './companies.ts';

const asked = { kind: 'agency' as const, Page: 2, PerPage: 25, searchQuery: 'ac' };
const row = { company_id: '1', company_name: 'Acme', kind: 'agency', created_at: '', clients: 2 };
const rest = { current_page: 2, last_page: 2, per_page: 25, total: 26, from: 26, to: 26 };
const options = { signal: new AbortController().signal };
const ids = { company_id: 'own', company_root_id: 'root' };

test.each([
  ['user', 'list'],
  ['userdownline', 'list'],
  ['administrator', 'list'],
  ['sales', 'downline'],
] as const)('[ROLE-02] a list of a %s is read by the call %s, and by no other', async (user_type, call) => {
  const list = vi.fn(async () => ({ ...rest, data: [{ ...row, id: '9', salesrep: 'Sasha' }] }));
  const downline = vi.fn(async () => ({
    ...rest,
    data: [
      { ...row, id: '1', name: null, email: null, roles: ['referrer'], user_id: null, details: null },
      { ...row, id: '2', name: 'Ada', roles: ['representative'], user_id: '8', details: { version: 3 } },
    ],
  }));
  const api = { companies: { list }, sales: { downline } } as never;
  const found = await readCompanies(api, { user_type, ...ids }, asked, options);
  expect([list.mock.calls.length, downline.mock.calls.length]).toEqual(call === 'list' ? [1, 0] : [0, 1]);
  if (call === 'list') {
    expect(list).toHaveBeenCalledWith(
      {
        companyId: 'own',
        group: 'all',
        idsys: 'root',
        type: 'userdownline',
        module: 'all',
        sortby: 'all',
        order: 'all',
        search: 'ac',
        Page: 2,
        PerPage: 25,
      },
      options,
    );
  } else {
    const { kind, ...input } = asked;
    expect(downline).toHaveBeenCalledWith({ ...input, kind }, options);
  }
  expect(found).toMatchObject(rest);
  // From the sales list, only the user that the server names can be viewed as.
  expect(found.data[0]).toMatchObject({ company_id: '1', id: call === 'list' ? '9' : '' });
  if (call === 'downline') {
    expect(found.data[0]).toMatchObject({ version: 0, is_whitelabeling: 'T' });
    expect(found.data[1]).toMatchObject({ company_id: '2', id: '8', name: 'Ada', version: 3 });
  }
});

test('[AGCY-19] the clients of an agency, sorted and filtered: unset parts of the path travel as all', async () => {
  const list = vi.fn(async () => ({ ...rest, data: [] }));
  const given = {
    ...asked,
    kind: 'client' as const,
    companyID: 'acme',
    searchQuery: undefined,
    sortby: 'email' as const,
    order: 'desc' as const,
    filters: ['direct_payment', 'payment_failed'] as const,
  };
  await readCompanies({ companies: { list } } as never, { user_type: 'user', ...ids }, given, options);
  expect(list).toHaveBeenCalledWith(
    {
      companyId: 'acme',
      group: 'all',
      idsys: 'root',
      type: 'client',
      module: 'all',
      sortby: 'email' as const,
      order: 'desc',
      search: 'all',
      Page: 2,
      PerPage: 25,
      Filters: 'direct_payment,payment_failed',
      inAgencyList: 'T',
    },
    options,
  );
});

test.each([
  [undefined, 'all'],
  ['', 'all'],
  ['all', 'ALL'],
  ['All', 'ALL'],
  ['.', '. '],
  ['..', '.. '],
  ['a/b', 'a/b'],
])('a search for %j travels as %j', (text, segment) => expect(searchSegment(text)).toBe(segment));

test('a name in a sentence turns nothing around it and is not endless', () => {
  expect(named('\u202Eevil')).toBe('\u2068\u202Eevil\u2069');
  expect([...named('🙂'.repeat(255))]).toHaveLength(62);
});

test('[AGCY-16] the sales column names who has the company once, and to sales their own part', () => {
  const one = { salesrep: 'Sasha', accountexecutive: 'Sasha', accountref: 'Rae' } as CompanyItem;
  expect(salesWords(one)).toBe('Sasha, Rae');
  expect(salesWords({ ...one, roles: ['representative', 'referrer'] })).toBe(
    'Sales representative, Referral',
  );
  expect(salesWords({ ...one, roles: [] })).toBe('');
});
