import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

/** A page of a company's user log, newest first, and how many rows it has. */
export async function pageOfLog(tx: Tx, companyId: string, limit: number, offset: number) {
  const rows = await tx
    .selectFrom('user_log as l')
    .innerJoin('user_log_detail as d', 'd.log_id', 'l.id')
    .select([
      'l.id',
      'l.action',
      'l.created_at',
      'd.name',
      'd.type_user',
      'd.location',
      'd.description',
      'd.company_name',
    ])
    .select(sql<string | null>`host(d.user_ip)`.as('ip'))
    .where('l.company_id', '=', companyId)
    .orderBy('l.created_at', 'desc')
    .orderBy('l.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await tx
    .selectFrom('user_log')
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
