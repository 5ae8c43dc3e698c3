import { Button, Select, Text } from '@mantine/core';
import { IconHistory, IconMailForward, IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { STAFF_SORTS } from '../../../../contract/choices.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useSelection } from '../../../ui/selection.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import { searchSegment } from '../companies/companies.ts';
import {
  FACTOR_WORDS,
  FILTER_WORDS,
  filterIn,
  type Person,
  roleWords,
  STATUS,
  type StaffType,
} from './model.ts';
import { StaffForm } from './StaffForm.tsx';
import classes from './staff.module.css';

const LogsModal = lazy(() => import('../logs/LogsModal.tsx'));

type StaffList = Omit<Awaited<ReturnType<typeof api.companies.list>>, 'data'> & { data: Person[] };

/** A list of the people in the user's own company (spec product 2: administrator-list, sales-account-list). */
export function StaffPage(props: {
  type: StaffType;
  title: string;
  line: string;
  noun: string;
  empty: string;
  /** Shown above the list: the switch between a page's lists. */
  lists?: ReactNode;
}) {
  const { type, noun } = props;
  const user = useUser();
  const cache = useQueryClient();
  const [params, set] = useSearchParams();
  const filter = filterIn(params.filter);
  const state = useListState({ sorts: STAFF_SORTS, sort: 'full_name', dir: 'asc', perPage: 25 });
  const drawer = useDrawer('person');
  const mayReadLog = useMay('setting.read');
  const [isLogOpen, setLogOpen] = useState(false);
  const selected = useSelection<Person>();
  const [mayAdd, mayEdit, mayRemove] = [
    useMay('person.create'),
    useMay('person.write'),
    useMay('person.remove'),
  ];
  const asked = {
    company_id: user.company_id,
    group: 'all',
    root_id: user.root_id,
    type,
    module: 'all',
    sort: state.sort ?? ('all' as const),
    order: state.sort ? state.dir : ('all' as const),
    search: searchSegment(state.q),
    page: state.page,
    per_page: state.perPage,
    ...(filter ? { filters: filter } : {}),
  };
  const query = useQuery({
    queryKey: ['staff', type, state.input, filter],
    queryFn: async ({ signal }) => (await api.companies.list(asked, { signal })) as unknown as StaffList,
    placeholderData: keepPreviousData,
  });
  const changed = () => {
    void cache.invalidateQueries({ queryKey: ['staff'] });
    void cache.invalidateQueries({ queryKey: ['roles'] });
  };
  /** Performs an action on people, shows the result, and reloads the list. */
  const act = async (what: string, work: () => Promise<string>): Promise<void> => {
    try {
      notifyDone(await work());
    } catch (error) {
      notifyFailed(error, what);
    } finally {
      changed();
    }
  };
  const invite = (people: Person[]) =>
    act('The invitation could not be sent', async () => {
      const ids = people.map((one) => one.id);
      const input = { company_id: user.company_id, id: ids.length === 1 ? ids[0]! : ids };
      return (await api.companies.resendInvitation(input)).message;
    });
  const restore = (person: Person) =>
    act(`${person.name} could not be restored`, async () => {
      const input = {
        company_id: user.company_id,
        user_type: type,
        id: person.id,
        action: 'restore' as const,
      };
      const { message } = await api.companies.update(input);
      drawer.close();
      return message;
    });
  const remove = async (person: Person) => {
    const isSure = await confirm({
      title: `Remove ${person.name}?`,
      body: 'They are signed out everywhere right away and can no longer sign in. Their activity stays in the log. You can restore them.',
      verb: 'Remove',
      danger: true,
    });
    if (!isSure) return;
    await act(`${person.name} could not be removed`, async () => {
      const { data } = await api.companies.remove({ company_id: user.company_id, user_id: person.id });
      drawer.close();
      return data.message;
    });
  };

  const add = mayAdd && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => drawer.open('new')}>
      Add {noun}
    </Button>
  );
  const columns: Column<Person>[] = [
    {
      key: 'full_name',
      title: 'Full name',
      sortable: true,
      render: (row) => <Clip text={row.name} max={240} />,
    },
    {
      key: 'email',
      phone: 'line',
      title: 'Email',
      sortable: true,
      render: (row) => <Clip text={row.email} max={240} />,
    },
    {
      key: 'phone',
      phone: 'line',
      title: 'Phone',
      hidden: true,
      render: (row) => (row.phone ? `${row.phone_calling} ${row.phone}` : '–'),
    },
    { key: 'role', phone: 'end', title: 'Role', render: (row) => <Clip text={roleWords(row)} max={180} /> },
    {
      key: 'status',
      phone: 'state',
      title: 'Status',
      width: 160,
      render: (row) => (
        <StatusBadge status={row.status} tone={STATUS[row.status].tone}>
          {STATUS[row.status].words}
        </StatusBadge>
      ),
    },
    {
      key: 'factor',
      title: 'Two-factor',
      width: 110,
      phone: false,
      render: (row) => FACTOR_WORDS[row.two_factor_auth_type],
    },
    {
      key: 'flags',
      title: 'Duties',
      phone: false,
      render: (row) => (
        <Clip
          text={
            [
              row.is_default_admin === 'T' && 'Default administrator',
              row.customer_care === 'T' && 'Customer care',
            ]
              .filter(Boolean)
              .join(', ') || '–'
          }
          max={200}
        />
      ),
    },
    {
      key: 'created_at',
      title: 'Created',
      sortable: true,
      width: 130,
      phone: false,
      render: (row) => <When at={row.created_at} />,
    },
  ];

  return (
    <>
      <PageHeader
        title={props.title}
        line={props.line}
        primary={
          <>
            {mayReadLog && (
              <Button
                variant="default"
                leftSection={<IconHistory size={16} aria-hidden="true" />}
                onClick={() => setLogOpen(true)}
              >
                User logs
              </Button>
            )}
            {add}
          </>
        }
      />
      {isLogOpen && (
        <Suspense fallback={null}>
          <LogsModal
            company={{ id: user.company_id, name: user.company_name, kind: user.company_kind }}
            onClose={() => setLogOpen(false)}
          />
        </Suspense>
      )}
      {props.lists}
      <DataTable
        label={props.title}
        download={{ list: 'user', of: 'companies.list', query: asked }}
        name={`staff-${type}`}
        columns={columns}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        onRow={(row) => drawer.open(row.id)}
        search="Search by name, email, or role"
        filters={
          filter
            ? [{ label: FILTER_WORDS[filter], onRemove: () => set({ filter: undefined, page: undefined }) }]
            : []
        }
        actions={
          <Select
            aria-label="Show"
            w={170}
            allowDeselect={false}
            data={[
              { value: '', label: 'Everyone' },
              ...Object.entries(FILTER_WORDS).map(([value, label]) => ({ value, label })),
            ]}
            value={filter ?? ''}
            onChange={(value) => set({ filter: value || undefined, page: undefined })}
          />
        }
        selection={
          mayEdit
            ? {
                selected,
                nameOf: (row) => row.name,
                may: (row) => row.status !== 'removed',
                actions: (
                  <Button
                    size="compact-sm"
                    variant="default"
                    leftSection={<IconMailForward size={16} aria-hidden="true" />}
                    onClick={() => void invite(selected.list).then(() => selected.clear())}
                  >
                    Resend invitations
                  </Button>
                ),
              }
            : undefined
        }
        empty={
          <EmptyState
            icon={<IconUsersGroup size={32} stroke={1.4} />}
            title={`No ${noun}s yet`}
            text={props.empty}
            action={add}
          />
        }
      />
      <DetailDrawer
        param="person"
        title={drawer.id === 'new' ? `New ${noun}` : `${noun[0]!.toUpperCase()}${noun.slice(1)}`}
      >
        {(id) => {
          const person = query.data?.data.find((one) => one.id === id);
          if (id !== 'new' && !person)
            return (
              <Text c="dimmed">
                {query.data ? 'This person is not on this page of the list. Search for them.' : 'Loading'}
              </Text>
            );
          return (
            <>
              {person && (
                <WayIn
                  person={person}
                  onInvite={mayEdit ? () => void invite([person]) : undefined}
                  onRestore={mayEdit ? () => void restore(person) : undefined}
                  onRemove={mayRemove && person.id !== user.id ? () => void remove(person) : undefined}
                />
              )}
              <StaffForm
                key={person ? `${id} ${person.version}` : id}
                known={person}
                type={type}
                mayEdit={person ? mayEdit : mayAdd}
                onSaved={changed}
                onClose={drawer.close}
              />
            </>
          );
        }}
      </DetailDrawer>
    </>
  );
}

/** A person's sign-in status, and what can be done about it. */
function WayIn(props: {
  person: Person;
  onInvite: (() => void) | undefined;
  onRestore: (() => void) | undefined;
  onRemove: (() => void) | undefined;
}) {
  const { person } = props;
  const isWaiting = person.status === 'invited' || person.status === 'expired';
  return (
    <div className={classes.way}>
      <StatusBadge status={person.status} tone={STATUS[person.status].tone}>
        {STATUS[person.status].words}
      </StatusBadge>
      <Text size="sm" c="dimmed">
        {isWaiting && person.invitation_expires_at ? (
          <>
            {person.status === 'invited' ? 'The link is valid until ' : 'The link expired '}
            <When at={person.invitation_expires_at} />
          </>
        ) : person.removed_at ? (
          <>
            Since <When at={person.removed_at} />
          </>
        ) : (
          `Two-factor: ${FACTOR_WORDS[person.two_factor_auth_type].toLowerCase()}`
        )}
      </Text>
      <span style={{ display: 'flex', gap: 8 }}>
        {isWaiting && props.onInvite && (
          <Button size="compact-sm" variant="default" onClick={props.onInvite}>
            Resend
          </Button>
        )}
        {person.status === 'removed'
          ? props.onRestore && (
              <Button size="compact-sm" variant="default" onClick={props.onRestore}>
                Restore
              </Button>
            )
          : props.onRemove && (
              <Button size="compact-sm" variant="default" onClick={props.onRemove}>
                Remove
              </Button>
            )}
      </span>
    </div>
  );
}
