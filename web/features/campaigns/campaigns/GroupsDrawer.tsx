import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconCheck, IconPencil, IconTrash, IconX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useMay } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { DetailDrawer } from '../../../ui/DetailDrawer.tsx';
import { num } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import classes from './campaigns.module.css';
import { type CampaignGroup, groupsQuery } from './groups.queries.ts';

const faultOf = (name: string): string | null =>
  !name.trim() ? 'Enter a name' : name.trim().length > 100 ? 'Use up to 100 characters' : null;

/** Adds, renames, and deletes the user's own company's campaign groups. Open while the address has `groups`. */
export function GroupsDrawer() {
  return (
    <DetailDrawer param="groups" title="Campaign groups">
      {() => <Groups />}
    </DetailDrawer>
  );
}

function Groups() {
  const cache = useQueryClient();
  const query = useQuery(groupsQuery);
  const mayWrite = useMay('campaign.write');
  const changed = () => {
    void cache.invalidateQueries({ queryKey: groupsQuery.queryKey });
    void cache.invalidateQueries({ queryKey: ['campaigns'] });
    void cache.invalidateQueries({ queryKey: ['campaign'] });
  };
  const remove = async (group: CampaignGroup) => {
    const isSure = await confirm({
      title: `Delete the group “${group.group_name}”?`,
      body:
        group.campaigns === 0
          ? 'It has no campaigns.'
          : `Its ${group.campaigns === 1 ? 'campaign stays' : `${num(group.campaigns)} campaigns stay`}, without a group.`,
      verb: 'Delete',
      danger: true,
    });
    if (!isSure) return;
    try {
      await api.groups.remove({ id: group.id });
      notifyDone(`“${group.group_name}” has been deleted`);
    } catch (error) {
      notifyFailed(error, `Delete: “${group.group_name}”`);
    } finally {
      changed();
    }
  };
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The groups could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  const groups = query.data?.filter(({ id }) => id !== '');
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed">
        Groups organize the campaigns your company sees. They don’t change the campaigns themselves, and no
        one outside your company sees them in lists.
      </Text>
      {mayWrite && (
        <NameForm
          label="New group"
          button="Add group"
          onSave={async (group_name) => {
            await api.groups.create({ group_name });
            notifyDone(messages.added);
            changed();
          }}
        />
      )}
      {!groups ? (
        <SkeletonRows />
      ) : groups.length === 0 ? (
        <Text size="sm">There are no groups yet.</Text>
      ) : (
        <ul className={classes.groups} aria-label="Groups">
          {groups.map((group) => (
            <li key={group.id} className={classes.group!}>
              <GroupRow group={group} mayWrite={mayWrite} onChanged={changed} onRemove={remove} />
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

function GroupRow(props: {
  group: CampaignGroup;
  mayWrite: boolean;
  onChanged: () => void;
  onRemove: (group: CampaignGroup) => Promise<void>;
}) {
  const { group } = props;
  const [isEditing, setEditing] = useState(false);
  if (isEditing)
    return (
      <NameForm
        label={`Name of the group ${group.group_name}`}
        isInline
        value={group.group_name}
        button="Save"
        onCancel={() => setEditing(false)}
        onSave={async (group_name) => {
          await api.groups.rename({ id: group.id, group_name });
          notifyDone(messages.updated);
          setEditing(false);
          props.onChanged();
        }}
      />
    );
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {group.group_name}
        </Text>
        <Text size="xs" c="dimmed" className="num">
          {group.campaigns === 1 ? '1 campaign' : `${num(group.campaigns)} campaigns`}
        </Text>
      </div>
      {props.mayWrite && (
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Rename the group ${group.group_name}`}
            onClick={() => setEditing(true)}
          >
            <IconPencil size={16} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Delete the group ${group.group_name}`}
            onClick={() => void props.onRemove(group)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      )}
    </Group>
  );
}

/** A field for a name; it is cleared after saving. */
function NameForm(props: {
  label: string;
  button: string;
  value?: string;
  isInline?: boolean;
  onSave: (name: string) => Promise<void>;
  onCancel?: () => void;
}) {
  const [name, setName] = useState(props.value ?? '');
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = faultOf(name);
    setFault(wrong);
    if (wrong) return;
    setBusy(true);
    try {
      await props.onSave(name.trim());
      setName('');
    } catch (error) {
      const field = error instanceof ApiError ? error.errors.group_name?.[0] : undefined;
      if (field) setFault(`This ${field}`);
      else notifyFailed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form noValidate onSubmit={save}>
      <Group align="flex-start" gap="xs" wrap="nowrap">
        <TextInput
          {...(props.isInline ? { 'aria-label': props.label, autoFocus: true } : { label: props.label })}
          style={{ flex: 1, minWidth: 0 }}
          maxLength={100}
          value={name}
          error={fault}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setFault(null);
          }}
        />
        {props.isInline ? (
          <>
            <ActionIcon type="submit" size={36} loading={busy} aria-label={props.button}>
              <IconCheck size={16} />
            </ActionIcon>
            <ActionIcon variant="default" size={36} aria-label="Cancel" onClick={props.onCancel}>
              <IconX size={16} />
            </ActionIcon>
          </>
        ) : (
          <Button type="submit" loading={busy} mt={24}>
            {props.button}
          </Button>
        )}
      </Group>
    </form>
  );
}
