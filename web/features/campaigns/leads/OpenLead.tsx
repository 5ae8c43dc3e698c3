import { lazy, Suspense } from 'react';
import { DetailDrawer } from '../../../ui/DetailDrawer.tsx';
import { LeadSkeleton } from './LeadSkeleton.tsx';

// Fetched when the first lead is opened, since lists of leads are the first thing that is loaded.
const LeadDetail = lazy(() => import('./LeadDetail.tsx'));

/**
 * The lead named by `lead` in the address, in a drawer, or with `beside` next to its list. `ids`: the leads of the list,
 * in its order.
 */
export function OpenLead({ ids, beside = false }: { ids: string[]; beside?: boolean }) {
  return (
    <DetailDrawer param="lead" title="Lead" label="Lead" ids={ids} beside={beside}>
      {(id) => (
        <Suspense fallback={<LeadSkeleton />}>
          <LeadDetail id={id} />
        </Suspense>
      )}
    </DetailDrawer>
  );
}
