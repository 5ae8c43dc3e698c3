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
  phone: row.phone,
  phone_country: row.phone_country,
  phone_calling: row.phone_calling,
  role: row.role === 'owner' ? 'owner' : (row.role_id ?? ''),
  role_name: row.role_name ?? '',
  is_default_admin: flag(row.is_default_admin),
  customer_care: flag(row.customer_care),
  gets_notices: flag(row.gets_notices),
  mail_off: flag(row.mail_off),
  campaigns_closed: flag(row.campaigns_closed),
  permission_active: flag(row.permission_active),
  user_permissions: row.permissions.map((one) => ({ name: one.name, permission_active: flag(one.active) })),
  is_account_executive: flag(row.is_account_executive),
  two_factor_auth_type: row.factor ?? '',
  status: statusOf(row, at),
  invitation_expires_at:
    !row.has_password && !row.disabled_at ? (row.invited_until?.toISOString() ?? null) : null,
  created_at: row.created_at.toISOString(),
  removed_at: row.disabled_at?.toISOString() ?? null,
  version: row.version,
});

/** The input for a user, by its wire names. */
export interface StaffWire {
  user_type: 'administrator' | 'sales';
  full_name?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  phone_country?: string | undefined;
  phone_calling?: string | undefined;
  role?: string | undefined;
  is_default_admin?: TF | undefined;
  customer_care?: TF | undefined;
  gets_notices?: TF | undefined;
  mail_off?: TF | undefined;
  campaigns_closed?: TF | undefined;
  permission_active?: TF | undefined;
  user_permissions?: { name: string; permission_active: TF }[] | undefined;
  is_account_executive?: TF | undefined;
  two_factor_auth_type?: '' | 'email' | 'google' | undefined;
}

/** The same with the names of the service. */
export function staffFromWire(given: StaffWire): StaffGiven {
  const flags = {
    is_default_admin: given.is_default_admin,
    customer_care: given.customer_care,
    gets_notices: given.gets_notices,
    mail_off: given.mail_off,
    campaigns_closed: given.campaigns_closed,
    permission_active: given.permission_active,
    is_account_executive: given.is_account_executive,
  };
  return {
    type: given.user_type,
    name: given.full_name,
    email: given.email,
    phone:
      given.phone === undefined
        ? undefined
        : {
            number: given.phone,
            country: given.phone_country ?? '',
            calling: given.phone_calling ?? '',
          },
    role: given.role,
    factor: given.two_factor_auth_type,
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
