import { isSales } from '../../../contract/routing-facts.ts';
import { useUser } from '../../api/user.ts';
import { DetailDrawer, useDrawer } from '../../ui/DetailDrawer.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { CompanyTable } from './CompanyTable.tsx';

/** The agencies of a root, or those assigned to a sales person, each with its clients in a drawer (spec product 2). */
export default function AgencyListPage() {
  const drawer = useDrawer('agency');
  const line = isSales(useUser())
    ? 'The agencies that are assigned to you, and the clients of each.'
    : 'The agencies of your platform, and the clients of each.';
  return (
    <>
      <PageHeader title="Agency List" line={line} />
      <CompanyTable kind="agency" onRow={drawer.open} />
      <DetailDrawer param="agency" title="Clients of this agency" size={840}>
        {(id) => <CompanyTable kind="client" companyID={id} />}
      </DetailDrawer>
    </>
  );
}
