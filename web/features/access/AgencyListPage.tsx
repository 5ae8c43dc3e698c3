import { useMay } from '../../api/user.ts';
import { DetailDrawer, useDrawer } from '../../ui/DetailDrawer.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { CompanyTable } from './CompanyTable.tsx';
import { NothingAssigned } from './NothingAssigned.tsx';

/** The agencies of a root, each with its clients in a drawer (spec product 2, /configuration/agency-list). */
export default function AgencyListPage() {
  const drawer = useDrawer('agency');
  const mayList = useMay('company.list');
  return (
    <>
      <PageHeader title="Agency List" line="The agencies of your platform, and the clients of each." />
      {mayList ? <CompanyTable kind="agency" onRow={drawer.open} /> : <NothingAssigned />}
      <DetailDrawer param="agency" title="Clients of this agency" size={840}>
        {(id) => <CompanyTable kind="client" companyID={id} />}
      </DetailDrawer>
    </>
  );
}
