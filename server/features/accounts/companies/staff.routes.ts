import type { StaffNodeData } from '../../../../contract/accounts/staff.ts';
import type { StaffGiven, StaffRow } from './staff.service.ts';

type TF = 'T' | 'F';
const flag = (value: boolean): TF => (value ? 'T' : 'F');

/** The status of a user's invitation or sign-in at an instant. */
export function statusOf(row: StaffRow, at: Date): StaffNodeData['status'] {
  if (row.disabled_at) return 'removed';
  if (row.has_password) return 'active';
  return row.invited_until && row.invited_until > at ? 'invited' : 'expired';
}

/** Returns a user in wire form. */
export const staffToWire = (row: StaffRow, at: Date): StaffNodeData => ({
  id: row.id,
  company_id: row.company_id,
  user_type: row.role === 'sales' ? 'sales' : 'administrator',
  name: row.name,
  email: row.email,
  phonenum: row.phonenum,
  phone_country_code: row.phone_country,
  phone_country_calling_code: row.phone_calling,
  ClientRole: row.role === 'owner' ? 'owner' : (row.role_id ?? ''),
  role_name: row.role_name ?? '',
  defaultAdmin: flag(row.is_default_admin),
  customercare: flag(row.customer_care),
  adminGetNotification: flag(row.gets_notices),
  disabledreceivedemail: flag(row.mail_off),
  disabledaddcampaign: flag(row.campaigns_closed),
  permission_active: flag(row.permission_active),
  user_permissions: row.permissions.map((one) => ({ name: one.name, permission_active: flag(one.active) })),
  isAccExecutive: flag(row.is_account_executive),
  twoFactorAuth: row.factor ?? '',
  status: statusOf(row, at),
  invitation_expires_at:
    !row.has_password && !row.disabled_at ? (row.invited_until?.toISOString() ?? null) : null,
  created_at: row.created_at.toISOString(),
  removed_at: row.disabled_at?.toISOString() ?? null,
  version: row.version,
});

/** The input for a user, by its wire names. */
export interface StaffWire {
  userType: 'administrator' | 'sales';
  ClientFullName?: string | undefined;
  ClientEmail?: string | undefined;
  ClientPhone?: string | undefined;
  ClientPhoneCountryCode?: string | undefined;
  ClientPhoneCountryCallingCode?: string | undefined;
  ClientRole?: string | undefined;
  defaultAdmin?: TF | undefined;
  customercare?: TF | undefined;
  adminGetNotification?: TF | undefined;
  disabledreceivedemail?: TF | undefined;
  disabledaddcampaign?: TF | undefined;
  permission_active?: TF | undefined;
  user_permissions?: { name: string; permission_active: TF }[] | undefined;
  isAccExecutive?: TF | undefined;
  twoFactorAuth?: '' | 'email' | 'google' | undefined;
}

/** The same with the names of the service. */
export function staffFromWire(given: StaffWire): StaffGiven {
  const flags = {
    is_default_admin: given.defaultAdmin,
    customer_care: given.customercare,
    gets_notices: given.adminGetNotification,
    mail_off: given.disabledreceivedemail,
    campaigns_closed: given.disabledaddcampaign,
    permission_active: given.permission_active,
    is_account_executive: given.isAccExecutive,
  };
  return {
    type: given.userType,
    name: given.ClientFullName,
    email: given.ClientEmail,
    phone:
      given.ClientPhone === undefined
        ? undefined
        : {
            number: given.ClientPhone,
            country: given.ClientPhoneCountryCode ?? '',
            calling: given.ClientPhoneCountryCallingCode ?? '',
          },
    role: given.ClientRole,
    factor: given.twoFactorAuth,
    flags: Object.fromEntries(
      Object.entries(flags)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, value === 'T']),
    ),
    permissions: given.user_permissions?.map((one) => ({
      name: one.name,
      active: one.permission_active === 'T',
    })),
  };
}
