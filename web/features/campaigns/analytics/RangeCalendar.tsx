import '@mantine/dates/styles.css';
import { DatePicker } from '@mantine/dates';
import { useState } from 'react';
import type { Range } from './range.ts';

/** A calendar for a range of days up to `today`. Comes when it is opened: calendars weigh 12 KB. */
export default function RangeCalendar(props: {
  range: Range;
  today: string;
  onRange: (range: Range) => void;
}) {
  const { range, today } = props;
  const [draft, setDraft] = useState<[string | null, string | null]>([range.start, range.end]);
  return (
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
        if (start && end) props.onRange({ start, end });
      }}
    />
  );
}
