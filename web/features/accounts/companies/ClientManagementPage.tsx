import { isSales } from '../../../../contract/routing/routing-facts.ts';
import { useUser } from '../../../api/user.ts';
import { CompaniesPage } from './CompaniesPage.tsx';
import film from './client-list.webm';

/** The clients of an agency, or those of a sales person (spec product 2, /configuration/client-management). */
export default function ClientManagementPage() {
  return (
    <CompaniesPage
      kind="client"
      title="Client Management"
      line={isSales(useUser()) ? 'The clients assigned to you.' : 'Your clients and their owners.'}
      help="Each row is a client. Select the pencil to edit its fields. Use the menu at the end of the row to set its prices, salespeople, and more. Clients you add get an invitation by email."
      film={film}
    />
  );
}
