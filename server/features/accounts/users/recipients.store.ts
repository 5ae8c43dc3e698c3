import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import type { ModuleRight } from './role.policy.ts';

/** A user to whom something is emailed regularly, and what decides what they may see. */
export interface Recipient {
  user_id: string;
  user_name: string;
  email: string;
  /** The company has turned off emails to them. */
  is_blocked: boolean;
  role: 'owner' | 'administrator';
  rights: ModuleRight[] | null;
  company_id: string;
  company_name: string;
  kind: 'client' | 'agency';
  root_id: string;
  agency_id: string;
  time_zone: string;
}

/** A recipient's columns, of a user `u` and their company `c`. */
export const recipientColumns = sql`
  u.id as user_id, u.name as user_name, u.email, u.mail_off as is_blocked, u.role, rights_of(u.id) as rights,
  c.id as company_id, c.name as company_name, c.kind, c.root_id, c.agency_id, c.time_zone`;

/** Whether they can be one: owners and administrators of clients and agencies that are there. */
export const canReceive = sql<boolean>`u.disabled_at is null and u.role in ('owner', 'administrator')
  and c.kind in ('client', 'agency') and c.removed_at is null
  and not exists (select from company g where g.id = c.agency_id and g.removed_at is not null)`;

/** Someone of a root or an agency on whose behalf a job works. */
export type Worker = Omit<Recipient, 'kind' | 'agency_id'> & {
  kind: 'root' | 'agency';
  agency_id: string | null;
};

const isWorker = sql<boolean>`u.disabled_at is null and u.role in ('owner', 'administrator')
  and c.kind in ('root', 'agency') and c.removed_at is null`;

/** An owner or administrator of a root or an agency who may still sign in; undefined: they may not. */
export async function workerOf(tx: Tx, userId: string): Promise<Worker | undefined> {
  const { rows } = await sql<Worker>`
    select ${recipientColumns} from user_account u join company c on c.id = u.company_id
    where u.id = ${userId} and ${isWorker}`.execute(tx);
  return rows[0];
}

/** All of them of a root or an agency, by name. */
export async function workersOf(tx: Tx, companyId: string): Promise<Worker[]> {
  const { rows } = await sql<Worker>`
    select ${recipientColumns} from user_account u join company c on c.id = u.company_id
    where c.id = ${companyId} and ${isWorker} order by u.name, u.id`.execute(tx);
  return rows;
}
