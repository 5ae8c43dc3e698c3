import { Select, TextInput } from '@mantine/core';
import { type FocusEvent, type ReactNode, type Ref, useMemo, useState } from 'react';
import { useVisitorCountry } from '../api/visitor.ts';
import classes from './PhoneInput.module.css';
import type { PhoneValue } from './phone.types.ts';
import { usePhones } from './usePhone.ts';

const NONE: PhoneValue = { country: '', number: '' };

export interface PhoneInputProps {
  /** Absent: empty. */
  value?: PhoneValue;
  onChange: (value: PhoneValue) => void;
  /** When neither field has the focus any more. */
  onBlur?: () => void;
  /** What the pair is called by a screen reader; 'Phone'. */
  label?: string;
  required?: boolean;
  disabled?: boolean;
  error?: ReactNode;
  /** Goes to the number's input, for the focus on the first wrong field. */
  ref?: Ref<HTMLInputElement>;
  'data-path'?: string;
}

/**
 * A country and a number (spec product 2, 5). The country is the visitor's own until one is chosen; a pasted number
 * that names its country chooses it. What is known of a number: `phoneResult` of phone.ts; the form's rule:
 * `phoneFault` of usePhone.ts.
 */
export function PhoneInput(props: PhoneInputProps) {
  const { onChange, required, error } = props;
  const given = props.value ?? NONE;
  const phones = usePhones();
  const visitor = useVisitorCountry(given.country === '');
  const data = useMemo(
    () =>
      (phones?.countries() ?? []).map(({ code, name, callingCode }) => ({
        value: code,
        label: `${name} (${callingCode})`,
      })),
    [phones],
  );
  // Preselected, not imposed: what the form holds changes only when somebody types or chooses.
  const isUntouched = given.country === '' && given.number === '';
  const value = isUntouched && visitor ? { country: visitor, number: '' } : given;
  // While it is written the number stays as it is typed; afterward it stands in its country's own writing.
  const [isWriting, setWriting] = useState(false);
  const shown = phones && !isWriting ? phones.tidied(value) : value;
  const hint = phones?.hintOf(value) ?? {};
  const leave = (event: FocusEvent<HTMLElement>) => {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    props.onBlur?.();
  };
  return (
    <fieldset className={classes.group} aria-label={props.label ?? 'Phone'} onBlur={leave}>
      <div className={classes.row}>
        <Select
          label="Country code"
          placeholder={phones ? 'Choose country' : 'Loading countries'}
          data={data}
          value={phones && shown.country ? shown.country : null}
          onChange={(country) => phones && onChange(phones.withCountry(value, country ?? ''))}
          searchable
          clearable={!required}
          withAsterisk={required ?? false}
          disabled={props.disabled ?? false}
          error={Boolean(hint.country && error)}
          nothingFoundMessage="No matching country"
          autoComplete="off"
          maxDropdownHeight={260}
          {...under(hint.country, false)}
          clearButtonProps={{ 'aria-label': 'Clear country code' }}
        />
        <TextInput
          ref={props.ref}
          type="tel"
          label="Phone number"
          autoComplete="tel"
          maxLength={40}
          withAsterisk={required ?? false}
          required={required ?? false}
          disabled={props.disabled ?? false}
          value={shown.number}
          onFocus={() => setWriting(true)}
          onBlur={() => setWriting(false)}
          onChange={(event) => {
            const text = event.currentTarget.value;
            onChange(phones ? phones.typed(value, text) : { ...value, number: text });
          }}
          error={error}
          data-path={props['data-path']}
          {...under(hint.number, Boolean(error))}
        />
      </div>
    </fieldset>
  );
}

/** The hint under its input, whose line is kept while nothing stands in it: nothing below jumps when something comes. */
function under(hint: string | undefined, hasError: boolean) {
  return {
    description: hint ?? (hasError ? undefined : '\u00a0'),
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as (
      | 'label'
      | 'input'
      | 'description'
      | 'error'
    )[],
  };
}
