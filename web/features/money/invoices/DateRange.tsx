import '@mantine/dates/styles.css';
import { DatePickerInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { dayWords } from '../../../ui/format.ts';

const SHORT = { month: 'short', day: 'numeric', year: 'numeric' } as const;
type Span = [string | null, string | null];

const shown = (label: string, [from, to]: Span): string => {
  if (!from) return '';
  const isSameYear = to?.slice(0, 4) === from.slice(0, 4);
  const start = dayWords(from.slice(0, 10), isSameYear ? undefined : SHORT);
  return `${label}: ${start} – ${to ? dayWords(to.slice(0, 10), SHORT) : '…'}`;
};

/** Selects any day or range of days, both ends included, up to `today`. */
export default function DateRange(props: {
  label: string;
  from: string | undefined;
  to: string | undefined;
  today: string;
  onChange: (from: string | undefined, to: string | undefined) => void;
}) {
  const { from, to } = props;
  const [draft, setDraft] = useState<Span>([from ?? null, to ?? null]);
  useEffect(() => setDraft([from ?? null, to ?? null]), [from, to]);
  return (
    <DatePickerInput
      type="range"
      placeholder={`${props.label}: any date`}
      leftSection={<IconCalendar size={16} aria-hidden="true" />}
      w={{ base: '100%', xs: 280 }}
      // The button's accessible name is the text it shows.
      valueFormatter={({ date }) => shown(props.label, date as Span)}
      firstDayOfWeek={0}
      weekendDays={[]}
      allowSingleDateInRange
      clearable
      clearButtonProps={{ 'aria-label': `${props.label}: any date` }}
      maxDate={props.today}
      ariaLabels={{
        previousMonth: 'Previous month',
        nextMonth: 'Next month',
        previousYear: 'Previous year',
        nextYear: 'Next year',
        previousDecade: 'Previous decade',
        nextDecade: 'Next decade',
      }}
      value={draft}
      onChange={(value) => {
        setDraft(value);
        const [start, end] = value;
        if (start && end) props.onChange(start, end);
        else if (!start && !end) props.onChange(undefined, undefined);
      }}
    />
  );
}
