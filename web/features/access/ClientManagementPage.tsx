import { isSales } from '../../../contract/routing-facts.ts';
import { useUser } from '../../api/user.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { CompanyTable } from './CompanyTable.tsx';

/** The clients of an agency, or those of a sales person (spec product 2, /configuration/client-management). */
export default function ClientManagementPage() {
  const line = isSales(useUser()) ? 'The clients in your care.' : 'Your clients and their owners.';
  return (
    <>
      <PageHeader title="Client Management" line={line} />
      <CompanyTable kind="client" />
    </>
  );
}
