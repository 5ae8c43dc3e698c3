import type { RoleModule } from './users.ts';

/** A user's grade: the kind of their company and their role in it. */
export const GRADES = [
  'root.owner',
  'root.administrator',
  'root.sales',
  'agency.owner',
  'agency.administrator',
  'agency.sales',
  'client.owner',
  'client.administrator',
] as const;
export type Grade = (typeof GRADES)[number];

const roots = ['root.owner', 'root.administrator'] as const;
const agencies = ['agency.owner', 'agency.administrator'] as const;
const clients = ['client.owner', 'client.administrator'] as const;
/**
 * Salespeople, limited to what is in their care; the services behind these calls enforce that
 * (docs/decisions/0050-sales.md).
 */
const sales = ['root.sales', 'agency.sales'] as const;

/** What each grade may do. The server's guards and the screens' buttons both read this table. */
export const PERMISSIONS = {
  'session.own': GRADES,
  // A user's own account: sessions, ways to sign in, profile. In view mode also a matter of the viewer's role.
  'account.own': GRADES,
  'insight.read': [...roots, ...agencies, ...clients],
  'campaign.read': [...roots, ...agencies, ...clients],
  'campaign.create': [...agencies, ...clients],
  'campaign.write': [...agencies, ...clients],
  'campaign.remove': [...agencies, ...clients],
  'campaign.price': agencies,
  'campaign.topup': agencies,
  // A root has no campaigns of its own to design banners for.
  'banner.read': [...roots, ...agencies, ...clients],
  'banner.create': [...agencies, ...clients],
  'banner.write': [...agencies, ...clients],
  'banner.remove': [...agencies, ...clients],
  // Sign-ups that a client forged would give it strangers' contact data, so a client cannot release sign-ups.
  'visit.release': [...roots, ...agencies],
  'prepaid.read': [...roots, ...agencies, ...clients],
  'prepaid.buy': [...agencies, 'client.owner'],
  'prepaid.refund': agencies,
  'lead.read': [...roots, ...agencies, ...clients],
  // What one's own company charged: a root its agency, an agency its client.
  'lead.refund': [...roots, ...agencies],
  'credit.grant': [...roots, ...agencies],
  'return.open': clients,
  // An approved return refunds the agency's money.
  'return.decide': agencies,
  'return.quality': [...roots, ...agencies],
  'integration.read': [...roots, ...agencies, ...clients],
  'integration.write': [...agencies, ...clients],
  'people.import': roots,
  'people.merge': roots,
  'exclusion.read': [...roots, ...agencies, ...clients],
  'exclusion.write': [...roots, ...agencies, ...clients],
  'optout.write': roots,
  // Requests made at one's own host. Only the root decides: they concern its whole graph.
  'privacy.read': [...roots, ...agencies],
  'privacy.decide': roots,
  // Templates of campaigns and of branding. Pushing also requires campaign.write or setting.write.
  'template.read': [...roots, ...agencies],
  'template.write': [...roots, ...agencies],
  'statement.read': [...roots, ...agencies, ...clients],
  'cap.read': [...roots, ...agencies, ...clients],
  'cap.write': [...agencies, ...clients],
  'client.list': [...roots, ...agencies],
  'company.list': [...roots, ...agencies],
  'company.create': [...roots, ...agencies],
  'company.write': [...roots, ...agencies, ...sales],
  'company.remove': [...roots, ...agencies],
  // Everything about a company in one file: owners only.
  'company.export': ['root.owner', 'agency.owner'],
  // Someone else’s archive becomes companies of the root.
  'company.import': ['root.owner'],
  // An agency's own clients: it refunds the agency's money.
  'client.offboard': agencies,
  // Whose client someone is: both agencies and the client’s owner agree.
  'client.transfer': [...agencies, 'client.owner'],
  'view.switch': [...roots, ...agencies, ...sales],
  'referral.read': [...roots, 'root.sales', ...agencies, 'agency.sales'],
  'cost.read': [...roots, ...agencies],
  'cost.write': roots,
  // A root's administrators also need report_analytics, a permission of their own (spec product 6).
  'report.read': [...roots, ...agencies],
  'report.root': roots,
  'report.agency': agencies,
  // What a root requires of one agency.
  'cost.agency': [...roots, 'root.sales'],
  'setting.read': [...roots, ...agencies],
  'setting.write': [...roots, ...agencies],
  // The calls for one setting, which require setting.read and setting.write unless the setting is also open to sales.
  'setting.get': [...roots, ...agencies, 'root.sales'],
  'setting.save': [...roots, ...agencies, 'root.sales'],
  // Code that runs in other people's browsers: anyone who may write it can do whatever those people can.
  'embed.write': ['root.owner', 'agency.owner'],
  // What owners' accounts depend on: the mail server and the domain used for their links and codes, and the second
  // factor.
  'owner.write': ['root.owner', 'agency.owner'],
  // The keys of a root's accounts with data vendors.
  'data.source': roots,
  'document.read': [...roots, ...agencies],
  'questionnaire.own': [
    'root.owner',
    'root.administrator',
    'root.sales',
    'agency.owner',
    'agency.administrator',
    'agency.sales',
  ],
  'person.read': [...roots, ...agencies, ...clients],
  'root.list': roots,
  'root.create': roots,
  'person.list': [...roots, ...agencies, ...clients],
  'person.create': [...roots, ...agencies, ...clients],
  'person.write': [...roots, ...agencies, ...clients],
  // The call that changes companies and people; it also requires person.write for people and company.write for
  // companies.
  'user.write': [...roots, ...agencies, ...clients, ...sales],
  'person.remove': [...roots, ...agencies, ...clients],
  'role.read': [...roots, ...agencies, ...clients],
  'role.create': [...roots, ...agencies, ...clients],
  'role.update': [...roots, ...agencies, ...clients],
  'role.remove': [...roots, ...agencies, ...clients],
  'invoice.read': [...roots, ...agencies, ...clients],
  'invoice.write': [...roots, ...agencies],
  'invoice.pay': [...agencies, 'client.owner'],
  'subscription.write': [...roots, 'agency.owner'],
  'card.read': [...agencies, ...clients],
  'card.write': [...agencies, 'client.owner'],
  'card.direct': ['client.owner'],
  'account.write': agencies,
  // The agency's account at the card provider; salespeople have one each.
  'account.connect': [...agencies, 'root.sales', 'agency.sales'],
  // The agency's owner, who stands for the agency itself (spec calls 6: user or userdownline).
  'wallet.read': ['agency.owner'],
  'wallet.write': ['agency.owner'],
  'developer.keys': ['agency.owner'],
  'sales.assign': [...roots, ...agencies],
  'sales.downline': ['root.sales', 'agency.sales'],
  'view.log': ['agency.owner', 'client.owner'],
  // The outbox of a platform without a mail server; in the demo the owners of agencies and clients read theirs.
  'mail.read': ['root.owner', 'agency.owner', 'client.owner'],
  // How long data is kept, on the whole platform: the master root's owner.
  'retention.write': ['root.owner'],
  // Background jobs that were set aside.
  'job.read': roots,
  'job.write': roots,
  // What the provider paid out to the bank: for an agency from its account, for a root from its own.
  'payout.read': [...roots, ...agencies],
  'payment.read': roots,
  'payment.mend': roots,
  'agreement.accept': [...agencies, ...clients],
  // The agreements of one's own company, and their files.
  'agreement.read': [...roots, ...agencies, ...clients],
} as const satisfies Record<string, readonly Grade[]>;

export type Permission = keyof typeof PERMISSIONS;

/** Whether a grade has a permission. */
export function may(grade: Grade, permission: Permission): boolean {
  return (PERMISSIONS[permission] as readonly Grade[]).includes(grade);
}

type ModuleName = RoleModule['module_name'];
type Action = 'enable' | 'create' | 'update' | 'delete';

/**
 * How a permission maps to the rows of a role (ROLE-01): the module and the action in it; null if no row limits it. An
 * administrator with a role may do only what its rows allow, and never more than their grade allows.
 */
export const MODULE_PERMISSIONS: Record<Permission, readonly [ModuleName, Action] | null> = {
  'session.own': null,
  // Nobody's role limits their own account; in view mode, `mayInView`.
  'account.own': null,
  'insight.read': ['LeadsPeek', 'enable'],
  'campaign.read': ['Campaign', 'enable'],
  'campaign.create': ['Campaign', 'create'],
  'campaign.write': ['Campaign', 'update'],
  'campaign.remove': ['Campaign', 'delete'],
  'campaign.price': ['Campaign', 'update'],
  'campaign.topup': ['Campaign', 'update'],
  'banner.read': ['Ads Design', 'enable'],
  'banner.create': ['Ads Design', 'create'],
  'banner.write': ['Ads Design', 'update'],
  'banner.remove': ['Ads Design', 'delete'],
  'visit.release': ['Campaign', 'update'],
  'prepaid.read': ['Campaign', 'enable'],
  'prepaid.buy': ['Campaign', 'update'],
  'prepaid.refund': ['Campaign', 'update'],
  'lead.read': ['LeadsPeek', 'enable'],
  'lead.refund': ['LeadsPeek', 'update'],
  'credit.grant': ['Settings', 'update'],
  'return.open': ['LeadsPeek', 'update'],
  'return.decide': ['LeadsPeek', 'update'],
  'return.quality': ['LeadsPeek', 'enable'],
  'integration.read': ['Campaign', 'enable'],
  'integration.write': ['Campaign', 'update'],
  'people.import': ['Settings', 'create'],
  'people.merge': ['Settings', 'update'],
  'exclusion.read': ['Campaign', 'enable'],
  'exclusion.write': ['Campaign', 'update'],
  'optout.write': ['Settings', 'update'],
  'privacy.read': ['Settings', 'enable'],
  'privacy.decide': ['Settings', 'update'],
  'template.read': ['Settings', 'enable'],
  'template.write': ['Settings', 'update'],
  'statement.read': ['LeadsPeek', 'enable'],
  'cap.read': ['Campaign', 'enable'],
  'cap.write': ['Campaign', 'update'],
  // Only ids and names: campaign pages use it to choose a client.
  'client.list': null,
  // As 'account.own'.
  'questionnaire.own': null,
  'document.read': ['Settings', 'enable'],
  'sales.assign': ['Settings', 'update'],
  // Only for salespeople, who have no role with rows.
  'sales.downline': null,
  'view.log': ['Settings', 'enable'],
  'person.read': ['Settings', 'enable'],
  'root.list': ['Settings', 'enable'],
  'root.create': ['Settings', 'create'],
  // The call that lists companies and people; it also requires company.list for companies.
  'person.list': ['Settings', 'enable'],
  'person.create': ['Settings', 'create'],
  'person.write': ['Settings', 'update'],
  'user.write': ['Settings', 'update'],
  'person.remove': ['Settings', 'delete'],
  'role.read': ['Settings', 'enable'],
  'role.create': ['Settings', 'create'],
  'role.update': ['Settings', 'update'],
  'role.remove': ['Settings', 'delete'],
  'invoice.read': ['Settings', 'enable'],
  'invoice.write': ['Settings', 'update'],
  'invoice.pay': ['Settings', 'update'],
  'subscription.write': ['Settings', 'update'],
  'card.read': ['Settings', 'enable'],
  'card.write': ['Settings', 'update'],
  'card.direct': ['Settings', 'update'],
  'mail.read': ['Settings', 'enable'],
  'retention.write': ['Settings', 'update'],
  'job.read': ['Settings', 'enable'],
  'job.write': ['Settings', 'update'],
  'payout.read': ['Settings', 'enable'],
  'payment.read': ['Settings', 'enable'],
  'payment.mend': ['Settings', 'update'],
  'account.write': ['Settings', 'update'],
  'account.connect': ['Settings', 'update'],
  'wallet.read': ['Settings', 'enable'],
  'wallet.write': ['Settings', 'update'],
  'developer.keys': ['Settings', 'enable'],
  'agreement.accept': ['Settings', 'update'],
  'agreement.read': ['Settings', 'enable'],
  'company.list': ['Settings', 'enable'],
  'company.create': ['Settings', 'create'],
  'company.write': ['Settings', 'update'],
  'company.remove': ['Settings', 'delete'],
  'company.export': ['Settings', 'enable'],
  'company.import': ['Settings', 'create'],
  'client.offboard': ['Settings', 'delete'],
  'client.transfer': ['Settings', 'delete'],
  'view.switch': ['Settings', 'enable'],
  'referral.read': ['Settings', 'enable'],
  'cost.read': ['Settings', 'enable'],
  'cost.write': ['Settings', 'update'],
  // Given to people, not to roles; an agency's also require cost.read.
  'report.read': null,
  'report.root': null,
  'report.agency': null,
  'cost.agency': ['Settings', 'update'],
  'setting.read': ['Settings', 'enable'],
  'setting.write': ['Settings', 'update'],
  'setting.get': ['Settings', 'enable'],
  'setting.save': ['Settings', 'update'],
  'embed.write': ['Settings', 'update'],
  'owner.write': ['Settings', 'update'],
  'data.source': ['Settings', 'update'],
};

/** Permissions that are worth another: who decides where leads are sent can read them there. */
const AS_GOOD_AS: Partial<Record<Permission, Permission>> = { 'integration.write': 'lead.read' };

const allows = (rows: readonly RoleModule[], module: ModuleName, action: Action): boolean => {
  const row = rows.find((one) => one.module_name === module);
  return row?.enable_permission === 'T' && row[`${action}_permission`] === 'T';
};

/**
 * Whether a person has a permission: by their grade and, for administrators, also by the rows of their role. The
 * server's guard and the screens' buttons both use this. `rows` is null if no role limits them.
 */
export function mayPerson(grade: Grade, rows: readonly RoleModule[] | null, permission: Permission): boolean {
  if (!may(grade, permission)) return false;
  const needed = MODULE_PERMISSIONS[permission];
  const other = AS_GOOD_AS[permission];
  return (!rows || !needed || allows(rows, ...needed)) && (!other || mayPerson(grade, rows, other));
}

/**
 * Whether a view reaches the account of the user who is viewed: like settings, which it takes the role of both users to
 * read or change. `rows` are those that limit either.
 */
export const mayInView = (
  rows: readonly RoleModule[] | null,
  permission: Permission,
  action: 'read' | 'write',
): boolean =>
  (permission !== 'account.own' && permission !== 'questionnaire.own') ||
  !rows ||
  allows(rows, 'Settings', action === 'read' ? 'enable' : 'update');

/**
 * What salespeople see of a company in view mode: its campaigns, leads and results, like one of its administrators,
 * but not its settings, people and payments. They cannot change anything (docs/decisions/0194-what-sales-may-do.md).
 */
export const SALES_VIEW: readonly RoleModule[] = (
  ['Ads Design', 'Campaign', 'LeadsPeek', 'Settings'] as const
).map((module_name) => ({
  module_name,
  enable_permission: module_name === 'Settings' ? 'F' : 'T',
  create_permission: 'F',
  update_permission: 'F',
  delete_permission: 'F',
}));

/**
 * What they can read there. A permission that is not listed is closed to them whatever the rows say: statements, limits,
 * balances, purchases, and everything that belongs to the user whose view it is (`session.own`), except for calls whose
 * meta says `salesView`.
 */
const SALES_VIEW_READS: readonly Permission[] = [
  'insight.read',
  'campaign.read',
  'banner.read',
  'lead.read',
  'integration.read',
  'exclusion.read',
  'client.list',
];
export const inSalesView = (permission: Permission): boolean => SALES_VIEW_READS.includes(permission);

/** Whether the user of a session has a permission, in the view that they are in; for the screens. */
export const mayUser = (
  user: {
    grade: string;
    module_permissions: readonly RoleModule[] | null;
    in_view_mode: boolean;
    true_user_type: string;
  },
  permission: Permission,
): boolean =>
  mayPerson(user.grade as Grade, user.module_permissions, permission) &&
  (!(user.in_view_mode && user.true_user_type === 'sales') || inSalesView(permission));

/** Which settings actions a person has: the buttons to save, add and delete (spec product 6). */
export const settingMenu = (rows: readonly RoleModule[] | null) => ({
  settings_update: !rows || allows(rows, 'Settings', 'update'),
  settings_create: !rows || allows(rows, 'Settings', 'create'),
  settings_delete: !rows || allows(rows, 'Settings', 'delete'),
});

/**
 * What an offboarding, or the giving side of a transfer, does in the name of whoever starts it or agrees to it: each of
 * these must be allowed by hand as well.
 */
export const OFFBOARDING_NEEDS = [
  'client.offboard',
  'campaign.write',
  'prepaid.refund',
  'integration.write',
] as const satisfies Permission[];
export const TRANSFER_NEEDS = [
  'client.transfer',
  'campaign.write',
  'prepaid.refund',
] as const satisfies Permission[];
