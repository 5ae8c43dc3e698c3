import { ActionIcon, Button, Checkbox, Group, Menu, Modal, Stack, TextInput } from '@mantine/core';
import { IconBookmark, IconDots, IconUsers } from '@tabler/icons-react';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { useUser } from '../api/user.ts';
import { confirm } from './confirm.tsx';
import { num } from './format.ts';
import { listsQuery, type SavedView } from './lists.ts';
import { notifyDone, notifyFailed } from './notify.ts';
import classes from './ViewTabs.module.css';
import type { ListViews } from './views.ts';

/**
 * The saved views of a list as tabs, each with how many rows it has, and what saves and changes them.
 * @param all the name of the list without a view: 'All leads'
 * @param count how many rows the list has with these parameters
 * @param onSchedule has a view emailed; without it, the list's views cannot be
 */
export function ViewTabs(props: {
  views: ListViews;
  all: string;
  count: (params: Record<string, string>, signal: AbortSignal) => Promise<number>;
  onSchedule?: ((view: SavedView) => void) | undefined;
}) {
  const { views } = props;
  const { in_view_mode } = useUser();
  const cache = useQueryClient();
  const [isSaving, setSaving] = useState<'new' | 'rename'>();
  const tabs: (SavedView | undefined)[] = [undefined, ...views.all];
  const counts = useQueries({
    queries: tabs.map((view) => ({
      queryKey: ['list-count', views.list, view?.params ?? {}],
      queryFn: ({ signal }: { signal: AbortSignal }) => props.count(view?.params ?? {}, signal),
      staleTime: 60_000,
      refetchInterval: 60_000,
    })),
  });
  const { current } = views;
  const changed = () => cache.invalidateQueries(listsQuery);
  const change = async (patch: Parameters<typeof api.views.update>[0], done: string) => {
    try {
      await api.views.update(patch);
      await changed();
      notifyDone(done);
    } catch (error) {
      notifyFailed(error, 'The view could not be saved');
    }
  };
  const remove = async (view: SavedView) => {
    const isSure = await confirm({
      title: `Delete the view ${view.name}?`,
      body: view.is_shared ? 'Everyone in your company loses it.' : 'The list itself does not change.',
      verb: 'Delete view',
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.views.remove({ id: view.id });
      views.show(undefined);
      await changed();
    } catch (error) {
      notifyFailed(error, 'The view could not be deleted');
    }
  };
  const maySave = !in_view_mode && views.isChanged;
  return (
    <div className={classes.row}>
      <ul className={classes.tabs} aria-label="Views">
        {tabs.map((view, at) => {
          const count = counts[at]?.data;
          const isOn = current?.id === view?.id;
          return (
            <li key={view?.id ?? ''}>
              <button
                type="button"
                className={classes.tab}
                aria-current={isOn || undefined}
                title={view && (view.is_shared ? `Shared by ${view.by}` : 'Only you see this view')}
                onClick={() => views.show(view)}
              >
                {view?.name ?? props.all}
                {view?.is_shared && <IconUsers size={14} stroke={1.6} role="img" aria-label="Shared" />}
                <span className={`num ${classes.count}`}>{count === undefined ? ' ' : num(count)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      <Group gap={4} wrap="nowrap" ml="auto">
        {maySave && current?.may_change && (
          <Button
            variant="light"
            size="xs"
            onClick={() =>
              void change(
                { id: current.id, params: views.params, columns: views.columns },
                `The view ${current.name} has been saved.`,
              )
            }
          >
            Save changes
          </Button>
        )}
        {maySave && (
          <Button
            variant={current?.may_change ? 'subtle' : 'light'}
            size="xs"
            leftSection={<IconBookmark size={14} aria-hidden="true" />}
            onClick={() => setSaving('new')}
          >
            {current ? 'Save as new' : 'Save view'}
          </Button>
        )}
        {current && (current.may_change || props.onSchedule) && !in_view_mode && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={30}
                aria-label={`Actions for the view ${current.name}`}
              >
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {props.onSchedule && (
                <Menu.Item onClick={() => props.onSchedule?.(current)}>Email this view</Menu.Item>
              )}
              {current.may_change && (
                <>
                  <Menu.Item onClick={() => setSaving('rename')}>Rename</Menu.Item>
                  <Menu.Item
                    onClick={() =>
                      void change(
                        { id: current.id, is_shared: !current.is_shared },
                        current.is_shared
                          ? 'Only you see this view now.'
                          : 'Your company sees this view now.',
                      )
                    }
                  >
                    {current.is_shared ? 'Stop sharing' : 'Share with your company'}
                  </Menu.Item>
                  <Menu.Divider />
                  <Menu.Item c="var(--bad)" onClick={() => void remove(current)}>
                    Delete
                  </Menu.Item>
                </>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      {isSaving && (
        <NameModal
          view={isSaving === 'rename' ? current : undefined}
          onClose={() => setSaving(undefined)}
          onSave={async (name, isShared) => {
            if (isSaving === 'rename' && current) await api.views.update({ id: current.id, name });
            else {
              const { params, columns, list } = views;
              const { id } = await api.views.create({ list, name, is_shared: isShared, params, columns });
              await changed();
              const saved = cache.getQueryData(listsQuery.queryKey)?.views.find((view) => view.id === id);
              views.show(saved);
              return;
            }
            await changed();
          }}
        />
      )}
    </div>
  );
}

/** Asks for the name of a view, and of a new one whether the company shares it. */
function NameModal(props: {
  view: SavedView | undefined;
  onClose: () => void;
  onSave: (name: string, isShared: boolean) => Promise<void>;
}) {
  const [name, setName] = useState(props.view?.name ?? '');
  const [isShared, setShared] = useState(false);
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!name.trim()) return setFault('Enter a name');
    setBusy(true);
    try {
      await props.onSave(name.trim(), isShared);
      props.onClose();
    } catch (error) {
      const [words] = error instanceof ApiError ? (error.errors.name ?? []) : [];
      if (words) setFault(words);
      else notifyFailed(error, 'The view could not be saved');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={props.onClose} title={props.view ? 'Rename view' : 'Save view'} size="sm">
      <form onSubmit={save} noValidate>
        <Stack gap="md">
          <TextInput
            label="Name"
            withAsterisk
            maxLength={60}
            data-autofocus
            value={name}
            error={fault}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setFault(undefined);
            }}
          />
          {!props.view && (
            <Checkbox
              label="Share with your company"
              description="Everyone sees it as a tab. Each person sees only the rows they have access to."
              checked={isShared}
              onChange={(event) => setShared(event.currentTarget.checked)}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={props.onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
