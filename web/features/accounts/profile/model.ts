import type { SessionUser } from '../../../../contract/accounts/users.ts';
import { looksLikeEmail } from '../../../../contract/text.ts';
import { ApiError } from '../../../api/errors.ts';
import type { PhoneValue } from '../../../ui/phone.types.ts';
import { ofWire, type Phones, phoneFault } from '../../../ui/usePhone.ts';

/** A postal address as its form holds it. */
export interface Address {
  address: string;
  city: string;
  zip: string;
  country: string;
  state: string;
}

export interface DetailsValues extends Address {
  name: string;
  email: string;
  /** Required to change the email address. */
  current_password: string;
  phone: PhoneValue;
}

export interface CompanyValues extends Address {
  name: string;
  email: string;
  phone: PhoneValue;
}

/** Whether a user is the owner of their company and therefore manages its details. */
export function isOwner(user: Pick<SessionUser, 'grade'>): boolean {
  return user.grade.endsWith('.owner');
}

/** The user's own details (step 1). */
export function detailsOf(user: SessionUser): DetailsValues {
  return {
    name: user.name,
    email: user.email,
    current_password: '',
    phone: ofWire(user),
    address: user.address,
    city: user.city,
    zip: user.zip,
    country: user.country_code,
    state: user.state_code,
  };
}

/** The company's details (step 2). */
export function companyOf(user: SessionUser): CompanyValues {
  return {
    name: user.company_name,
    email: user.company_email,
    phone: ofWire({
      phone: user.company_phone,
      phone_country: user.company_country_code,
    }),
    address: user.company_address,
    city: user.company_city,
    zip: user.company_zip,
    country: user.company_country_code,
    state: user.company_state_code,
  };
}

/**
 * Returns the initial company details for the first time they are requested: whatever is already known about the owner
 * is not asked for again.
 */
export function companyStart(user: SessionUser): CompanyValues {
  const known = companyOf(user);
  const { address, city, zip, country, state, phone, email } = detailsOf(user);
  const hasAddress = Boolean(known.address || known.city || known.zip);
  return {
    ...known,
    email: known.email || email,
    phone: user.company_phone ? known.phone : phone,
    ...(hasAddress
      ? {}
      : { address, city, zip, country: country || known.country, state: state || known.state }),
  };
}

const tooLong = (value: string, max: number) =>
  value.trim().length > max ? `Use ${max} characters or fewer` : null;

function nameFault(what: 'Full Name' | 'Company Name') {
  return (value: string) =>
    !value.trim()
      ? `${what} is required.`
      : value.trim().length > 255
        ? `${what} must not exceed 255 characters.`
        : null;
}

/** Checks whether an email address is plausible; the server has the final say. */
export function emailFault(value: string, required: boolean): string | null {
  const text = value.trim();
  if (!text) return required ? 'Enter an email address' : null;
  if (text.length > 70) return 'Use 70 characters or fewer';
  return looksLikeEmail(text) ? null : 'Enter a valid email address';
}

/** The rules of an address. */
function addressRules(isNeeded: boolean) {
  const needed = (what: string, max: number) => (value: string) =>
    isNeeded && !value.trim() ? `Enter ${what}` : tooLong(value, max);
  return {
    address: needed('the street and number', 255),
    city: needed('the city', 120),
    zip: (value: string, values: Address) =>
      values.country === 'US' && value.trim() && !/^\d{5}(-\d{4})?$/.test(value.trim())
        ? 'Enter 5 digits, such as 60601'
        : needed('the ZIP code', 20)(value),
    country: (value: string) => (isNeeded && !value ? 'Choose a country' : null),
    // An address in the United States requires a state.
    state: (value: string, values: Address) =>
      values.country === 'US' && !value && (isNeeded || values.address.trim()) ? 'Choose a state' : null,
  };
}

/**
 * A contact method is required; where the person lives is optional.
 * @param email the current address; changing it requires the password
 */
export const detailsRules = (email: string) => ({
  name: nameFault('Full Name'),
  email: (value: string) => emailFault(value, true),
  current_password: (value: string, values: DetailsValues) =>
    isOther(values.email, email) && !value ? 'Enter your password' : null,
  phone: (value: PhoneValue) => phoneFault(value, true),
  ...addressRules(false),
});

/** Whether an address differs from the current one. */
export const isOther = (typed: string, email: string): boolean =>
  typed.trim().toLowerCase() !== email.toLowerCase();

/** @param isNeeded in the wizard, because bills include all of it */
export const companyRules = (isNeeded: boolean) => ({
  name: nameFault('Company Name'),
  email: (value: string) => emailFault(value, isNeeded),
  phone: (value: PhoneValue) => phoneFault(value, isNeeded),
  ...addressRules(isNeeded),
});

/** Whether the server holds what a step asks for, so that the wizard may go on. */
export function isComplete<Values extends object>(
  values: Values,
  rules: { [Key in keyof Values]?: (value: Values[Key], values: Values) => string | null },
): boolean {
  return (Object.keys(rules) as (keyof Values)[]).every((key) => !rules[key]?.(values[key], values));
}

/** Returns the fields of step 1 in wire format. */
export function detailsWire(values: DetailsValues, phones: Phones): Record<string, string> {
  return {
    name: values.name.trim(),
    email: values.email.trim().toLowerCase(),
    ...(values.current_password ? { current_password: values.current_password } : {}),
    ...phones.wireOf(values.phone),
    address: values.address.trim(),
    city: values.city.trim(),
    zip: values.zip.trim(),
    country_code: values.country,
    state_code: values.state,
  };
}

/** Returns the fields of step 2 in wire format. */
export function companyWire(values: CompanyValues, phones: Phones): Record<string, string> {
  return {
    company_name: values.name.trim(),
    company_email: values.email.trim().toLowerCase(),
    company_phone: phones.phoneResult(values.phone).e164 ?? '',
    company_address: values.address.trim(),
    company_city: values.city.trim(),
    company_zip: values.zip.trim(),
    company_country_code: values.country,
    company_state_code: values.state,
  };
}

/** Returns the errors of a refused step under the form's field names. */
export function inFormWords(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const name = (field: string): string => {
    const own = field.replace(/^company_/, '');
    if (own.startsWith('phone')) return 'phone';
    return own.replace(/^(country|state)_code$/, '$1');
  };
  const errors = Object.fromEntries(
    Object.entries(error.errors).map(([field, texts]) => [name(field), texts]),
  );
  return new ApiError(error.status, error.message, {
    errors,
    ...(error.requestId ? { requestId: error.requestId } : {}),
  });
}

/** The allowed picture formats. The server checks the file's content, no matter what the file claims to be. */
export const PICTURE = {
  types: ['image/png', 'image/jpeg', 'image/webp'],
  maxBytes: 2 * 1024 * 1024,
} as const;

/** Returns why a file is not accepted as a picture, before it is uploaded; null if it may be one. */
export function pictureFault(file: Pick<File, 'type' | 'size'>): string | null {
  if (!(PICTURE.types as readonly string[]).includes(file.type))
    return 'Choose a PNG, JPEG, or WebP picture. Other types, such as SVG, are not accepted.';
  if (file.size === 0) return 'This file is empty.';
  if (file.size > PICTURE.maxBytes)
    return `This picture is ${(file.size / 1024 / 1024).toFixed(1)} MB. Choose one up to 2 MB.`;
  return null;
}
