import { PageHeader } from '../../ui/PageHeader.tsx';
import { CompanyTable } from './CompanyTable.tsx';

/** The clients of an agency (spec product 2, /configuration/client-management). */
export default function ClientManagementPage() {
  return (
    <>
      <PageHeader title="Client Management" line="Your clients and their owners." />
      <CompanyTable kind="client" />
    </>
  );
}
