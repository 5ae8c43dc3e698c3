import { useEffect, useState } from 'react';
import { messages } from '../../contract/messages.ts';
import type { PhoneValue, PhoneWire } from './phone.types.ts';

/** phone.ts, which has the number plans. */
export type Phones = typeof import('./phone.ts');
let ready: Phones | undefined;
let coming: Promise<Phones> | undefined;

/** The number plans of all countries: some 50 KB, fetched when the first phone field is on its way. */
export function loadPhones(): Promise<Phones> {
  coming ??= import('./phone.ts').then(
    (module) => {
      ready = module;
      return module;
    },
    (error) => {
      // Offline, say: the next field tries again.
      coming = undefined;
      throw error;
    },
  );
  return coming;
}

/** The number plans once they are there. */
export function usePhones(): Phones | undefined {
  const [phones, setPhones] = useState(ready);
  useEffect(() => {
    if (!phones) loadPhones().then(setPhones, () => undefined);
  }, [phones]);
  return phones;
}

/** What the server knows of a number, for the input. */
export function ofWire(wire: Pick<PhoneWire, 'phonenum' | 'phone_country_code'>): PhoneValue {
  return { country: wire.phone_country_code, number: wire.phonenum };
}

/** A form's rule for a phone field. Until the number plans are there only what is missing is found. */
export function phoneFault(value: PhoneValue, required = false): string | null {
  if (!value.number.trim()) return required ? messages.phoneInvalid : null;
  if (ready) return ready.phoneResult(value).isValid ? null : messages.phoneInvalid;
  return value.country || value.number.trim().startsWith('+') ? null : messages.phoneInvalid;
}
