import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { groupsQuery } from './groups.queries.ts';
import type { CampaignFormState } from './model.ts';

/** The group of the user's own company that the campaign belongs to; renders nothing if there are no groups. */
export function GroupSelect({ form }: { form: CampaignFormState }) {
  const groups = useQuery(groupsQuery).data?.filter(({ id }) => id !== '');
  if (!groups?.length) return null;
  return (
    <Select
      label="Group"
      description="How your company organizes its campaigns."
      data={[
        { value: '', label: 'No group' },
        ...groups.map((one) => ({ value: one.id, label: one.group_name })),
      ]}
      allowDeselect={false}
      {...form.getInputProps('group_id')}
    />
  );
}
