import { type Grade, mayPerson, type Permission } from '../accounts/permissions.ts';
import type { RoleModule } from '../accounts/users.ts';

// Lists and rules shared by server and browser: no schema here, so that none is sent to the browser.

/**
 * What a key can be allowed to do, and which of its creator's permissions each scope needs. No scope moves money: there
 * is none for a card, a balance, a top-up or a payment (docs/decisions/0191-developer-keys.md).
 */
export const API_SCOPES = {
  'campaigns.read': { label: 'View campaigns', needs: ['campaign.read'] },
  'campaigns.write': { label: 'Create and edit campaigns', needs: ['campaign.create', 'campaign.write'] },
  'leads.read': { label: 'View leads and the people found', needs: ['lead.read'] },
  'clients.read': { label: 'View clients', needs: ['client.list', 'company.list'] },
  'clients.write': { label: 'Create and edit clients', needs: ['company.create', 'company.write'] },
  'keywords.read': { label: 'View keyword counts', needs: ['campaign.read'] },
  'keywords.write': { label: 'Request keyword counts', needs: ['campaign.write'] },
  'exclusions.read': { label: 'View exclusion lists', needs: ['exclusion.read'] },
  'exclusions.write': { label: 'Edit exclusion lists', needs: ['exclusion.write'] },
  'statements.read': { label: 'View statements and invoices', needs: ['statement.read', 'invoice.read'] },
  'wallet.read': { label: 'View the Data Wallet', needs: ['wallet.read'] },
  'deliveries.read': { label: 'View deliveries', needs: ['integration.read'] },
  'webhooks.write': { label: 'Manage webhooks', needs: ['integration.read', 'integration.write'] },
  'sso.write': { label: 'Sign clients in', needs: ['client.list', 'view.switch'] },
  'tools.write': { label: 'Let AI assistants make changes', needs: [] },
} as const satisfies Record<string, { label: string; needs: readonly Permission[] }>;

export type ApiScope = keyof typeof API_SCOPES;
export const SCOPE_NAMES = Object.keys(API_SCOPES) as [ApiScope, ...ApiScope[]];
/** The scopes that a key has only if someone chooses them: the first key, which has all others, does without. */
export const CHOSEN_SCOPES: readonly ApiScope[] = ['sso.write', 'tools.write'];

export const KEY_MODES = ['live', 'test'] as const;
/** How long the previous secret stays valid, in minutes: not at all, an hour, a day, a week. */
export const OVERLAPS = [0, 60, 1440, 10_080] as const;
/** What the page offers, in days; null for no expiration. */
export const EXPIRIES = [30, 90, 180, 365, null] as const;
/** The maximum number of keys per company. */
export const MOST_KEYS = 50;
/** The lifetime of a key's access token, in seconds. */
export const TOKEN_SECONDS = 3600;

/** Why a key does not work; active means it does. */
export const KEY_STATES = ['active', 'disabled', 'expired', 'orphaned', 'off', 'unpaid'] as const;

/** Whether a person has all the permissions that a scope needs. */
export const mayScope = (grade: Grade, rows: readonly RoleModule[] | null, scope: ApiScope): boolean =>
  API_SCOPES[scope].needs.every((permission) => mayPerson(grade, rows, permission));
