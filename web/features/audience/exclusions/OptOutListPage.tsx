import { useUser } from '../../../api/user.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { ExclusionPanel } from './ExclusionPanel.tsx';

/** The root's own list (EXCL-04). */
export default function OptOutListPage() {
  const { company_id } = useUser();
  return (
    <>
      <PageHeader
        title="Exclusion List"
        line="People who asked not to be contacted, and others no one can buy as leads."
      />
      <ExclusionPanel place={{ level: 'root', id: company_id }} />
    </>
  );
}
