import { Button, Group, Tooltip } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api/client.ts';
import { useMay, useUser } from '../../api/user.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { num } from '../../ui/format.ts';
import { EmptyState } from '../../ui/states.tsx';
import { useListState } from '../../ui/useListState.ts';
import { Clip, None, When } from '../../ui/Values.tsx';
import { accessOptionsQuery } from './options.ts';
import { ViewAsModal } from './ViewAsModal.tsx';

const SetCostModal = lazy(() => import('../costs/SetCostModal.tsx'));

type Company = Awaited<ReturnType<typeof api.access.companies>>['data'][number];

/**
 * The agencies of a root, or the clients of an agency (of `companyID`, where given), each with its owner and the way to
 * see what they see.
 */
export function CompanyTable(props: {
  kind: 'agency' | 'client';
  companyID?: string;
  onRow?: (id: string) => void;
}) {
  const { kind, companyID, onRow } = props;
  const user = useUser();
  const mayView = useMay('view.switch') && !user.isViewMode;
  const mayCost = useMay('cost.write') && kind === 'agency';
  const [viewed, setViewed] = useState<Company>();
  const [costed, setCosted] = useState<Company>();
  const state = useListState({ sort: 'company_name', perPage: 25 }, companyID ? 'c' : '');
  const input = { ...state.input, ...(companyID ? { companyID } : {}) };
  const query = useQuery({
    queryKey: ['companies', input],
    queryFn: ({ signal }) => api.access.companies(input as never, { signal }),
    placeholderData: keepPreviousData,
  });
  const words = kind === 'agency' ? { one: 'agency', many: 'agencies' } : { one: 'client', many: 'clients' };
  return (
    <>
      <DataTable
        label={kind === 'agency' ? 'Agencies' : 'Clients'}
        name={`companies.${kind}`}
        columns={columnsFor(kind, mayView ? setViewed : undefined, mayCost ? setCosted : undefined)}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        {...(onRow ? { onRow: (row: Company) => onRow(row.id) } : {})}
        search={`Search ${words.many}`}
        empty={
          companyID ? (
            <EmptyState
              icon={icon}
              title={`No ${words.many} yet`}
              text={`Each ${words.one} of this agency appears here, with its owner.`}
            />
          ) : (
            <NoneYet kind={kind} />
          )
        }
      />
      {viewed?.user_id && (
        <ViewAsModal
          viewed={{ user_id: viewed.user_id, name: viewed.name ?? '', company_name: viewed.company_name }}
          onClose={() => setViewed(undefined)}
        />
      )}
      {costed && (
        <Suspense fallback={null}>
          <SetCostModal agency={costed} onClose={() => setCosted(undefined)} />
        </Suspense>
      )}
    </>
  );
}

const icon = <IconBuilding size={32} stroke={1.4} />;

/** How the first agency or client comes: by the registration, which may have to be opened first. */
function NoneYet({ kind }: { kind: 'agency' | 'client' }) {
  const options = useQuery(accessOptionsQuery).data;
  const mayOpen = useMay('setting.write');
  const many = kind === 'agency' ? 'agencies' : 'clients';
  const page = kind === 'agency' ? '/agency-register' : '/register';
  const isOpen = options?.isRegisterAccount === 'T';
  return (
    <EmptyState
      icon={icon}
      title={`No ${many} yet`}
      text={
        isOpen || !options
          ? `Who registers at ${location.host}${page} appears here. Send that address to your ${many}.`
          : `Registration is closed. Open it, and who registers at ${location.host}${page} appears here.`
      }
      action={
        isOpen ? (
          <CopyButton text={`${location.origin}${page}`} label="Copy registration link" />
        ) : (
          options &&
          mayOpen && (
            <Button
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/configuration/general-setting"
                  search={{ tab: 'registration' } as never}
                />
              )}
            >
              Open registration
            </Button>
          )
        )
      }
    />
  );
}

function columnsFor(
  kind: Company['kind'],
  onView: ((row: Company) => void) | undefined,
  onCost: ((row: Company) => void) | undefined,
): Column<Company>[] {
  const clients: Column<Company> = {
    key: 'clients',
    title: 'Clients',
    align: 'right',
    render: (row) => num(row.clients),
  };
  const actions: Column<Company> = {
    key: 'actions',
    title: 'Actions',
    align: 'right',
    width: onView && onCost ? 210 : 110,
    render: (row) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        {onCost && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Set cost of ${row.company_name}`}
            onClick={(event) => {
              event.stopPropagation();
              onCost(row);
            }}
          >
            Set cost
          </Button>
        )}
        {onView && (
          <Tooltip label="Nobody can sign in there yet" disabled={row.user_id !== null}>
            <Button
              size="xs"
              variant="default"
              aria-label={`View as ${row.name ?? row.company_name}`}
              data-disabled={row.user_id === null || undefined}
              aria-disabled={row.user_id === null || undefined}
              onClick={(event) => {
                event.stopPropagation();
                if (row.user_id) onView(row);
              }}
            >
              View as
            </Button>
          </Tooltip>
        )}
      </Group>
    ),
  };
  return [
    {
      key: 'company_name',
      title: kind === 'agency' ? 'Agency' : 'Client',
      sortable: true,
      render: (row) => <Clip text={row.company_name} max={240} />,
    },
    {
      key: 'name',
      title: 'Owner',
      render: (row) => (row.name ? <Clip text={row.name} max={180} /> : <None />),
    },
    {
      key: 'email',
      title: 'E-mail',
      render: (row) => (row.email ? <Clip text={row.email} max={220} /> : <None />),
    },
    ...(kind === 'agency' ? [clients] : []),
    { key: 'created_at', title: 'Created', sortable: true, render: (row) => <When at={row.created_at} /> },
    ...(onView || onCost ? [actions] : []),
  ];
}
