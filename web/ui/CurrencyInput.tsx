import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { currencyPlain, currencyShown, currencyTyped, isBelow } from './currency.ts';

type CurrencyInputProps = Omit<
  TextInputProps,
  'value' | 'defaultValue' | 'onChange' | 'leftSection' | 'maw'
> & {
  /** The width of the input at most; absent: 240 px. */
  maw?: number | string;

  /** The amount as the calls take it, such as '1234.5'; '' if there is none. */
  value?: string;
  onChange: (amount: string) => void;
  /** The minimum that a lower amount is reset to when the field loses focus. */
  minimum?: string | undefined;
  /** An empty field stays empty; otherwise it becomes 0. */
  mayBeEmpty?: boolean;
};

const blocked = (event: { preventDefault: () => void }): void => event.preventDefault();

/**
 * A price in US dollars (spec product 5): digits and one decimal point only, otherwise it is reset to 0; formatted as
 * currency when the field loses focus; copy, cut, and paste are blocked.
 */
export function CurrencyInput(props: CurrencyInputProps) {
  const { value = '', onChange, minimum, mayBeEmpty = false, maw = 240, onFocus, onBlur, ...rest } = props;
  const [isFocused, setFocused] = useState(false);
  return (
    <TextInput
      leftSection="$"
      inputMode="decimal"
      autoComplete="off"
      // Only the input is narrow: its help has the form's width.
      styles={{ wrapper: { maxWidth: maw } }}
      {...rest}
      value={isFocused ? value : currencyShown(value)}
      onChange={(event) => onChange(currencyTyped(event.currentTarget.value))}
      onFocus={(event) => {
        setFocused(true);
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setFocused(false);
        const plain = currencyPlain(value) || (mayBeEmpty ? '' : '0');
        const next = plain !== '' && minimum && isBelow(plain, minimum) ? minimum : plain;
        if (next !== value) onChange(next);
        onBlur?.(event);
      }}
      onCopy={blocked}
      onCut={blocked}
      onPaste={blocked}
      onDrop={blocked}
    />
  );
}
