import '@mantine/dates/styles.css';
import type { InputWrapperProps } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useId } from 'react';

export interface DayInputProps
  extends Pick<InputWrapperProps, 'label' | 'description' | 'error' | 'withAsterisk' | 'mt'> {
  /** The width of the input at most, in px; its help has the form's width. */
  maw?: number;
  /** A day as 'YYYY-MM-DD'; '' for none. Like the rest of a form's input props, it is there where it is used in one. */
  value?: string;
  onChange?: (value: string) => void;
  onBlur?: () => void;
  onFocus?: () => void;
  disabled?: boolean;
}

/** A day, chosen from a calendar or typed: 'Jan 5, 2027', '1/5/2027', or '2027-01-05'. */
export function DayInput({ value, onChange, maw, ...props }: DayInputProps) {
  const id = useId();
  return (
    <DateInput
      {...props}
      {...(maw ? { styles: { wrapper: { maxWidth: maw } } } : {})}
      id={id}
      value={value || null}
      onChange={(day) => onChange?.(day ?? '')}
      valueFormat="MMM D, YYYY"
      dateParser={dayTyped}
      placeholder="Any day"
      leftSection={<IconCalendar size={16} aria-hidden="true" />}
      clearable
      clearButtonProps={{ 'aria-label': 'Clear the day' }}
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
    />
  );
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Reads a typed day; null if it is none. */
export function dayTyped(text: string): string | null {
  const found =
    /^\s*(?<y>\d{4})-(?<m>\d{1,2})-(?<d>\d{1,2})\s*$/.exec(text) ??
    /^\s*(?<m>\d{1,2})\/(?<d>\d{1,2})\/(?<y>\d{4})\s*$/.exec(text) ??
    /^\s*(?<m>[a-z]{3,9})\.? (?<d>\d{1,2}),? (?<y>\d{4})\s*$/i.exec(text);
  if (!found) return null;
  const { y, m, d } = found.groups!;
  const month = /\d/.test(m!) ? Number(m) : MONTHS.indexOf(m!.slice(0, 3).toLowerCase()) + 1;
  const day = new Date(Date.UTC(Number(y), month - 1, Number(d)));
  const isReal = day.getUTCMonth() === month - 1 && day.getUTCDate() === Number(d);
  return month > 0 && isReal ? day.toISOString().slice(0, 10) : null;
}
