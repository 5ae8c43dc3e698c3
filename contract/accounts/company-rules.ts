import { messages } from '../messages.ts';

// Rules for an agency's or client's fields, shared by server and screens (spec product 5). No schema here, so that none
// is sent to the browser.

/** The maximum length of a company name, full name or organization id, in characters as people count them. */
export const NAME_MAX = 255;
/** The maximum length of an email address. */
export const EMAIL_MAX = 70;

/** Counts characters as the database does: an emoji is one. */
export const lengthOf = (text: string): number => [...text].length;

/** What is wrong with a company's name; null if nothing. */
export function companyNameFault(text: string): string | null {
  const name = text.trim();
  if (!name) return messages.companyNameRequired;
  return lengthOf(name) > NAME_MAX ? messages.companyNameLong : null;
}

/** What is wrong with an owner's full name; null if nothing. */
export function fullNameFault(text: string): string | null {
  const name = text.trim();
  if (!name) return messages.fullNameRequired;
  return lengthOf(name) > NAME_MAX ? messages.fullNameLong : null;
}

/** What is wrong with an email address; null if nothing. The server checks addresses more strictly. */
export function emailFault(text: string): string | null {
  const email = text.trim();
  if (!email) return messages.emailRequired;
  if (email.length > EMAIL_MAX) return messages.emailLong;
  return /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(email) ? null : messages.emailInvalid;
}

/**
 * What is wrong with a subdomain (spec product 5); null if nothing. Only the server knows which ones are reserved or
 * taken.
 */
export function subdomainShape(text: string): string | null {
  const label = text.trim();
  if (label === '') return 'is required';
  if (!/^[a-z0-9-]+$/i.test(label)) return 'must have only letters, digits, and hyphens';
  if (label.length > 63) return 'must not exceed 63 characters';
  if (label.startsWith('-') || label.endsWith('-')) return 'must not start or end with a hyphen';
  return null;
}

/** Why an onboarding charge cannot be this amount (spec product 5); null if it can. */
export function onboardingFault(text: string): string | null {
  if (!/^-?\d{1,9}(\.\d*)?$/.test(text)) return messages.onboardInvalid;
  const amount = Number(text);
  if (amount < 0) return messages.onboardNegative;
  if (amount > 0 && amount <= 0.5) return messages.onboardTooLow;
  // Step 0.01.
  return /\.\d{2}0*[1-9]/.test(text) ? messages.onboardInvalid : null;
}

/** The colors of the API developer icon (spec product 4), and what each says. */
export type ApiColor = 'orange' | 'green' | 'blue' | 'gray';

/** Color and text of the API developer icon, by the five rules of the specification. */
export function apiIcon(row: { api_mode: 'T' | 'F'; developer_agreed: 'T' | 'F'; has_api_key: boolean }): {
  color: ApiColor;
  words: string;
} {
  if (row.api_mode === 'T') {
    if (row.developer_agreed !== 'T')
      return {
        color: 'orange',
        words: 'Developer menu enabled, but service agreement and payment not complete',
      };
    return row.has_api_key
      ? { color: 'green', words: 'API key generated, all developer features available' }
      : { color: 'blue', words: 'Developer menu enabled, no API key generated yet' };
  }
  return row.has_api_key
    ? { color: 'orange', words: 'API key generated, but the developer menu is disabled' }
    : { color: 'gray', words: 'API developer mode is inactive' };
}
