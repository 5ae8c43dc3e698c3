import '../../../ui/desk.css';
import '@mantine/dates/styles.css';
import { Group, Popover, SegmentedControl, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { dayWords } from '../../../ui/format.ts';
import classes from './RangePicker.module.css';
import type { Range } from './range.ts';

/** Selects 7, 30, or 90 days, or any range in a calendar up to `today`. */
export default function RangePicker(props: {
  range: Range & { days?: number };
  today: string;
  onDays: (days: number) => void;
  onRange: (range: Range) => void;
}) {
  const { range, today } = props;
  const [isOpen, setOpen] = useState(false);
  const [draft, setDraft] = useState<[string | null, string | null]>([range.start, range.end]);
  const end = dayWords(range.end, { month: 'short', day: 'numeric', year: 'numeric' });
  const words = range.start === range.end ? end : `${dayWords(range.start)} – ${end}`;
  return (
    <Group gap="xs" wrap="wrap">
      <SegmentedControl
        aria-label="Period"
        size="sm"
        value={range.days ? String(range.days) : ''}
        data={['7', '30', '90'].map((value) => ({ value, label: `${value} days` }))}
        onChange={(value) => props.onDays(Number(value))}
      />
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-end"
        shadow="md"
        trapFocus
        returnFocus
        onOpen={() => setDraft([range.start, range.end])}
      >
        <Popover.Target>
          <UnstyledButton className={classes.dates} onClick={() => setOpen(!isOpen)} aria-haspopup="dialog">
            <IconCalendar size={16} aria-hidden="true" />
            <VisuallyHidden>Choose dates, currently </VisuallyHidden>
            <span className="num">{words}</span>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown>
          <DatePicker
            type="range"
            allowSingleDateInRange
            firstDayOfWeek={0}
            weekendDays={[]}
            ariaLabels={{
              previousMonth: 'Previous month',
              nextMonth: 'Next month',
              previousYear: 'Previous year',
              nextYear: 'Next year',
              previousDecade: 'Previous decade',
              nextDecade: 'Next decade',
            }}
            maxDate={today}
            defaultDate={range.end}
            value={draft}
            onChange={(value) => {
              setDraft(value);
              const [start, end] = value;
              if (!start || !end) return;
              props.onRange({ start, end });
              setOpen(false);
            }}
          />
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
