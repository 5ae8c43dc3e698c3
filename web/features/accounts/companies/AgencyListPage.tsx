import { isSales } from '../../../../contract/routing/routing-facts.ts';
import { useUser } from '../../../api/user.ts';
import film from './agency-list.webm';
import { CompaniesPage } from './CompaniesPage.tsx';

/** The agencies of a root, or those assigned to a sales person, each with its clients beneath it (spec product 2). */
export default function AgencyListPage() {
  return (
    <CompaniesPage
      kind="agency"
      title="Agency List"
      line={
        isSales(useUser())
          ? 'The agencies assigned to you and the clients of each.'
          : 'The agencies of your platform and the clients of each.'
      }
      help="Each row is an agency. Select the arrow before its name to show its clients. Select a column title to sort the list up, down, and back to the newest first. The switch turns direct payment on and off. The key shows the agency’s developer API status. The menu at the end of the row has everything else."
      film={film}
    />
  );
}
