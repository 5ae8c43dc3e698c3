import { Checkbox, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type Hours, WEEKDAYS } from '../../../../contract/campaigns/rules.ts';
import { zoneWords } from '../../../ui/zone.ts';

/** What is proposed when hours are turned on. */
const OFFICE: Hours = { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' };

/** When something is sent: at any time (null), or on some days from one time to another. */
export function HoursFields(props: {
  value: Hours | null;
  /** What happens at other times. */
  description: string;
  timeZone: string;
  /** What is wrong with 'days', 'from', or 'to'. */
  wrong: (field: string) => string | undefined;
  onChange: (hours: Hours | null) => void;
}) {
  const { value: hours, wrong, onChange } = props;
  return (
    <>
      <Switch
        label="Send only at certain times"
        description={props.description}
        checked={hours !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? OFFICE : null)}
      />
      {hours && (
        <Stack gap="sm" mt="sm">
          <Checkbox.Group
            label="Days"
            value={hours.days.map(String)}
            error={wrong('days')}
            onChange={(days) => onChange({ ...hours, days: days.map(Number) })}
          >
            <Group gap="md" mt={4} mb={4}>
              {WEEKDAYS.map((name, at) => (
                <Checkbox key={name} value={String(at + 1)} label={name} />
              ))}
            </Group>
          </Checkbox.Group>
          <Group gap="sm" align="flex-start">
            <TextInput
              label="From"
              type="time"
              w={140}
              value={hours.from}
              error={wrong('from')}
              onChange={(event) => onChange({ ...hours, from: event.currentTarget.value })}
            />
            <TextInput
              label="To"
              type="time"
              w={140}
              value={hours.to}
              error={wrong('to')}
              onChange={(event) => onChange({ ...hours, to: event.currentTarget.value })}
            />
          </Group>
          <Text size="sm" c="dimmed">
            {hours.to < hours.from && 'It ends on the following day. '}
            Times are in the client’s time zone, {zoneWords(props.timeZone)}.
          </Text>
        </Stack>
      )}
    </>
  );
}
