import { Button } from '@mantine/core';
import { IconPlus, IconTemplate } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';
import { PageZone } from '../../../ui/zone.ts';
import { isBusy, kindWords, PUSH_TONES, PUSH_WORDS, type Template } from './model.ts';
import { VersionForm } from './VersionForm.tsx';

const Pushed = ({ row }: { row: Template }) =>
  row.push_state ? (
    <StatusBadge status={row.push_state} tone={PUSH_TONES[row.push_state]}>
      {PUSH_WORDS[row.push_state]}
    </StatusBadge>
  ) : (
    <None />
  );

/** Templates of campaigns and of branding, with their last push (BEY-13). */
export default function TemplatesPage() {
  const user = useUser();
  const mayWrite = useMay('template.write');
  const navigate = useNavigate();
  const list = useListState({ perPage: 25 });
  const [isAdding, setAdding] = useState(false);
  const { page, per_page, search } = list.input;
  const input = { page, per_page, ...(search ? { search } : {}) };
  const query = useQuery({
    queryKey: ['templates', input],
    queryFn: ({ signal }) => api.templates.list(input, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some((row) => isBusy({ state: row.push_state })) ? 3000 : false,
  });
  const add = mayWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setAdding(true)}>
      New template
    </Button>
  );
  const columns: Column<Template>[] = [
    { key: 'name', title: 'Name', fluid: 26, render: (row) => <Clip text={row.name} max="cell" /> },
    { key: 'kind', title: 'Kind', render: kindWords },
    {
      key: 'version',
      title: 'Newest version',
      align: 'right',
      render: (row) => <span className="num">{num(row.versions)}</span>,
    },
    { key: 'push', title: 'Last push', render: (row) => <Pushed row={row} /> },
    {
      key: 'pushed',
      title: 'Pushed version',
      align: 'right',
      from: 820,
      render: (row) =>
        row.pushed_version === null ? <None /> : <span className="num">{num(row.pushed_version)}</span>,
    },
    {
      key: 'author',
      title: 'Created by',
      fluid: 16,
      from: 980,
      render: (row) => <Clip text={row.author_name} max="cell" />,
    },
    { key: 'updated', title: 'Changed', from: 620, render: (row) => <When at={row.updated_at} /> },
  ];
  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Templates"
        line={
          user.company_kind === 'root'
            ? 'Branding in versions that you push to your agencies and can roll back.'
            : 'Campaign settings and branding in versions that you push to many clients at once and can roll back.'
        }
        primary={add}
      />
      <DataTable
        label="Templates"
        name="templates"
        download={{ list: 'templates', of: 'templates.list', query: input }}
        columns={columns}
        query={query}
        state={list}
        search="Search by name"
        rowKey={(row) => row.id}
        onRow={(row) => void navigate({ to: `/configuration/templates/${row.id}` as '/' })}
        phoneRow={(row) => ({
          title: row.name,
          state: <Pushed row={row} />,
          line: `${kindWords(row)}, version ${row.versions}`,
          end: <When at={row.updated_at} />,
        })}
        empty={
          <EmptyState
            icon={<IconTemplate size={32} stroke={1.4} />}
            title="No templates yet"
            text={
              user.company_kind === 'root'
                ? 'Take a template from your branding, then push it to your agencies.'
                : 'Set up one campaign the way you want all of them, and take a template from it.'
            }
            action={add}
          />
        }
      />
      {isAdding && <VersionForm onClose={() => setAdding(false)} />}
    </PageZone>
  );
}
