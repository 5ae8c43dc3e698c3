import { expect, test, vi } from 'vitest';
import { type CompanyItem, readCompanies, salesWords } from './companies.ts';

const asked = { kind: 'agency' as const, Page: 2, PerPage: 25, searchQuery: 'ac' };
const row = {
  id: '1',
  company_name: 'Acme',
  kind: 'agency',
  created_at: '',
  clients: 2,
  name: null,
  email: null,
};
const rest = { current_page: 2, last_page: 2, per_page: 25, total: 26, from: 26, to: 26 };
const options = { signal: new AbortController().signal };

test.each([
  ['user', 'companies'],
  ['userdownline', 'companies'],
  ['administrator', 'companies'],
  ['sales', 'downline'],
] as const)('[ROLE-02] a list of a %s is read by the call %s, and by no other', async (user_type, call) => {
  const companies = vi.fn(async () => ({ ...rest, data: [{ ...row, user_id: '9', salesrep: 'Sasha' }] }));
  const downline = vi.fn(async () => ({ ...rest, data: [{ ...row, roles: ['referrer'] }] }));
  const api = { access: { companies }, sales: { downline } } as never;
  const found = await readCompanies(api, { user_type }, asked, options);
  expect([companies.mock.calls.length, downline.mock.calls.length]).toEqual(
    call === 'companies' ? [1, 0] : [0, 1],
  );
  const { kind, ...input } = asked;
  const seen = call === 'companies' ? companies : downline;
  expect(seen).toHaveBeenCalledWith(call === 'companies' ? input : { ...input, kind }, options);
  expect(found).toMatchObject(rest);
  // Nobody can be viewed as from a row of the sales list.
  expect(found.data[0]!.user_id).toBe(call === 'companies' ? '9' : null);
});

test('[AGCY-16] the sales column names who has the company once, and to sales their own part', () => {
  const one = { salesrep: 'Sasha', accountexecutive: 'Sasha', accountref: 'Rae' } as CompanyItem;
  expect(salesWords(one)).toBe('Sasha, Rae');
  expect(salesWords({ ...one, roles: ['representative', 'referrer'] })).toBe(
    'Sales representative, Referral',
  );
  expect(salesWords({ ...one, roles: [] })).toBe('');
});
