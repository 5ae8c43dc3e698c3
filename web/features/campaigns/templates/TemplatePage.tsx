import { Button, Group, Menu, Modal, Stack, Tabs, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { PageZone } from '../../../ui/zone.ts';
import { isBusy, kindWords, type Whole } from './model.ts';
import { PushesTab } from './PushesTab.tsx';
import { PushTab } from './PushTab.tsx';
import { VersionsTab } from './VersionsTab.tsx';

/** One template: its versions, a new push, and every push so far (BEY-13). */
export default function TemplatePage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const query = useQuery({
    queryKey: ['template', id],
    queryFn: ({ signal }) => api.templates.one({ id }, { signal }),
    refetchInterval: ({ state }) => (state.data?.pushes.some(isBusy) ? 3000 : false),
  });
  return (
    <PageZone value={useUser().time_zone}>
      {query.data ? (
        <Shown whole={query.data} />
      ) : (
        <>
          <PageHeader title="Template" line="Versions of one template, and where they were pushed." />
          {query.error ? (
            <ErrorState error={query.error} what="the template" onRetry={() => void query.refetch()} />
          ) : (
            <SkeletonRows rows={6} />
          )}
        </>
      )}
      <Group mt="lg">
        <Button
          variant="transparent"
          px={0}
          renderRoot={(props) => <Link {...props} to={'/configuration/templates' as '/'} />}
        >
          All templates
        </Button>
      </Group>
    </PageZone>
  );
}

function Shown({ whole }: { whole: Whole }) {
  const { data: template } = whole;
  const mayWrite = useMay('template.write');
  const [params, set] = useSearchParams();
  const [isRenaming, setRenaming] = useState(false);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    const goes = await confirm({
      title: `Remove ${template.name}?`,
      body: 'Its versions and pushes can no longer be opened. What was pushed stays as it is.',
      verb: 'Remove',
      danger: true,
    });
    if (!goes) return;
    try {
      const { message } = await api.templates.remove({ id: template.id });
      notifyDone(message);
      void cache.invalidateQueries({ queryKey: ['templates'] });
      await navigate({ to: '/configuration/templates' as '/' });
    } catch (error) {
      notifyFailed(error, 'The template was not removed');
    }
  };
  const tabs = [
    ['versions', 'Versions', <VersionsTab key="versions" whole={whole} mayWrite={mayWrite} />],
    ...(mayWrite ? [['push', 'New push', <PushTab key="push" whole={whole} />] as const] : []),
    [
      'pushes',
      `Pushes (${whole.pushes.length})`,
      <PushesTab key="pushes" whole={whole} mayWrite={mayWrite} />,
    ],
  ] as const;
  const shown = tabs.find(([value]) => value === params.tab)?.[0] ?? 'versions';
  return (
    <>
      <PageHeader
        title={template.name}
        line={`${kindWords(template)} template, newest version ${template.versions}.`}
        primary={
          mayWrite && shown !== 'push' ? (
            <Button onClick={() => set({ tab: 'push' }, { push: true })}>Push</Button>
          ) : undefined
        }
        menu={
          mayWrite ? (
            <>
              <Menu.Item
                leftSection={<IconPencil size={16} aria-hidden="true" />}
                onClick={() => setRenaming(true)}
              >
                Rename
              </Menu.Item>
              <Menu.Item
                color="red"
                leftSection={<IconTrash size={16} aria-hidden="true" />}
                onClick={() => void remove()}
              >
                Remove
              </Menu.Item>
            </>
          ) : undefined
        }
      />
      <Tabs
        value={shown}
        keepMounted={false}
        onChange={(tab) =>
          set(
            {
              ...Object.fromEntries(Object.keys(params).map((name) => [name, undefined])),
              tab: tab === 'versions' ? undefined : (tab ?? undefined),
            },
            { push: true },
          )
        }
      >
        <Tabs.List mb="lg">
          {tabs.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([value, , page]) => (
          <Tabs.Panel key={value} value={value}>
            {page}
          </Tabs.Panel>
        ))}
      </Tabs>
      {isRenaming && <RenameModal whole={whole} onClose={() => setRenaming(false)} />}
    </>
  );
}

function RenameModal({ whole: { data: template }, onClose }: { whole: Whole; onClose: () => void }) {
  const cache = useQueryClient();
  const form = useForm({
    initialValues: { name: template.name },
    validate: { name: (name) => (name.trim() ? null : 'Enter a name') },
  });
  const save = async ({ name }: typeof form.values) => {
    try {
      const { message } = await api.templates.rename({ id: template.id, name });
      notifyDone(message);
      for (const key of [['template', template.id], ['templates']])
        void cache.invalidateQueries({ queryKey: key });
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal opened centered onClose={onClose} title="Rename the template">
      <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <TextInput
            label="Name"
            withAsterisk
            data-autofocus
            maxLength={255}
            {...form.getInputProps('name')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
