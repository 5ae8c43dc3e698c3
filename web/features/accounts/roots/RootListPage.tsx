import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconBuildingSkyscraper, IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { emailFault, fullNameFault } from '../../../../contract/accounts/company-rules.ts';
import { api } from '../../../api/client.ts';
import { useMay } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { num } from '../../../ui/format.ts';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, When } from '../../../ui/Values.tsx';

type Root = Awaited<ReturnType<typeof api.roots.list>>['data'][number];

/** The roots of the installation, for the master root (spec calls 7, root/list). */
export default function RootListPage() {
  const state = useListState();
  const drawer = useDrawer('root');
  const mayAdd = useMay('root.create');
  const query = useQuery({
    queryKey: ['roots', state.input],
    queryFn: ({ signal }) =>
      api.roots.list(
        { page: state.page, per_page: state.perPage, ...(state.q ? { search: state.q } : {}) },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  const add = mayAdd && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => drawer.open('new')}>
      Add root
    </Button>
  );
  const columns: Column<Root>[] = [
    { key: 'name', title: 'Name', render: (row) => <Clip text={row.name} max={240} /> },
    { key: 'host', phone: 'line', title: 'Host', render: (row) => <Clip text={row.host || '–'} max={240} /> },
    {
      key: 'owner',
      phone: 'line',
      title: 'Owner',
      render: (row) => <Clip text={row.owner_name || '–'} max={200} />,
    },
    {
      key: 'email',
      phone: 'line',
      title: 'Email',
      render: (row) => <Clip text={row.owner_email || '–'} max={220} />,
    },
    {
      key: 'agencies',
      phone: 'line',
      title: 'Agencies',
      align: 'right',
      width: 90,
      render: (row) => num(row.agencies),
    },
    {
      key: 'kind',
      phone: 'state',
      title: 'Kind',
      width: 120,
      render: (row) => (
        <StatusBadge status="root" tone={row.is_master === 'T' ? 'info' : 'plain'}>
          {row.is_master === 'T' ? 'Master' : 'Enterprise'}
        </StatusBadge>
      ),
    },
    {
      key: 'created',
      phone: 'end',
      title: 'Created',
      width: 130,
      render: (row) => <When at={row.created_at} />,
    },
  ];
  return (
    <>
      <PageHeader
        title="Root List"
        line="The enterprises on this installation. Each is a separate system, and no one else can see its users or data."
        primary={add}
      />
      <DataTable
        label="Roots"
        download={{ list: 'roots', of: 'roots.list', query: state.input }}
        name="roots"
        columns={columns}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        search="Search by name, owner, or email"
        empty={
          <EmptyState
            icon={<IconBuildingSkyscraper size={32} stroke={1.4} />}
            title="No roots"
            text="A root has its own agencies, brand, and settings."
            action={add}
          />
        }
      />
      <DetailDrawer param="root" title="New root">
        {() => <RootForm onClose={drawer.close} />}
      </DetailDrawer>
    </>
  );
}

function RootForm({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const form = useForm({
    initialValues: { name: '', host: '', owner_name: '', owner_email: '' },
    validateInputOnBlur: true,
    validate: {
      name: (value) => (value.trim() ? null : 'Enter a name'),
      host: (value) =>
        /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(value.trim())
          ? null
          : 'Enter a full host name, such as leads.example.com',
      owner_name: fullNameFault,
      owner_email: emailFault,
    },
  });
  const leave = useLeaveGuard(form.isDirty(), 'The new root will not be created.', ['root']);
  const save = async (values: typeof form.values) => {
    try {
      const { message } = await api.roots.create(values);
      leave();
      notifyDone(message);
      void cache.invalidateQueries({ queryKey: ['roots'] });
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        <TextInput label="Name" withAsterisk maxLength={255} {...form.getInputProps('name')} />
        <TextInput
          label="Host"
          description="Where its users sign in, with its agencies’ subdomains under it. Its DNS must point here."
          placeholder="leads.example.com"
          withAsterisk
          maxLength={253}
          {...form.getInputProps('host')}
        />
        <TextInput
          label="Owner’s full name"
          withAsterisk
          maxLength={600}
          {...form.getInputProps('owner_name')}
        />
        <TextInput
          label="Owner’s email"
          description="The invitation is sent to this address and is valid for 7 days."
          type="email"
          withAsterisk
          maxLength={200}
          {...form.getInputProps('owner_email')}
        />
        <Button type="submit" loading={form.submitting} style={{ alignSelf: 'flex-end' }} {...keepFocus}>
          Add and invite
        </Button>
      </Stack>
    </form>
  );
}
