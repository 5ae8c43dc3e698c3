import { emailFault, fullNameFault } from '../../../../contract/accounts/company-rules.ts';
import type { StaffFilter, StaffNodeData } from '../../../../contract/accounts/staff.ts';
import type { PhoneValue } from '../../../ui/phone.types.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';
import { ofWire, phoneFault } from '../../../ui/usePhone.ts';

/** Which list: the administrators of the user's own company, or its salespeople (a root's, an agency's). */
export type StaffType = StaffNodeData['user_type'];
export type Person = StaffNodeData;

/** A person's switches, by their wire names. */
export const SWITCHES = [
  {
    name: 'is_default_admin',
    label: 'Default administrator',
    help: 'Receives notifications that everyone else has turned off. A company has one.',
    of: ['administrator'],
  },
  {
    name: 'customer_care',
    label: 'Customer care',
    help: 'Your company’s customers are given their name, email, and phone number for help.',
    of: ['administrator', 'sales'],
  },
  {
    name: 'gets_notices',
    label: 'Email notifications',
    help: 'About payments, limits, and balances.',
    of: ['administrator'],
  },
  {
    name: 'mail_off',
    label: 'No email',
    help: 'Only what their own account needs, such as sign-in codes.',
    of: ['administrator', 'sales'],
  },
  {
    name: 'campaigns_closed',
    label: 'Cannot add campaigns',
    help: 'Regardless of what their role allows.',
    of: ['administrator'],
  },
  {
    name: 'is_account_executive',
    label: 'Account executive',
    help: 'Sees the clients assigned to them in Client Management, edits them, and views as them.',
    of: ['sales'],
  },
] as const satisfies { name: keyof Person; label: string; help: string; of: StaffType[] }[];
export type SwitchName = (typeof SWITCHES)[number]['name'];

/** The form's values. Names match the calls', so that errors find their fields. */
export interface StaffValues extends Record<SwitchName, boolean> {
  full_name: string;
  email: string;
  phone: PhoneValue;
  /** 'owner', the id of a role, or ALL. */
  role: string;
  permission_active: boolean;
  report_analytics: boolean;
}

/** The select's value for an administrator without a role; the wire has an empty string. */
export const ALL = 'all';

/** Returns the form's initial values for a person; if undefined, for a new one. */
export function valuesOf(person: Person | undefined): StaffValues {
  const on = (name: SwitchName): boolean => person?.[name] === 'T';
  return {
    full_name: person?.name ?? '',
    email: person?.email ?? '',
    phone: person ? ofWire(person) : { country: '', number: '' },
    role: person?.role || ALL,
    is_default_admin: on('is_default_admin'),
    customer_care: on('customer_care'),
    gets_notices: person ? on('gets_notices') : true,
    mail_off: on('mail_off'),
    campaigns_closed: on('campaigns_closed'),
    is_account_executive: on('is_account_executive'),
    permission_active: person ? person.permission_active === 'T' : true,
    report_analytics:
      person?.user_permissions.some(
        (one) => one.name === 'report_analytics' && one.permission_active === 'T',
      ) ?? false,
  };
}

export const validate = {
  full_name: fullNameFault,
  email: emailFault,
  phone: (value: PhoneValue) => phoneFault(value, true),
};

const flag = (on: boolean) => (on ? ('T' as const) : ('F' as const));

/**
 * Returns the form in wire format, except for the phone. `has` says what the person can have at all: a switch that does
 * not exist for a role is not sent.
 */
export function toWire(values: StaffValues, type: StaffType, has: { permissions: boolean }) {
  const isOwner = values.role === 'owner';
  const switches = SWITCHES.filter((one) => (one.of as readonly StaffType[]).includes(type))
    .filter((one) => !(isOwner && one.name === 'campaigns_closed'))
    .map((one) => [one.name, flag(values[one.name])]);
  return {
    user_type: type,
    full_name: values.full_name.trim(),
    email: values.email.trim(),
    ...(type === 'administrator' ? { role: values.role === ALL ? '' : values.role } : {}),
    ...(Object.fromEntries(switches) as Partial<Record<SwitchName, 'T' | 'F'>>),
    ...(has.permissions
      ? {
          permission_active: flag(values.permission_active),
          user_permissions: [
            { name: 'report_analytics' as const, permission_active: flag(values.report_analytics) },
          ],
        }
      : {}),
  };
}

/** Describes what a person may do, for a list. */
export function roleWords(
  person: Pick<Person, 'user_type' | 'role' | 'role_name' | 'is_account_executive'>,
): string {
  if (person.user_type === 'sales')
    return person.is_account_executive === 'T' ? 'Account executive' : 'Sales representative';
  if (person.role === 'owner') return 'Owner';
  return person.role_name || 'All permissions';
}

export const STATUS: Record<Person['status'], { words: string; tone: Tone }> = {
  active: { words: 'Active', tone: 'good' },
  invited: { words: 'Invited', tone: 'info' },
  expired: { words: 'Invitation expired', tone: 'warn' },
  removed: { words: 'Removed', tone: 'plain' },
};

export const FACTOR_WORDS: Record<Person['two_factor_auth_type'], string> = {
  '': 'Off',
  email: 'Email',
  google: 'Authenticator',
};

export const FILTER_WORDS: Record<StaffFilter, string> = { removed: 'Removed', invited: 'Not signed in yet' };

/** Returns the filter in the address, if it is valid. */
export const filterIn = (text: string | undefined): StaffFilter | undefined =>
  text && Object.hasOwn(FILTER_WORDS, text) ? (text as StaffFilter) : undefined;
