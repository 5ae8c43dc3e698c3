import { describe, expect, test } from 'vitest';
import { type Grade, SALES_VIEW } from './permissions.ts';
import { type ActionRow, ROW_ACTIONS, rowActions } from './row-actions.ts';
import type { SessionUser } from './users.ts';

const ROOT = '00000000-0000-4000-8000-000000000001';
const AGENCY = '00000000-0000-4000-8000-000000000002';
const ALL = (['Ads Design', 'Campaign', 'LeadsPeek', 'Settings'] as const).map((module_name) => ({
  module_name,
  enable_permission: 'T' as const,
  create_permission: 'T' as const,
  update_permission: 'T' as const,
  delete_permission: 'T' as const,
}));

function asker(grade: Grade, given: Partial<SessionUser> = {}) {
  const [kind, role] = grade.split('.') as ['root' | 'agency' | 'client', string];
  const user_type = role === 'owner' ? ('user' as const) : (role as 'sales' | 'administrator');
  const own = {
    grade,
    module_permissions: ALL,
    user_type,
    true_user_type: user_type,
    company_kind: kind,
    company_id: kind === 'root' ? ROOT : AGENCY,
    is_root: kind === 'root',
    in_view_mode: false,
  };
  return { ...own, ...given } as typeof own;
}
/** An agency set up so that there is a reason for every action. */
const agency: ActionRow = {
  kind: 'agency',
  root_id: ROOT,
  user_id: AGENCY,
  agreement_file: 'download',
  onboarding_on: true,
  onboarding_charged: false,
  card_id: '',
  api_mode: 'F',
  payment_status: 'failed',
};
const client: ActionRow = { ...agency, kind: 'client' };
const words = (grade: Grade, row: ActionRow, given: Partial<SessionUser> = {}) =>
  rowActions(asker(grade, given), row).join(' ');

describe('[ROLE-02] what a row offers', () => {
  test("the platform's owner and administrators get everything of an agency that has a reason", () => {
    expect(rowActions(asker('root.owner'), agency)).toEqual([...ROW_ACTIONS]);
    // All data of a company in one file is a matter of owners.
    expect(rowActions(asker('root.administrator'), agency)).toEqual(
      ROW_ACTIONS.filter((action) => action !== 'export'),
    );
  });

  test('sales get none of what the specification hides from them, whatever the row is', () => {
    const hidden = [
      'manualBill',
      'agreement',
      'minimumSpendExclusion',
      'onboardingCharge',
      'setSales',
      'grantCredit',
      'remove',
      'logs',
      'export',
      'paymentFailed',
    ];
    for (const grade of ['root.sales', 'agency.sales'] as const)
      for (const row of [agency, client])
        for (const roles of [[], ['referrer'], ['representative'], ['account_executive']] as const) {
          const offered = rowActions(asker(grade), { ...row, roles });
          expect(offered.filter((action) => hidden.includes(action))).toEqual([]);
        }
  });

  test('sales keep edit, cost and view of what is in their care; who only referred a company has none of them', () => {
    for (const role of ['representative', 'account_executive'] as const) {
      expect(words('root.sales', { ...agency, roles: [role] })).toBe('setCost viewAs edit apiKey');
      expect(words('agency.sales', { ...client, roles: ['referrer', role] })).toBe('viewAs edit');
    }
    // The server decides whom to view as: it names someone for a client below an agency in one's care, but not for a
    // company one only referred.
    const untold = { ...agency, user_id: null };
    expect(words('root.sales', { ...untold, roles: ['referrer'] })).toBe('apiKey');
    expect(words('root.sales', { ...untold, roles: [] })).toBe('apiKey');
    expect(words('agency.sales', { ...client, user_id: null, roles: ['referrer'] })).toBe('');
    expect(words('root.sales', { ...client, roles: [] })).toBe('viewAs apiKey');
  });

  test('in the view of a sales person a row offers nothing, whatever the person viewed may', () => {
    const view = {
      true_user_type: 'sales',
      in_view_mode: true,
      module_permissions: [...SALES_VIEW],
    } as const;
    expect(words('agency.administrator', client, { ...view, module_permissions: [...SALES_VIEW] })).toBe('');
  });

  test('manual bill, cost, onboarding and exclusion are of agency rows; salespeople of the rows right below', () => {
    expect(words('root.owner', client)).toBe('agreement viewAs logs export apiKey');
    expect(words('agency.owner', client)).toBe(
      'agreement setSales grantCredit viewAs edit remove logs export',
    );
    expect(words('client.owner', client)).toBe('');
  });

  test("the root company's own tree alone has exclusion, onboarding and the API key", () => {
    const elsewhere = { ...agency, root_id: AGENCY };
    expect(words('root.owner', elsewhere)).toBe(
      'manualBill agreement setSales setCost grantCredit viewAs edit remove logs export paymentFailed',
    );
  });

  test.each([[{ onboarding_on: false }], [{ onboarding_charged: true }], [{ card_id: 'card' }]])(
    'no onboarding charge with %o',
    (given) => {
      expect(rowActions(asker('root.owner'), { ...agency, ...given })).not.toContain('onboardingCharge');
    },
  );

  test('what has no reason is not offered: no file, no failed payment, nothing told of the developer mode', () => {
    const { api_mode: _told, ...rest } = agency;
    const quiet = { ...rest, agreement_file: '', payment_status: '' };
    const seen = rowActions(asker('root.owner'), quiet);
    for (const action of ['agreement', 'apiKey', 'paymentFailed']) expect(seen).not.toContain(action);
  });

  test('nobody views within a view, and the rows of a role hide what it may not', () => {
    expect(words('agency.owner', client, { in_view_mode: true })).not.toContain('viewAs');
    const reader = ALL.map((row) => ({ ...row, update_permission: 'F' as const }));
    expect(words('agency.administrator', client, { module_permissions: reader })).toBe(
      'agreement viewAs logs',
    );
    const keeper = ALL.map((row) => ({ ...row, delete_permission: 'F' as const }));
    expect(words('agency.administrator', client, { module_permissions: keeper })).toBe(
      'agreement setSales grantCredit viewAs edit logs',
    );
  });
});
