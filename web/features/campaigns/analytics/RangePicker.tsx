import '../../../ui/desk.css';
import { Group, Popover, SegmentedControl, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { dayWords } from '../../../ui/format.ts';
import { notifyFailed } from '../../../ui/notify.ts';
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
  // Opened only once it is there, since the focus moves into it.
  const [Calendar, setCalendar] = useState<typeof import('./RangeCalendar.tsx').default>();
  const toggle = async () => {
    const { default: calendar } = await import('./RangeCalendar.tsx');
    setCalendar(() => calendar);
    setOpen(!isOpen);
  };
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
      <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <UnstyledButton
            className={classes.dates}
            onClick={() => void toggle().catch(notifyFailed)}
            aria-haspopup="dialog"
          >
            <IconCalendar size={16} aria-hidden="true" />
            <VisuallyHidden>Choose dates, currently </VisuallyHidden>
            <span className="num">{words}</span>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown>
          {Calendar && (
            <Calendar
              range={range}
              today={today}
              onRange={(next) => {
                props.onRange(next);
                setOpen(false);
              }}
            />
          )}
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
