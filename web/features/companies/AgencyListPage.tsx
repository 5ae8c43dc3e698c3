import { isSales } from '../../../contract/routing-facts.ts';
import { useUser } from '../../api/user.ts';
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
          ? 'The agencies that are assigned to you, and the clients of each.'
          : 'The agencies of your platform, and the clients of each.'
      }
      help="Each row is an agency; the arrow before its name shows its clients. A click on a column's title sorts the list up, down, and back to the newest first. The switch turns direct payment on and off, the key shows how far the agency is with the developer's API, and the menu at the end of the row has all else."
      film={film}
    />
  );
}
