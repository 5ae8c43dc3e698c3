import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { maySee } from '../../../../contract/routing/routing.ts';
import { api } from '../../../api/client.ts';
import { useFacts } from '../../../api/user.ts';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { When } from '../../../ui/Values.tsx';

/** The companies to which the user's own company could not issue an invoice, and what has to be done about it. */
export function Waiting() {
  const facts = useFacts();
  const query = useQuery({
    queryKey: ['invoices', 'waiting'],
    queryFn: ({ signal }) => api.invoices.waiting(undefined, { signal }),
  });
  if (!query.data || query.data.total === 0) return null;
  const { data, total } = query.data;
  const list =
    facts.user.company_kind === 'root' ? '/configuration/agency-list' : '/configuration/client-management';
  const maySeeList = maySee(list, facts);
  return (
    <section aria-label="Waiting" style={{ marginBottom: 24 }}>
      <Notice tone="warn" title="Invoices that could not be issued">
        <ul style={{ margin: '4px 0', paddingLeft: 18, overflowWrap: 'anywhere' }}>
          {data.map((one) => (
            <li key={one.company_id}>
              {maySeeList ? (
                <Anchor
                  component={Link}
                  to={`${list}?${new URLSearchParams({ q: one.company_name })}` as '/'}
                  inherit
                  underline="always"
                >
                  {one.company_name}
                </Anchor>
              ) : (
                one.company_name
              )}
              : {one.reason} Waiting since <When at={one.since} />
            </li>
          ))}
          {total > data.length && <li>And {num(total - data.length)} more</li>}
        </ul>
        They are tried again every hour. Nothing is lost: each week or month gets its own invoice.
      </Notice>
    </section>
  );
}
