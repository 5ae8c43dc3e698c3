import { useEffect, useState } from 'react';
import { messages } from '../../contract/messages.ts';
import type { PhoneValue, PhoneWire } from './phone.types.ts';

/** The module phone.ts, which contains the number plans. */
export type Phones = typeof import('./phone.ts');
let ready: Phones | undefined;
let coming: Promise<Phones> | undefined;

/** The number plans of all countries: about 50 KB, loaded when the first phone field is about to appear. */
export function loadPhones(): Promise<Phones> {
  coming ??= import('./phone.ts').then(
    (module) => {
      ready = module;
      return module;
    },
    (error) => {
      // For example, when offline: the next field tries again.
      coming = undefined;
      throw error;
    },
  );
  return coming;
}

/** Returns the number plans once they are loaded. */
export function usePhones(): Phones | undefined {
  const [phones, setPhones] = useState(ready);
  useEffect(() => {
    if (!phones) loadPhones().then(setPhones, () => undefined);
  }, [phones]);
  return phones;
}

/** Converts the server's data for a number to the input's value. */
export function ofWire(wire: Pick<PhoneWire, 'phone' | 'phone_country'>): PhoneValue {
  return { country: wire.phone_country, number: wire.phone };
}

/** A form's validation rule for a phone field. Until the number plans are loaded, it detects only missing numbers. */
export function phoneFault(value: PhoneValue, required = false): string | null {
  if (!value.number.trim()) return required ? messages.phoneInvalid : null;
  if (ready) return ready.phoneResult(value).isValid ? null : messages.phoneInvalid;
  return value.country || value.number.trim().startsWith('+') ? null : messages.phoneInvalid;
}
