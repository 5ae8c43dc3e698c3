import { expect, test, vi } from 'vitest';
import { type CompanyItem, named, readCompanies, salesWords, searchSegment } from './companies.ts';

const asked = { kind: 'agency' as const, page: 2, per_page: 25, search: 'ac' };
const row = { company_id: '1', company_name: 'Acme', kind: 'agency', created_at: '', clients: 2 };
const rest = { current_page: 2, last_page: 2, per_page: 25, total: 26, from: 26, to: 26 };
const options = { signal: new AbortController().signal };
const ids = { company_id: 'own', root_id: 'root' };

test.each([
  ['user', 'list'],
  ['userdownline', 'list'],
  ['administrator', 'list'],
  ['sales', 'downline'],
] as const)('[ROLE-02] a list of a %s is read by the call %s, and by no other', async (user_type, call) => {
  const list = vi.fn(async () => ({ ...rest, data: [{ ...row, id: '9', sales_rep: 'Sasha' }] }));
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
        company_id: 'own',
        group: 'all',
        root_id: 'root',
        type: 'userdownline',
        module: 'all',
        sort: 'all',
        order: 'all',
        search: 'ac',
        page: 2,
        per_page: 25,
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
    expect(found.data[0]).toMatchObject({ version: 0, white_labelling: 'T' });
    expect(found.data[1]).toMatchObject({ company_id: '2', id: '8', name: 'Ada', version: 3 });
  }
});

test('[AGCY-19] the clients of an agency, sorted and filtered: unset parts of the path travel as all', async () => {
  const list = vi.fn(async () => ({ ...rest, data: [] }));
  const given = {
    ...asked,
    kind: 'client' as const,
    company_id: 'acme',
    search: undefined,
    sort: 'email' as const,
    order: 'desc' as const,
    filters: ['direct_payment', 'payment_failed'] as const,
  };
  await readCompanies({ companies: { list } } as never, { user_type: 'user', ...ids }, given, options);
  expect(list).toHaveBeenCalledWith(
    {
      company_id: 'acme',
      group: 'all',
      root_id: 'root',
      type: 'client',
      module: 'all',
      sort: 'email' as const,
      order: 'desc',
      search: 'all',
      page: 2,
      per_page: 25,
      filters: 'direct_payment,payment_failed',
      in_agency_list: 'T',
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
  const one = { sales_rep: 'Sasha', account_executive: 'Sasha', referrer: 'Rae' } as CompanyItem;
  expect(salesWords(one)).toBe('Sasha, Rae');
  expect(salesWords({ ...one, roles: ['representative', 'referrer'] })).toBe(
    'Sales representative, Referral',
  );
  expect(salesWords({ ...one, roles: [] })).toBe('');
});
