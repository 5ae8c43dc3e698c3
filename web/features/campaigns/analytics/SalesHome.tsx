import { useQueries } from '@tanstack/react-query';
import { roleOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { num } from '../../../ui/format.ts';
import { StatTile } from '../../../ui/StatTile.tsx';
import { CompanyTable } from '../../accounts/companies/CompanyTable.tsx';
import classes from './DashboardPage.module.css';

/** The start page for sales: how many companies are assigned to them, and which. */
export default function SalesHome() {
  const ofRoot = roleOf(useUser()) === 'rootSales';
  const kinds = ofRoot ? (['agency', 'client'] as const) : (['client'] as const);
  const counts = useQueries({
    queries: kinds.map((kind) => ({
      queryKey: ['companies', 'assigned', kind],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.sales.downline({ kind, per_page: 1 }, { signal }),
    })),
  });
  return (
    <>
      <div className={classes.tiles}>
        {kinds.map((kind, i) => (
          <StatTile
            key={kind}
            plain
            label={kind === 'agency' ? 'Your agencies' : 'Your clients'}
            value={counts[i]?.data && num(counts[i].data.total)}
          />
        ))}
      </div>
      <CompanyTable kind={kinds[0]} />
    </>
  );
}
