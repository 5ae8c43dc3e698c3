import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { TargetState, TemplateKind } from '../../../../contract/campaigns/template-fields.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type TemplateRow = Selectable<Schema['template']>;
export type VersionRow = Selectable<Schema['template_version']>;
export type PushRow = Selectable<Schema['template_push']>;
export type TargetRow = Selectable<Schema['template_target']>;

export const insertTemplate = async (tx: Tx, row: Insertable<Schema['template']>): Promise<void> =>
  void (await tx.insertInto('template').values(row).execute());
export const insertVersion = async (tx: Tx, row: Insertable<Schema['template_version']>): Promise<void> =>
  void (await tx.insertInto('template_version').values(row).execute());

export async function updateTemplate(tx: Tx, id: string, set: Updateable<Schema['template']>): Promise<void> {
  await tx.updateTable('template').set(set).where('id', '=', id).execute();
}

/** A template of a company; `lock` prevents others from changing it, or pushing it, in the meantime. */
export async function templateById(
  tx: Tx,
  companyId: string,
  id: string,
  lock = false,
): Promise<TemplateRow | undefined> {
  const query = tx
    .selectFrom('template')
    .selectAll()
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .where('removed_at', 'is', null);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** Templates as they are shown, with their last push. */
const shown = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('template as t')
    .leftJoin('user_account as u', 'u.id', 't.created_by')
    .leftJoinLateral(
      (join) =>
        join
          .selectFrom('template_push as p')
          .whereRef('p.template_id', '=', 't.id')
          .select(['p.state', 'p.created_at', 'p.version'])
          .orderBy('p.created_at', 'desc')
          .orderBy('p.id')
          .limit(1)
          .as('last'),
      (on) => on.onTrue(),
    )
    .where('t.company_id', '=', companyId)
    .where('t.removed_at', 'is', null);
const SHOWN = [
  'u.name as author_name',
  'last.state as push_state',
  'last.created_at as pushed_at',
  'last.version as pushed_version',
] as const;

export const shownById = (tx: Tx, companyId: string, id: string) =>
  shown(tx, companyId).selectAll('t').select(SHOWN).where('t.id', '=', id).executeTakeFirst();

export async function pageOf(
  tx: Tx,
  companyId: string,
  filter: { kind?: TemplateKind | undefined; search?: string | undefined },
  limit: number,
  offset: number,
) {
  let query = shown(tx, companyId);
  if (filter.kind) query = query.where('t.kind', '=', filter.kind);
  if (filter.search) query = query.where('t.name', 'ilike', patternOf(filter.search));
  const rows = await query
    .selectAll('t')
    .select(SHOWN)
    .orderBy('t.updated_at', 'desc')
    .orderBy('t.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { count } = await query.select(sql<number>`count(*)::float8`.as('count')).executeTakeFirstOrThrow();
  return { rows, total: count };
}

const patternOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** The newest versions of a template, with their authors. */
export const versionsOf = (tx: Tx, templateId: string, limit: number) =>
  tx
    .selectFrom('template_version as v')
    .leftJoin('user_account as u', 'u.id', 'v.created_by')
    .selectAll('v')
    .select('u.name as author_name')
    .where('v.template_id', '=', templateId)
    .orderBy('v.number', 'desc')
    .limit(limit)
    .execute();

export const versionOf = (tx: Tx, templateId: string, number: number): Promise<VersionRow | undefined> =>
  tx
    .selectFrom('template_version')
    .selectAll()
    .where('template_id', '=', templateId)
    .where('number', '=', number)
    .executeTakeFirst();

const pushes = (tx: Tx) =>
  tx
    .selectFrom('template_push as p')
    .leftJoin('user_account as u', 'u.id', 'p.created_by')
    .selectAll('p')
    .select('u.name as author_name');

export const pushesOf = (tx: Tx, templateId: string, limit: number) =>
  pushes(tx)
    .where('p.template_id', '=', templateId)
    .orderBy('p.created_at', 'desc')
    .orderBy('p.id')
    .limit(limit)
    .execute();

export const shownPush = (tx: Tx, companyId: string, id: string) =>
  pushes(tx).where('p.id', '=', id).where('p.company_id', '=', companyId).executeTakeFirst();

/** A push of a company; `lock` prevents its job and others from going on in the meantime. */
export async function pushById(tx: Tx, id: string, lock = false): Promise<PushRow | undefined> {
  const query = tx.selectFrom('template_push').selectAll().where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** Whether a push of a template is under way. */
export async function isPushing(tx: Tx, templateId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('template_push')
    .select('id')
    .where('template_id', '=', templateId)
    .where('state', 'in', ['running', 'paused', 'undoing'])
    .executeTakeFirst();
  return row !== undefined;
}

export const insertPush = async (tx: Tx, row: Insertable<Schema['template_push']>): Promise<void> =>
  void (await tx.insertInto('template_push').values(row).execute());
export async function updatePush(
  tx: Tx,
  id: string,
  set: Updateable<Schema['template_push']>,
): Promise<void> {
  await tx.updateTable('template_push').set(set).where('id', '=', id).execute();
}

export async function insertTargets(tx: Tx, rows: Insertable<Schema['template_target']>[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 500)
    await tx
      .insertInto('template_target')
      .values(rows.slice(i, i + 500))
      .execute();
}

/** The next target of a push that is in a state, in a stage up to this one. */
export const nextTarget = (
  tx: Tx,
  pushId: string,
  state: TargetState,
  stage: number,
): Promise<TargetRow | undefined> =>
  tx
    .selectFrom('template_target')
    .selectAll()
    .where('push_id', '=', pushId)
    .where('state', '=', state)
    .where('stage', '<=', stage)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();

/** A field of JSON as it is stored: pg would send a list as an array of the database. */
export const json = (value: unknown): string => JSON.stringify(value);

export async function updateTarget(
  tx: Tx,
  target: { push_id: string; position: number },
  set: Updateable<Schema['template_target']>,
  /** Only while it is still in this state. */
  from?: TargetState,
): Promise<void> {
  const query = tx
    .updateTable('template_target')
    .set(set)
    .where('push_id', '=', target.push_id)
    .where('position', '=', target.position);
  await (from ? query.where('state', '=', from) : query).execute();
}

/** What the fields of a target were after the template was last pushed to it, if that was not rolled back. */
export async function lastApplied(
  tx: Tx,
  templateId: string,
  targetId: string,
): Promise<Record<string, unknown> | null> {
  const row = await tx
    .selectFrom('template_target')
    .select('applied')
    .where('template_id', '=', templateId)
    .where('target_id', '=', targetId)
    .where('state', 'in', ['pushed', 'unchanged'])
    .orderBy('done_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.applied ?? null;
}

export async function targetsOf(tx: Tx, pushId: string, limit: number, offset: number) {
  const query = tx.selectFrom('template_target').where('push_id', '=', pushId);
  const rows = await query.selectAll().orderBy('position').limit(limit).offset(offset).execute();
  const { count } = await query.select(sql<number>`count(*)::float8`.as('count')).executeTakeFirstOrThrow();
  return { rows, total: count };
}

/** How many targets of pushes are in each state, by push. */
export async function countsOf(tx: Tx, pushIds: readonly string[]) {
  const counts = new Map<string, Partial<Record<TargetState, number>>>();
  if (pushIds.length === 0) return counts;
  const rows = await tx
    .selectFrom('template_target')
    .select(['push_id', 'state', sql<number>`count(*)::float8`.as('count')])
    .where('push_id', 'in', pushIds)
    .groupBy(['push_id', 'state'])
    .execute();
  for (const row of rows) counts.set(row.push_id, { ...counts.get(row.push_id), [row.state]: row.count });
  return counts;
}

/** What a template can be pushed to. */
export interface Possible {
  id: string;
  name: string;
  company_id: string;
  company_name: string;
  state: string;
}

/** The last push to a target, as a query of rows (number, at) for the target `id`. */
const lastPush = (templateId: string) => sql`
  left join lateral (
    select p.version as number, t.done_at as at from template_target t join template_push p on p.id = t.push_id
    where t.template_id = ${templateId} and t.target_id = x.id and t.state in ('pushed', 'unchanged')
    order by t.done_at desc limit 1) last on true`;

/** The companies or campaigns that a template can be pushed to: running and paused ones, of companies that are there. */
const possible = (template: { kind: TemplateKind; module: string | null; company_id: string }) =>
  template.kind === 'campaign'
    ? sql`(select k.id, '#' || k.number || ' ' || k.name as name, k.company_id, c.name as company_name, k.state
           from campaign k join company c on c.id = k.company_id
           where k.agency_id = ${template.company_id} and k.module = ${template.module}
             and k.state in ('active', 'paused') and c.removed_at is null)`
    : sql`(select c.id, c.name, c.id as company_id, c.name as company_name, '' as state
           from company c
           where c.kind in ('root', 'agency') and c.removed_at is null
             and (c.id = ${template.company_id} or c.parent_id = ${template.company_id}))`;

export async function possiblePage(
  tx: Tx,
  template: { id: string; kind: TemplateKind; module: string | null; company_id: string },
  search: string | undefined,
  limit: number,
  offset: number,
) {
  const matches = search
    ? sql`where x.name ilike ${patternOf(search)} or x.company_name ilike ${patternOf(search)}`
    : sql``;
  const { rows } = await sql<Possible & { pushed_version: number | null; pushed_at: Date | null }>`
    select x.*, last.number as pushed_version, last.at as pushed_at from ${possible(template)} x
    ${lastPush(template.id)} ${matches}
    order by lower(x.company_name), x.company_id, x.name, x.id limit ${limit} offset ${offset}`.execute(tx);
  const { rows: sums } = await sql<{ count: number }>`
    select count(*)::float8 as count from ${possible(template)} x ${matches}`.execute(tx);
  return { rows, total: sums[0]!.count };
}

/** Those of them with these ids, or all; the clients' in order. */
export async function possibleTargets(
  tx: Tx,
  template: { kind: TemplateKind; module: string | null; company_id: string },
  ids: readonly string[] | undefined,
  limit: number,
): Promise<Possible[]> {
  const among = ids ? sql`where x.id = any(${[...ids]}::uuid[])` : sql``;
  const { rows } = await sql<Possible>`
    select x.* from ${possible(template)} x ${among}
    order by lower(x.company_name), x.company_id, x.name, x.id limit ${limit}`.execute(tx);
  return rows;
}
