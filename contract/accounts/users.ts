import { z } from 'zod';
import { Flag, Id, Instant, Picture } from '../primitives.ts';
import type { Inside } from '../wire.ts';

/** Who is viewing as whom (spec product 4, View mode; BEY-12). */
const View = z.object({
  by_name: z.string(),
  as_name: z.string(),
  reason: z.string(),
  expires_at: Instant,
});

/** The user type as sent over the wire (spec product 6). */
export const UserType = z.enum(['user', 'userdownline', 'client', 'administrator', 'sales']);

/** A phone number in its parts; all empty if there is no number (PROF-03). */
export const PhoneParts = z.object({
  phonenum: z.string(),
  phone_country_code: z.string(),
  phone_country_calling_code: z.string(),
});

const Color = z.string().nullable();

/** The module names that a tenant shows and their page slugs; both empty where the module is off. */
export const ModulePairs = z.object({
  leadlocalname: z.string(),
  leadlocalurl: z.string(),
  leadlocatorname: z.string(),
  leadlocatorurl: z.string(),
  leadenhancename: z.string(),
  leadenhanceurl: z.string(),
  leadb2bname: z.string(),
  leadb2burl: z.string(),
  leadsimplifiname: z.string(),
  leadsimplifiurl: z.string(),
});

/**
 * A permission granted to one person in addition to their role (spec product 6); it counts while `permission_active` is
 * T.
 */
export const UserPermission = z.object({ name: z.string(), permission_active: Flag });

/** What a role may do in one module (ROLE-01). */
export const MODULE_NAMES = ['Ads Design', 'Campaign', 'LeadsPeek', 'Settings'] as const;
export const RoleModule = z.object({
  module_name: z.enum(MODULE_NAMES),
  enable_permission: Flag,
  create_permission: Flag,
  update_permission: Flag,
  delete_permission: Flag,
});
export type RoleModule = Inside<z.output<typeof RoleModule>>;

/** The state of a connected account (design domain, Setup states). Empty if there is no account. */
export const AccountState = z.enum(['', 'pending', 'inverification', 'completed', 'failed']);

/** The signed-in person (spec product 3, Session user). */
export const SessionUser = z.object({
  id: Id,
  name: z.string(),
  email: z.string(),
  user_type: UserType,
  user_type_ori: UserType.describe("In view mode, the actual user's type. Otherwise the same as user_type"),
  systemuser: z.boolean(),
  rootcomp: z.boolean(),
  is_master: z.boolean().describe('Whether this is the master root’s system'),
  isViewMode: z.boolean(),
  view: View.nullable().describe('null outside view mode'),
  user_permissions: z.array(UserPermission),
  user_permissions_view_mode: z
    .array(UserPermission)
    .describe('The permissions of the actual user, in view mode'),
  module_permissions: z.array(RoleModule).describe('One row per module. Owners have everything'),
  factor_needed: z
    .enum(['no', 'later', 'now'])
    .describe('Whether a second factor is required and missing. now: nothing else can be done first'),
  factor_from: Instant.nullable().describe('Since when, or starting when'),
  permission_active: Flag,
  profile_setup_completed: Flag,
  questionnaire_setup_completed: Flag,
  ip_login: z.string().nullable(),
  profile_pict: z.string().nullable().describe('The URL of the picture'),
  ...PhoneParts.shape,
  address: z.string(),
  city: z.string(),
  zip: z.string(),
  country_code: z.string(),
  state_code: z.string(),
  company_id: Id,
  company_kind: z.enum(['root', 'agency', 'client']),
  company_name: z.string(),
  company_logo: z.string().nullable(),
  company_phone: z.string(),
  company_email: z.string(),
  company_address: z.string(),
  company_city: z.string(),
  company_zip: z.string(),
  company_state_code: z.string(),
  company_country_code: z.string(),
  company_parent: Id.nullable(),
  company_root_id: Id,
  companyparentname: z.string(),
  companyparentlogo: z.string().nullable(),
  shown_logo: Picture.describe('The logo of the company; for a client without one, its agency’s'),
  industry_id: z.string(),
  industry_name: z.string(),
  franchize: Flag,
  franchizedirector: Flag,
  officemanager: Flag,
  team: z.object({ name: z.string(), email: z.string(), phone: z.string() }),
  contact: z.object({ name: z.string(), email: z.string(), phone: z.string() }),
  role_id: Id.nullable(),
  role_name: z.string(),
  isAccExecutive: Flag,
  customer_card_id: z.string().describe('Empty if no card is on file'),
  manual_bill: Flag,
  leadspeek_type: z.string().describe("The modules of the account, such as 'local|locator'"),
  status_acc: AccountState.describe("The agency's connected account. For a client, its agency's"),
  charges_enabled: z.boolean(),
  payouts_enabled: z.boolean(),
  box_bgcolor: Color,
  text_color: Color,
  link_color: Color,
  template_bgcolor: Color,
  sidebar_bgcolor: Color,
  font_theme: Color,
  time_zone: z.string(),
  grade: z.string(),
  ...ModulePairs.shape,
});
export type SessionUser = Inside<z.output<typeof SessionUser>>;
