import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconAd2, IconPlus, IconTrash } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { num } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, When } from '../../../ui/Values.tsx';
import type { BannerRow } from './model.ts';

/** Every banner that the person sees, last changed first. */
export default function BannersPage() {
  const user = useUser();
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayCreate = useMay('banner.create');
  const mayRemove = useMay('banner.remove');
  const list = useListState({ perPage: 25 });
  const { page, per_page, search } = list.input;
  const input = { page, per_page, ...(search ? { search } : {}) };
  const query = useQuery({
    queryKey: ['banners', 'list', input],
    queryFn: ({ signal }) => api.banners.list(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const remove = async (banner: BannerRow) => {
    const isSure = await confirm({
      title: `Delete “${banner.name}”?`,
      body: 'Creatives that were made from it stay in their campaigns.',
      verb: 'Delete',
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.banners.remove({ id: banner.id });
      notifyDone(messages.updated);
    } catch (error) {
      notifyFailed(error);
    }
    await client.invalidateQueries({ queryKey: ['banners'] });
  };
  const open = (to: string) => void navigate({ to: to as '/' });
  const create = mayCreate && (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => open('/banner/create')}>
      Create banner
    </Button>
  );
  const columns: Column<BannerRow>[] = [
    {
      key: 'name',
      title: 'Banner',
      phone: 'title',
      fluid: 28,
      render: (row) => <Clip text={row.name} max="cell" />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'company',
            title: 'Company',
            fluid: 20,
            from: 620,
            render: (row: BannerRow) => <Clip text={row.company_name} max="cell" />,
          },
        ]),
    {
      key: 'sizes',
      title: 'Sizes',
      align: 'right',
      phone: 'line',
      render: (row) => num(row.sizes.length),
    },
    { key: 'layers', title: 'Layers', align: 'right', from: 800, render: (row) => num(row.layers) },
    { key: 'updated', title: 'Changed', phone: 'line', render: (row) => <When at={row.updated_at} /> },
    ...(mayRemove
      ? [
          {
            key: 'remove',
            title: 'Actions',
            phone: 'end' as const,
            render: (row: BannerRow) => (
              <Tooltip label="Delete">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete ${row.name}`}
                  onClick={(event) => {
                    event.stopPropagation();
                    void remove(row);
                  }}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Tooltip>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <PageHeader
        title="Banners"
        line="Ads designed once and used in every size, in files or in your ad campaigns."
        primary={create}
      />
      <DataTable
        label="Banners"
        name="banners"
        download={{ list: 'banners', of: 'banners.list', query: input }}
        columns={columns}
        query={query}
        state={list}
        search="Search banners"
        rowKey={(row) => row.id}
        onRow={(row) => open(`/banner/create?id=${row.id}`)}
        empty={
          <EmptyState
            icon={<IconAd2 size={28} aria-hidden="true" />}
            title="No banners yet"
            text="Design one from a template, and it comes in every size that sites show."
            action={create}
          />
        }
      />
    </>
  );
}
