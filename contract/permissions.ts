/** Who somebody is: the kind of their company and their role in it. */
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

/** What each grade may do. The server's guards and the screens' buttons read this one table. */
export const PERMISSIONS = {
  'session.own': GRADES,
  'insight.read': [...roots, ...agencies, ...clients],
  'campaign.read': [...roots, ...agencies, ...clients],
  'campaign.write': [...agencies, ...clients],
  'campaign.price': agencies,
  'campaign.topup': agencies,
  'lead.read': [...roots, ...agencies, ...clients],
  'integration.read': [...roots, ...agencies, ...clients],
  'integration.write': [...agencies, ...clients],
  'people.import': roots,
  'client.list': [...roots, ...agencies],
  'company.list': [...roots, ...agencies],
  'view.switch': [...roots, ...agencies],
  'referral.read': [...roots, 'root.sales', ...agencies, 'agency.sales'],
  'setting.read': [...roots, ...agencies],
  'setting.write': [...roots, ...agencies],
  'person.read': [...roots, ...agencies, ...clients],
  'card.write': [...agencies, 'client.owner'],
  'account.write': agencies,
  'agreement.accept': [...agencies, ...clients],
} as const satisfies Record<string, readonly Grade[]>;

export type Permission = keyof typeof PERMISSIONS;

/** Whether a grade may. */
export function may(grade: Grade, permission: Permission): boolean {
  return (PERMISSIONS[permission] as readonly Grade[]).includes(grade);
}
