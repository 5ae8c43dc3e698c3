import { SegmentedControl } from '@mantine/core';
import { useUser } from '../../../api/user.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { StaffPage } from './StaffPage.tsx';

/**
 * The users who may sign in for the user's own company (spec product 2, administrator-list). An agency's salespeople
 * are here, too: the sales-account-list is only for roots (spec product 6).
 */
export default function AdministratorListPage() {
  const { company_name, company_kind } = useUser();
  const [params, set] = useSearchParams();
  const isSales = company_kind === 'agency' && params.list === 'sales';
  const lists = company_kind === 'agency' && (
    <SegmentedControl
      aria-label="List"
      mb="md"
      data={[
        { value: 'administrator', label: 'Administrators' },
        { value: 'sales', label: 'Salespeople' },
      ]}
      value={isSales ? 'sales' : 'administrator'}
      // Search, sort, and filter belong to the list being left.
      onChange={(value) =>
        set({
          list: value === 'sales' ? value : undefined,
          ...{ q: undefined, page: undefined, sort: undefined, dir: undefined, filter: undefined },
        })
      }
    />
  );
  return isSales ? (
    <StaffPage
      key="sales"
      type="sales"
      title="Salespeople"
      line="Your sales representatives and account executives. Assign clients to them in Client Management."
      noun="sales account"
      lists={lists}
      empty="Add someone who sells for you. They get an invitation by email and connect their own payment account."
    />
  ) : (
    <StaffPage
      key="administrator"
      type="administrator"
      title="Administrator List"
      line={`Who can sign in for ${company_name}, and what they can do.`}
      noun="administrator"
      lists={lists}
      empty="Add someone and choose what they can do. They get an invitation by email."
    />
  );
}
