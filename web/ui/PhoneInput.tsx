import { Select, TextInput } from '@mantine/core';
import { type FocusEvent, type ReactNode, type Ref, useEffect, useMemo, useState } from 'react';
import { useVisitorCountry } from '../api/visitor.ts';
import classes from './PhoneInput.module.css';
import type { PhoneValue } from './phone.types.ts';
import { usePhones } from './usePhone.ts';

const NONE: PhoneValue = { country: '', number: '' };

export interface PhoneInputProps {
  /** Absent: empty. */
  value?: PhoneValue;
  onChange: (value: PhoneValue) => void;
  /** Called when neither field has the focus anymore. */
  onBlur?: () => void;
  /** The screen reader label of the pair; 'Phone' by default. */
  label?: string;
  required?: boolean;
  disabled?: boolean;
  error?: ReactNode;
  /** Ref to the number's input, to focus the first invalid field. */
  ref?: Ref<HTMLInputElement>;
  'data-path'?: string;
}

/**
 * A country and a number (spec product 2, 5). The country is the visitor's own until one is chosen; pasting a number
 * that includes its country code selects that country. Details about a number: `phoneResult` of phone.ts; the form's
 * validation rule: `phoneFault` of usePhone.ts.
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
  // Preselected, not imposed: the form's value changes only when the user types or chooses.
  const isUntouched = given.country === '' && given.number === '';
  const value = isUntouched && visitor ? { country: visitor, number: '' } : given;
  // Whoever types before the visitor's country is known gets it as soon as it is.
  const [isEarly, setEarly] = useState(false);
  useEffect(() => {
    if (!isEarly || !visitor || !phones) return;
    setEarly(false);
    if (given.country === '' && given.number !== '')
      onChange(phones.typed({ country: visitor, number: '' }, given.number));
  }, [isEarly, visitor, phones, given, onChange]);
  // While being edited, the number stays as typed; afterward, it is shown in its country's own format.
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
          onChange={(country) => {
            setEarly(false);
            if (phones) onChange(phones.withCountry(value, country ?? ''));
          }}
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
            if (isUntouched && !visitor) setEarly(true);
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

/**
 * The hint under its input. Its line is reserved even when it is empty, so that nothing below jumps when a hint
 * appears.
 */
function under(hint: string | undefined, hasError: boolean) {
  return {
    description: hint ?? (hasError ? undefined : '\u00a0'),
  };
}
