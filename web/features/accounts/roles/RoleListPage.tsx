import { ActionIcon, Button, Skeleton, Text } from '@mantine/core';
import { IconPlus, IconTrash, IconUserShield } from '@tabler/icons-react';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { settingMenu } from '../../../../contract/accounts/permissions.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { alertModal, confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { num } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { Clip } from '../../../ui/Values.tsx';
import { MODULE_NAMES, matrixOf, peopleWords, rightWords } from './model.ts';
import { type Role, roleQuery, rolesChanged, rolesQuery } from './queries.ts';
import { RoleForm } from './RoleForm.tsx';

/** The roles that administrators of the company can have (spec product 2 and 6). */
export default function RoleListPage() {
  const user = useUser();
  const show = settingMenu(user.module_permissions);
  const query = useQuery(rolesQuery);
  const roles = query.data?.roles;
  const rows = useQueries({ queries: (roles ?? []).map(({ id }) => roleQuery(id)) });
  const rowsOfRole = new Map((roles ?? []).map(({ id }, at) => [id, rows[at]]));
  const drawer = useDrawer('role');
  const cache = useQueryClient();

  const remove = async (role: Role) => {
    if (role.people > 0) {
      await alertModal(
        `“${role.role_name}” is in use`,
        `${peopleWords(role.people)} ${role.people === 1 ? 'holds' : 'hold'} this role. Assign ${role.people === 1 ? 'them' : 'each of them'} another role in the administrator list, then remove this one.`,
      );
      return;
    }
    const isSure = await confirm({
      title: `Remove the role “${role.role_name}”?`,
      body: 'No one has this role, so no one loses access. This cannot be undone.',
      verb: 'Remove',
      danger: true,
    });
    if (!isSure) return;
    try {
      notifyDone((await api.roles.remove({ role_id: role.id })).message);
    } catch (error) {
      notifyFailed(error, `Remove: “${role.role_name}”`);
    } finally {
      void rolesChanged(cache);
    }
  };

  const add = show.settings_create && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => drawer.open('new')}>
      Add role
    </Button>
  );
  const columns: Column<Role>[] = [
    { key: 'name', title: 'Role', render: (role) => <Clip text={role.role_name} max={240} /> },
    {
      key: 'people',
      phone: 'line',
      title: 'People',
      align: 'right',
      width: 80,
      render: (role) => num(role.people),
    },
    ...MODULE_NAMES.map(
      (name): Column<Role> => ({
        key: name,
        title: name,
        render: (role) => {
          const found = rowsOfRole.get(role.id);
          if (!found?.data) return found?.error ? '–' : <Skeleton height={12} width={80} />;
          const words = rightWords(matrixOf(found.data)[name]);
          return <span className={words === 'None' ? 'dim' : ''}>{words}</span>;
        },
      }),
    ),
  ];
  if (show.settings_delete) {
    columns.push({
      key: 'actions',
      phone: 'end',
      title: 'Actions',
      align: 'right',
      width: 64,
      render: (role) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove the role ${role.role_name}`}
          onClick={() => void remove(role)}
        >
          <IconTrash size={16} />
        </ActionIcon>
      ),
    });
  }
  return (
    <>
      <PageHeader
        title="Role List"
        line="What your company’s administrators can see and do. Owners can do everything."
        primary={add}
      />
      <DataTable
        label="Roles"
        download={{ list: 'roles', of: 'roles.list', query: { kind: 'getrole' } }}
        name="roles"
        columns={columns}
        query={{ ...query, data: roles && { data: roles } }}
        rowKey={(role) => role.id}
        onRow={(role) => drawer.open(role.id)}
        empty={
          <EmptyState
            icon={<IconUserShield size={32} stroke={1.4} />}
            title="No roles yet"
            text="A role defines what an administrator can see, create, change, and delete. Administrators without a role can do everything."
            action={add}
          />
        }
      />
      <DetailDrawer param="role" title={drawer.id === 'new' ? 'New role' : 'Role'}>
        {(id) => {
          if (id === 'new')
            return (
              <RoleForm known={undefined} rows={[]} mayEdit={show.settings_create} onClose={drawer.close} />
            );
          const role = roles?.find((one) => one.id === id);
          const found = rowsOfRole.get(id);
          if (roles && !role) return <Text c="dimmed">This role no longer exists.</Text>;
          if (found?.error) {
            return (
              <ErrorState
                error={found.error}
                what="The role could not be loaded"
                onRetry={() => void found.refetch()}
              />
            );
          }
          if (!role || !found?.data) return <Skeleton height={320} />;
          const mayEdit = show.settings_update && role.id !== user.role_id;
          return (
            <RoleForm key={id} known={role} rows={found.data} mayEdit={mayEdit} onClose={drawer.close} />
          );
        }}
      </DetailDrawer>
    </>
  );
}
