import { z } from 'zod';
import { Flag, Id, Instant } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { PhoneParts, UserPermission } from './users.ts';

/**
 * Who is responsible for a company; ids and names are empty where the role is not assigned (spec product 3, Agency
 * node).
 */
export const SalesOf = z.object({
  salesrep: z.string().describe('Sales representative'),
  salesrepid: z.string(),
  accountexecutive: z.string(),
  accountexecutiveid: z.string(),
  accountref: z.string().describe('Who referred the company'),
  accountrefid: z.string(),
});

/** What a filter of the people lists keeps; without a filter, they show everyone who has not been removed. */
export const STAFF_FILTERS = ['removed', 'invited'] as const;
export type StaffFilter = (typeof STAFF_FILTERS)[number];

/** The roles that can be assigned in addition to those in the role list. */
export const OWNER_ROLE = 'owner';
/** The permissions that can be given to one person (spec product 6). */
export const PERSONAL_PERMISSIONS = ['report_analytics'] as const;

/**
 * A member of a company as shown in the administrator and sales lists (spec product 2, 3 Client/user payload fields).
 */
export const StaffNode = z.object({
  id: Id,
  company_id: Id,
  user_type: z.enum(['administrator', 'sales']),
  name: z.string(),
  email: z.string(),
  ...PhoneParts.shape,
  ClientRole: z.string().describe("'owner'; a role ID; empty: full administrator access"),
  role_name: z.string(),
  defaultAdmin: Flag.describe('T: gets notifications that no one else gets'),
  customercare: Flag.describe("T: is the contact for the company's customers"),
  adminGetNotification: Flag.describe('T: is notified of money and limits by email'),
  disabledreceivedemail: Flag.describe('T: gets only the emails their own account needs'),
  disabledaddcampaign: Flag.describe('T: cannot add campaigns'),
  permission_active: Flag.describe('F: user_permissions are ignored'),
  user_permissions: z.array(UserPermission),
  isAccExecutive: Flag,
  twoFactorAuth: z.enum(['', 'email', 'google']).describe('The second factor they sign in with; empty: none'),
  status: z
    .enum(['active', 'invited', 'expired', 'removed'])
    .describe('expired: the invitation expired before it was used'),
  invitation_expires_at: Instant.nullable(),
  created_at: Instant,
  removed_at: Instant.nullable(),
  version: z.int().describe('Send it with the next update'),
});
export type StaffNodeData = Inside<z.output<typeof StaffNode>>;

/** What is entered for a person in addition to name and addresses; fields left out stay as they are. */
export const StaffFields = z.object({
  userType: z.enum(['administrator', 'sales']),
  ClientRole: z
    .union([z.literal(''), z.literal(OWNER_ROLE), Id], 'must be owner, a role ID, or empty')
    .optional(),
  defaultAdmin: Flag.optional(),
  customercare: Flag.optional(),
  adminGetNotification: Flag.optional(),
  disabledreceivedemail: Flag.optional(),
  disabledaddcampaign: Flag.optional(),
  permission_active: Flag.optional(),
  user_permissions: z
    .array(
      UserPermission.extend({
        name: z.enum(PERSONAL_PERMISSIONS, 'is not a permission that can be given individually'),
      }),
    )
    .max(PERSONAL_PERMISSIONS.length)
    .optional(),
  isAccExecutive: Flag.optional(),
});
