import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { companyFieldName, listedFields } from '../../../../contract/accounts/company-fields.ts';
import { rowActions } from '../../../../contract/accounts/row-actions.ts';
import { COMPANY_SORTS, type CompanySort } from '../../../../contract/choices.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { phoneWords } from '../../../ui/format.ts';
import type { ListState } from '../../../ui/useListState.ts';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { ViewAsModal } from '../auth/ViewAsModal.tsx';
import { ActivityLine } from './ActivityLine.tsx';
import {
  downloadAgreement,
  invite,
  remove,
  settle,
  switchManualBill,
  toggleMinimumSpend,
} from './actions.ts';
import { EditForm } from './CompanyForms.tsx';
import classes from './companies.module.css';
import {
  anyRow,
  type CompanyItem,
  type CompanyPage,
  companiesAsked,
  matchesItself,
  named,
  readCompanies,
  salesWords,
} from './companies.ts';
import { FILTER_WORDS, FilterPopover, filtersIn } from './FilterPopover.tsx';
import { NoneYet } from './NoneYet.tsx';
import { NothingAssigned } from './NothingAssigned.tsx';
import { PriceModal } from './PriceModal.tsx';
import { type Doing, RowActions } from './RowActions.tsx';
import { SetSalesModal } from './SetSalesModal.tsx';

const LogsModal = lazy(() => import('../logs/LogsModal.tsx'));
const ExportsModal = lazy(() => import('./ExportsModal.tsx'));
const StartTransferModal = lazy(() => import('../client-transfers/StartTransferModal.tsx'));
const GrantCreditModal = lazy(() => import('../../money/credits/GrantCreditModal.tsx'));
const SetCostModal = lazy(() => import('../../money/pricing/SetCostModal.tsx'));

/** The agencies of a root or the clients of an agency, as the page's main list with its state in the address. */
export function CompanyTable({ kind }: { kind: 'agency' | 'client' }) {
  const user = useUser();
  const state = useListState({ sorts: COMPANY_SORTS, perPage: 10 });
  const [params, set] = useSearchParams();
  const filters = kind === 'agency' ? filtersIn(params.filters) : [];
  const setFilters = (next: string[]) => set({ filters: next.join(','), page: undefined });
  const isSales = user.user_type === 'sales';
  return (
    <List
      // A search result that links here expands an agency through the address.
      key={params.open ?? ''}
      kind={kind}
      state={state}
      filters={filters}
      opened={kind === 'agency' ? params.open : undefined}
      search={`Search ${kind === 'agency' ? 'agencies' : 'clients'}`}
      pills={filters.map((filter) => ({
        label: FILTER_WORDS[filter],
        onRemove: () => setFilters(filters.filter((one) => one !== filter)),
      }))}
      tools={
        kind === 'agency' &&
        !isSales && (
          <FilterPopover
            value={filters}
            onChange={setFilters}
            isRoot={user.company_kind === 'root' && user.is_root}
          />
        )
      }
      empty={isSales ? <NothingAssigned /> : <NoneYet kind={kind} />}
    />
  );
}

/** The clients of an agency below its row, 10 per page, with their own state. */
function Clients({ agency, found }: { agency: CompanyItem; found: string }) {
  const [params, setParams] = useSearchParams();
  const [showsAll, setShowsAll] = useState(false);
  const q = params.open === agency.company_id ? (params.client ?? '') : showsAll ? '' : found;
  const [page, setPage] = useState(1);
  const [perPage, setPerPage] = useState(10);
  const [sort, setSort] = useState<{ by: CompanySort | undefined; dir: 'asc' | 'desc' }>({
    by: undefined,
    dir: 'asc',
  });
  const state: ListState<CompanySort> = {
    page,
    perPage,
    sort: sort.by,
    dir: sort.dir,
    q,
    input: {
      page: page,
      per_page: perPage,
      sort: sort.by,
      order: sort.by ? sort.dir : undefined,
      search: q || undefined,
    },
    setPage,
    setPerPage: (next) => {
      setPerPage(next);
      setPage(1);
    },
    setSort: (by, dir = 'asc') => {
      setSort({ by, dir });
      setPage(1);
    },
    setQ: () => undefined,
  };
  return (
    <div className={classes.clients}>
      {q && (
        <Group gap="xs" px="md" pt="xs">
          <Text size="sm">
            Clients that match “<bdi>{q}</bdi>”
          </Text>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              setShowsAll(true);
              setParams({ client: undefined });
            }}
          >
            Show all clients
          </Button>
        </Group>
      )}
      <List
        kind="client"
        companyId={agency.company_id}
        state={state}
        filters={[]}
        label={`Clients of ${agency.company_name}`}
        empty={
          <Text c="dimmed" size="sm" ta="center" py="lg">
            {messages.clientNoData}
          </Text>
        }
      />
    </div>
  );
}

interface ListProps {
  kind: 'agency' | 'client';
  companyId?: string;
  state: ListState<CompanySort>;
  filters: ReturnType<typeof filtersIn>;
  /** The agency whose clients are expanded initially. */
  opened?: string | undefined;
  label?: string;
  search?: string;
  pills?: { label: string; onRemove: () => void }[];
  tools?: ReactNode;
  empty: ReactNode;
}

function List(props: ListProps) {
  const { kind, companyId, state, filters } = props;
  const user = useUser();
  const cache = useQueryClient();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(props.opened ? [props.opened] : []));
  const [editing, setEditing] = useState<string>();
  const [doing, setDoing] = useState<{ what: Doing; row: CompanyItem }>();
  const input = { ...state.input, kind, company_id: companyId, filters };
  const queryKey = ['companies', input];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => readCompanies(api, user, input, { signal }),
    placeholderData: keepPreviousData,
    // An empty list refetches, so that the first row appears automatically.
    refetchInterval: (found) => (found.state.data?.total === 0 && !companyId ? 5000 : false),
  });
  const offered = (row: CompanyItem) => rowActions(user, { ...row, user_id: row.id || null });
  const reload = () => cache.invalidateQueries({ queryKey: ['companies'] });
  const close = () => setDoing(undefined);
  const toggle = (id: string) =>
    setOpen((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });

  /** Applies a change to the displayed rows before the server is asked again. */
  const patch = (id: string, values: Partial<CompanyItem>) =>
    cache.setQueryData<CompanyPage>(
      queryKey,
      (old) =>
        old && { ...old, data: old.data.map((row) => (row.company_id === id ? { ...row, ...values } : row)) },
    );
  const manualBill = async (row: CompanyItem, on: boolean) => {
    const isDone = await switchManualBill(row, on);
    if (isDone) {
      patch(row.company_id, { manual_bill: on ? 'T' : 'F' });
      void reload();
    }
    return isDone;
  };
  const navigate = useNavigate();
  const run = async (what: Doing, row: CompanyItem) => {
    if (what === 'edit') setEditing(editing === row.company_id ? undefined : row.company_id);
    else if (what === 'invite') await invite(row, user);
    else if (what === 'agreement') await downloadAgreement(row);
    else if (what === 'offboard')
      await navigate({ to: `/configuration/offboarding/${row.company_id}` as '/' });
    else if (what === 'remove') {
      if (await remove(row, user)) void reload();
    } else if (what === 'paymentFailed') {
      if (await settle(row)) {
        patch(row.company_id, { payment_status: '' });
        void reload();
      }
    } else if (what === 'minimumSpendExclusion') {
      if (await toggleMinimumSpend(row)) {
        patch(row.company_id, { excluded_minimum_spend: row.excluded_minimum_spend ? 0 : 1 });
        void reload();
      }
    } else setDoing({ what, row });
  };

  const label = props.label ?? (kind === 'agency' ? 'Agencies' : 'Clients');
  // Computed before the rows load, so that the column does not pop in with them.
  const hasActions = rowActions(user, anyRow(kind, user.root_id)).length > 0;
  /** An agency that the search found through its clients is expanded. */
  const isByClient = (row: CompanyItem) => kind === 'agency' && !matchesItself(row, state.q);
  const isOpen = (row: CompanyItem) => open.has(row.company_id) !== isByClient(row);
  const actions = (row: CompanyItem) => (
    <RowActions
      row={row}
      offered={offered(row)}
      onManualBill={(on) => manualBill(row, on)}
      onDo={(what) => void run(what, row)}
    />
  );
  return (
    <>
      {query.isPending && (
        <Text role="status" className="sr-only">
          {messages.loadingData}
        </Text>
      )}
      <DataTable
        label={label}
        name={`companies.${kind}${companyId ? '.tree' : ''}`}
        columns={columnsFor({
          kind,
          isSales: user.user_type === 'sales',
          isOpen: kind === 'agency' ? isOpen : undefined,
          onToggle: (row) => toggle(row.company_id),
          actions: hasActions ? actions : undefined,
        })}
        phoneRow={(row) => ({
          line: (
            <>
              <bdi>{[row.name, row.email].filter(Boolean).join(' · ')}</bdi>
              {hasActions && <span className={classes.phoneActions}>{actions(row)}</span>}
            </>
          ),
        })}
        query={query}
        state={state}
        mayUnsort
        bare={companyId !== undefined}
        download={companiesAsked(user, input)}
        rowKey={(row) => row.company_id}
        below={(row) => {
          const isEditing = editing === row.company_id;
          if (!isEditing && !isOpen(row)) return null;
          return (
            <>
              {isEditing && (
                <EditForm
                  key={`${row.company_id} ${row.version}`}
                  row={row}
                  onClose={() => setEditing(undefined)}
                />
              )}
              {isOpen(row) && <Clients key={state.q} agency={row} found={isByClient(row) ? state.q : ''} />}
            </>
          );
        }}
        {...(props.search ? { search: props.search } : {})}
        {...(props.pills ? { filters: props.pills } : {})}
        actions={props.tools}
        empty={props.empty}
      />
      {doing?.what === 'setSales' && <SetSalesModal company={doing.row} onClose={close} />}
      {doing?.what === 'logs' && (
        <Suspense fallback={null}>
          <LogsModal
            company={{ id: doing.row.company_id, name: named(doing.row.company_name), kind: doing.row.kind }}
            onClose={close}
          />
        </Suspense>
      )}
      {doing?.what === 'export' && (
        <Suspense fallback={null}>
          <ExportsModal
            company={{ id: doing.row.company_id, name: named(doing.row.company_name), kind: doing.row.kind }}
            onClose={close}
          />
        </Suspense>
      )}
      {doing?.what === 'transfer' && (
        <Suspense fallback={null}>
          <StartTransferModal
            client={{ id: doing.row.company_id, name: named(doing.row.company_name) }}
            onClose={close}
          />
        </Suspense>
      )}
      {doing?.what === 'priceSetup' && <PriceModal row={doing.row} onClose={close} />}
      {doing?.what === 'viewAs' && doing.row.id && (
        <ViewAsModal
          viewed={{
            user_id: doing.row.id,
            // Sales do not see who owns the clients of their agencies.
            name: doing.row.name || 'the owner',
            company_name: doing.row.company_name,
          }}
          onClose={close}
        />
      )}
      {doing?.what === 'grantCredit' && (
        <Suspense fallback={null}>
          <GrantCreditModal company={doing.row} onClose={close} />
        </Suspense>
      )}
      {doing?.what === 'setCost' && (
        <Suspense fallback={null}>
          <SetCostModal
            agency={{ id: doing.row.company_id, company_name: doing.row.company_name }}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
}

function columnsFor(given: {
  kind: CompanyItem['kind'];
  isSales: boolean;
  isOpen: ((row: CompanyItem) => boolean) | undefined;
  onToggle: (row: CompanyItem) => void;
  actions: ((row: CompanyItem) => ReactNode) | undefined;
}): Column<CompanyItem>[] {
  const { isOpen, actions } = given;
  // Sales can sort what they see by name and date only.
  const sortable = !given.isSales;
  return [
    {
      key: 'company_name',
      title: 'COMPANY NAME',
      sortable: true,
      render: (row) => (
        <span className={classes.company}>
          <span className={classes.name}>
            {isOpen && (
              <Tooltip label={`${isOpen(row) ? 'Hide' : 'Show'} clients`}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={28}
                  aria-expanded={isOpen(row)}
                  aria-label={`Clients of ${row.company_name}`}
                  onClick={() => given.onToggle(row)}
                >
                  {isOpen(row) ? (
                    <IconChevronDown size={16} aria-hidden="true" />
                  ) : (
                    <IconChevronRight size={16} aria-hidden="true" />
                  )}
                </ActionIcon>
              </Tooltip>
            )}
            <bdi className="clip" style={{ maxWidth: 220 }} title={row.company_name}>
              {row.company_name}
            </bdi>
          </span>
          <ActivityLine row={row} />
        </span>
      ),
    },
    {
      key: 'full_name',
      title: 'FULL NAME',
      sortable,
      render: (row) => (
        <span className={classes.owner}>
          {row.name ? (
            <bdi className="clip" style={{ maxWidth: 180 }} title={row.name}>
              {row.name}
            </bdi>
          ) : (
            <None />
          )}
          {!given.isSales && (
            <span className={`${classes.phone} num`}>
              {row.phone ? phoneWords(`${row.phone_calling}${row.phone}`) : messages.noPhone}
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'email',
      title: 'E-MAIL',
      sortable,
      render: (row) => (row.email ? <Clip text={row.email} max={200} /> : <None />),
    },
    ...(actions ? [{ key: 'actions', title: 'ACTION', render: actions }] : []),
    {
      key: 'sales',
      title: 'SALES',
      from: 800,
      render: (row) => (salesWords(row) ? <Clip text={salesWords(row)} max={280} /> : <None />),
    },
    ...listedFields(given.kind).map(([column, field]): Column<CompanyItem> => {
      const words = (row: CompanyItem) => row[companyFieldName(column, field)];
      return {
        key: column,
        title: field.listed!,
        from: 900,
        render: (row) => (words(row) ? <Clip text={words(row)} max={160} /> : <None />),
      };
    }),
    {
      key: 'created_at',
      title: 'CREATED',
      sortable: true,
      from: 960,
      render: (row) => <When at={row.created_at} />,
    },
  ];
}
