import { useUser } from '../../api/user.ts';
import { StaffPage } from './StaffPage.tsx';

/** Who may sign in for the own company (spec product 2, administrator-list). */
export default function AdministratorListPage() {
  const { company_name } = useUser();
  return (
    <StaffPage
      type="administrator"
      title="Administrator List"
      line={`Who may sign in for ${company_name}, and what they may do.`}
      noun="administrator"
      empty="Add somebody, choose what they may do, and they get an invitation by e-mail."
    />
  );
}
