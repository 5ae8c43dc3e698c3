import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * The roles of every installation; no one connects as them. They belong to the cluster, and its databases share them.
 */
const ROLES = ['lead_owner', 'lead_app', 'lead_ingest', 'lead_root', 'lead_agency', 'lead_client'];

/** The database's role lacks rights that it cannot grant itself; the message contains the SQL that grants them. */
export class MissingRights extends Error {
  override name = 'MissingRights';
}

/** A requirement: whether it is met, and the statement that fulfills it. */
interface Need {
  /** A query of one row and one column, true if nothing has to be done; without one, the statement always runs. */
  fits?: string;
  sql: string;
  /** What an administrator has to run if `sql` is refused; the same if omitted. */
  byAdministrator?: string;
}

/** The connected role, and what it is connected to. */
export interface Connected {
  /** Quoted. */
  role: string;
  version: number;
}

/** Returns which role `client` is connected as. */
export async function whoIs(client: pg.Client): Promise<Connected> {
  const { rows } = await client.query(`select rolname, current_setting('server_version_num')::int as version
    from pg_roles where rolname = current_user`);
  return { role: pg.escapeIdentifier(rows[0].rolname), version: rows[0].version };
}

/**
 * Creates the roles of an installation and what lead_owner needs in this database. Changes nothing that is already
 * right, so a role that owns the database and may create roles is enough, and starts after the first do not even need
 * that.
 * @throws MissingRights
 */
export async function makeRoles(client: pg.Client): Promise<void> {
  const me = await whoIs(client);
  const needs: Need[] = ROLES.map((role) => ({
    fits: `select exists (select from pg_roles where rolname = '${role}')`,
    sql: `create role ${role} nologin`,
    byAdministrator: `alter role ${me.role} createrole`,
  }));
  // From version 16 on, the creator of a role may grant it to others, but can neither switch to it nor use its rights
  // without an explicit grant.
  if (me.version >= 160000)
    needs.push({
      fits: `select pg_has_role('lead_owner', 'set') and pg_has_role('lead_owner', 'usage')`,
      sql: `grant lead_owner to ${me.role} with inherit true, set true`,
    });
  else
    needs.push(
      { fits: `select pg_has_role('lead_owner', 'member')`, sql: `grant lead_owner to ${me.role}` },
      { fits: `select pg_has_role('lead_owner', 'usage')`, sql: `alter role ${me.role} inherit` },
    );
  for (const role of ['lead_root', 'lead_agency', 'lead_client'])
    needs.push({ fits: isGranted('lead_app', role), sql: `grant lead_app to ${role}` });
  needs.push(
    {
      fits: `select exists (select from pg_extension where extname = 'pg_trgm')`,
      sql: 'create extension if not exists pg_trgm',
    },
    {
      fits: `select has_schema_privilege('lead_owner', 'public', 'create') and has_schema_privilege('lead_owner', 'public', 'usage')`,
      sql: 'grant all on schema public to lead_owner',
    },
    {
      fits: `select has_database_privilege('lead_owner', current_database(), 'create')`,
      sql: `grant create on database ${pg.escapeIdentifier(client.database!)} to lead_owner`,
    },
  );
  await meet(client, needs);
}

/**
 * Fulfills each requirement that is not met.
 * @throws MissingRights with the SQL for everything that is refused
 */
export async function meet(client: pg.Client, needs: Need[]): Promise<void> {
  const missing = new Set<string>();
  for (const { fits, sql, byAdministrator = sql } of needs) {
    try {
      await settled(async () => {
        if (fits && (await holds(client, fits))) return;
        await client.query(sql);
        // Without the right to, GRANT only warns.
        if (fits && !(await holds(client, fits))) missing.add(byAdministrator);
      });
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === '42501') missing.add(byAdministrator);
      // Of a role that could not be made: that is on the list.
      else if (code !== '42704' || missing.size === 0) throw error;
    }
  }
  if (missing.size === 0) return;
  const { role } = await whoIs(client);
  throw new MissingRights(
    `DATABASE_URL: the role ${role} lacks permissions. Ask a server administrator to run this in the database ` +
      `${client.database}, then start again:\n\n${[...missing].map((sql) => `  ${sql};`).join('\n')}\n`,
  );
}

/** A query for `fits`: whether `role` has been granted to `member`. */
export const isGranted = (role: string, member: string): string =>
  `select exists (select from pg_auth_members where roleid = to_regrole('${role}') and member = to_regrole('${member}'))`;

async function holds(client: pg.Client, query: string): Promise<boolean> {
  const { rows } = await client.query({ text: query, rowMode: 'array' });
  return rows[0]?.[0] === true;
}

/**
 * Roles belong to the cluster, but the advisory lock belongs to one database: if another database sets up the same role
 * at the same moment, one of the two is refused and tries again.
 */
async function settled(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const raced = code === '23505' || code === '42710' || /tuple concurrently updated/.test(message);
      if (!raced || attempt === 20) throw error;
      await sleep(attempt * 5);
    }
  }
}
