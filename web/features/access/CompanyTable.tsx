import { Button, Group, Tooltip } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { type RowAction, rowActions } from '../../../contract/row-actions.ts';
import { api } from '../../api/client.ts';
import { useMay, useUser } from '../../api/user.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { num } from '../../ui/format.ts';
import { EmptyState } from '../../ui/states.tsx';
import { useListState } from '../../ui/useListState.ts';
import { Clip, None, When } from '../../ui/Values.tsx';
import { type CompanyItem, readCompanies, salesWords } from './companies.ts';
import { NothingAssigned } from './NothingAssigned.tsx';
import { accessOptionsQuery } from './options.ts';
import { SetSalesModal } from './SetSalesModal.tsx';
import { ViewAsModal } from './ViewAsModal.tsx';

const SetCostModal = lazy(() => import('../costs/SetCostModal.tsx'));

/** The actions that this table has buttons for. */
const BUTTONS = ['setSales', 'setCost', 'viewAs'] as const satisfies RowAction[];
type Doing = { action: (typeof BUTTONS)[number]; row: CompanyItem };

/**
 * The agencies of a root, or the clients of an agency (of `companyID`, where given), each with its owner and what one
 * may do with it; for sales what is assigned to them.
 */
export function CompanyTable(props: {
  kind: 'agency' | 'client';
  companyID?: string;
  onRow?: (id: string) => void;
}) {
  const { kind, companyID, onRow } = props;
  const user = useUser();
  const [doing, setDoing] = useState<Doing>();
  const state = useListState({ sort: 'company_name', perPage: 25 }, companyID ? 'c' : '');
  const input = { ...state.input, kind, ...(companyID ? { companyID } : {}) };
  const query = useQuery({
    queryKey: ['companies', input],
    queryFn: ({ signal }) => readCompanies(api, user, input, { signal }),
    placeholderData: keepPreviousData,
  });
  const words = kind === 'agency' ? { one: 'agency', many: 'agencies' } : { one: 'client', many: 'clients' };
  const offered = (row: CompanyItem) => rowActions(user, row);
  const hasActions = (query.data?.data ?? []).some((row) =>
    BUTTONS.some((action) => offered(row).includes(action)),
  );
  const close = () => setDoing(undefined);
  return (
    <>
      <DataTable
        label={kind === 'agency' ? 'Agencies' : 'Clients'}
        name={`companies.${kind}`}
        columns={columnsFor(
          kind,
          offered,
          hasActions ? (action, row) => setDoing({ action, row }) : undefined,
        )}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        {...(onRow ? { onRow: (row: CompanyItem) => onRow(row.id) } : {})}
        search={`Search ${words.many}`}
        empty={
          companyID ? (
            <EmptyState
              icon={icon}
              title={`No ${words.many} yet`}
              text={`Each ${words.one} of this agency appears here, with its owner.`}
            />
          ) : user.user_type === 'sales' ? (
            <NothingAssigned />
          ) : (
            <NoneYet kind={kind} />
          )
        }
      />
      {doing?.action === 'setSales' && <SetSalesModal company={doing.row} onClose={close} />}
      {doing?.action === 'viewAs' && doing.row.user_id && (
        <ViewAsModal
          viewed={{
            user_id: doing.row.user_id,
            name: doing.row.name ?? '',
            company_name: doing.row.company_name,
          }}
          onClose={close}
        />
      )}
      {doing?.action === 'setCost' && (
        <Suspense fallback={null}>
          <SetCostModal agency={doing.row} onClose={close} />
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
  kind: CompanyItem['kind'],
  offered: (row: CompanyItem) => RowAction[],
  onDo: ((action: Doing['action'], row: CompanyItem) => void) | undefined,
): Column<CompanyItem>[] {
  const clients: Column<CompanyItem> = {
    key: 'clients',
    title: 'Clients',
    align: 'right',
    render: (row) => num(row.clients),
  };
  const actions: Column<CompanyItem> = {
    key: 'actions',
    title: 'Actions',
    align: 'right',
    width: kind === 'agency' ? 270 : 190,
    render: (row) => {
      const may = offered(row);
      return (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {may.includes('setSales') && (
            <Button
              size="xs"
              variant="default"
              aria-label={`Set sales people of ${row.company_name}`}
              onClick={(event) => {
                event.stopPropagation();
                onDo?.('setSales', row);
              }}
            >
              Sales
            </Button>
          )}
          {may.includes('setCost') && (
            <Button
              size="xs"
              variant="default"
              aria-label={`Set cost of ${row.company_name}`}
              onClick={(event) => {
                event.stopPropagation();
                onDo?.('setCost', row);
              }}
            >
              Set cost
            </Button>
          )}
          {may.includes('viewAs') && (
            <Tooltip label="Nobody can sign in there yet" disabled={row.user_id !== null}>
              <Button
                size="xs"
                variant="default"
                aria-label={`View as ${row.name ?? row.company_name}`}
                data-disabled={row.user_id === null || undefined}
                aria-disabled={row.user_id === null || undefined}
                onClick={(event) => {
                  event.stopPropagation();
                  if (row.user_id) onDo?.('viewAs', row);
                }}
              >
                View as
              </Button>
            </Tooltip>
          )}
        </Group>
      );
    },
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
    {
      key: 'sales',
      title: 'Sales',
      render: (row) => (salesWords(row) ? <Clip text={salesWords(row)} max={200} /> : <None />),
    },
    { key: 'created_at', title: 'Created', sortable: true, render: (row) => <When at={row.created_at} /> },
    ...(onDo ? [actions] : []),
  ];
}
