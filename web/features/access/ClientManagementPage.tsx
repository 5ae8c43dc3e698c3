import { useMay } from '../../api/user.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { CompanyTable } from './CompanyTable.tsx';
import { NothingAssigned } from './NothingAssigned.tsx';

/** The clients of an agency (spec product 2, /configuration/client-management). */
export default function ClientManagementPage() {
  const mayList = useMay('company.list');
  return (
    <>
      <PageHeader title="Client Management" line="Your clients and their owners." />
      {mayList ? <CompanyTable kind="client" /> : <NothingAssigned />}
    </>
  );
}
