import { isSales } from '../../../contract/routing-facts.ts';
import { useUser } from '../../api/user.ts';
import { CompaniesPage } from './CompaniesPage.tsx';
import film from './client-list.webm';

/** The clients of an agency, or those of a sales person (spec product 2, /configuration/client-management). */
export default function ClientManagementPage() {
  return (
    <CompaniesPage
      kind="client"
      title="Client Management"
      line={isSales(useUser()) ? 'The clients in your care.' : 'Your clients and their owners.'}
      help="Each row is a client. The pencil opens its fields; the menu at the end of the row sets its prices, its sales people and more. Who you add gets an invitation by e-mail."
      film={film}
    />
  );
}
