import type pg from 'pg';

/**
 * Agencies whose developer agreement is accepted although its fee was never posted, in words. Reads only. `client` is
 * connected as a user who may become lead_owner.
 */
export async function acceptedUnpaid(client: pg.ClientBase): Promise<string[]> {
  await client.query('begin read only');
  try {
    await client.query('set local role lead_owner');
    const { rows } = await client.query<{ line: string }>(`
      select 'agency ' || c.id || ' (' || c.name || '), accepted ' || to_char(a.at at time zone 'UTC', 'YYYY-MM-DD') as line
      from company_billing b join company c on c.id = b.company_id
      join lateral (select max(accepted_at) as at from agreement_acceptance g
                    where g.company_id = b.company_id and g.document_type = 'developer'
                      and g.accepted_at >= coalesce(b.api_mode_since, '-infinity')) a on a.at is not null
      where b.api_mode and c.removed_at is null and not developer_fee_posted(c.id)
      order by a.at, c.id`);
    return rows.map((row) => row.line);
  } finally {
    await client.query('rollback');
  }
}
