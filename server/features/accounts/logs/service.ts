import type { z } from 'zod';
import {
  LOG_USER_TYPES,
  type LogFilter,
  type LogUserType,
  MOST_LOG_ROWS,
  SAVED_ACTIONS,
  type SavedAction,
} from '../../../../contract/accounts/logs.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Inside } from '../../../../contract/wire.ts';
import { CSV_BOM, csvLine } from '../../../platform/csv.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { plainAddress } from '../../../platform/geo.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit, LogChain } from '../audit/index.ts';
import { BAD_ACTIVITY } from '../auth/index.ts';
import type { Tenants } from '../tenants/index.ts';
import * as store from './store.ts';

type Filter = Inside<z.output<typeof LogFilter>>;

const MOST_FOUND = 50;
/** Maximum rows of a file. Larger ones are refused, never cut off. */
const MOST_ROWS = 100_000;
const STEP = 2000;
const SAVES: LimitRule = { name: 'log.save', max: 60, base: 60, cap: 3600, window: 3600 };
const HEAD = [
  'Name',
  'User Type',
  'Location',
  'IP Address',
  'Action',
  'Description',
  'Company Name',
  'Created at',
];

export type Logs = ReturnType<typeof createLogs>;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** The user log for those whose it is: filters, the integrity of each row, and the log as a file. */
export function createLogs(
  { db }: Platform,
  {
    audit,
    limits,
    logChain,
    tenants,
  }: { audit: Audit; limits: Limits; logChain: LogChain; tenants: Tenants },
) {
  /** The company whose log is asked for, in the scope, and the filters as instants. @throws Refusal 404 */
  async function resolved(tx: Tx, ctx: Ctx, filter: Filter) {
    const company = (await tenants.company(tx, filter.company_id ?? ctx.actor.companyId)) ?? missing();
    const start = (day: string, plus: number) =>
      new Date(
        Temporal.PlainDate.from(day).add({ days: plus }).toZonedDateTime({ timeZone: company.time_zone })
          .epochMilliseconds,
      );
    const [first, last] = filter.range ?? [];
    const of: store.LogOf = { id: company.id, kind: company.kind };
    const asked: store.LogAsked = {
      category: filter.action,
      user_type: filter.user_type,
      user_id: filter.user_id,
      campaign_id: filter.campaign_id,
      from: first ? start(first, 0) : undefined,
      before: last ? start(last, 1) : undefined,
    };
    return { of, asked, rootId: company.root_id };
  }
  const shown = (row: store.LogEntry) => ({
    id: row.id,
    name: row.name ?? '',
    type_user: row.type_user ?? '',
    location: row.location,
    user_ip: row.ip && plainAddress(row.ip),
    action: row.action,
    description: row.description ?? '',
    company_name: row.company_name ?? '',
    created_at: row.created_at.toISOString(),
    suspicious: BAD_ACTIVITY.has(row.action),
  });

  return {
    /** A page of a log, newest first, with whether each row is still as it was sealed. @throws Refusal 404 */
    async list(ctx: Ctx, filter: Filter, page: { limit: number; offset: number }) {
      const { rows, total, rootId } = await inScope(db.app, ctx.scope, async (tx) => {
        const { of, asked, rootId } = await resolved(tx, ctx, filter);
        return {
          // Beyond what is counted there is no page, however it is asked for.
          rows:
            page.offset < MOST_LOG_ROWS
              ? await store.logPart(tx, of, asked, page.limit, { offset: page.offset })
              : [],
          total: await store.logCount(tx, of, asked, MOST_LOG_ROWS),
          rootId,
        };
      });
      const seals = await logChain.sealsOf(
        rootId,
        rows.map(({ id }) => id),
      );
      return { rows: rows.map((row) => ({ ...shown(row), seal: seals.get(row.id)! })), total };
    },

    /** Users who can have acted in a log. @throws Refusal 404 */
    users: (ctx: Ctx, filter: Filter & { search: string }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { of } = await resolved(tx, ctx, filter);
        const rows = await store.users(tx, of, filter, MOST_FOUND);
        return rows.map(({ kind, ...row }) => ({
          ...row,
          type_user: LOG_USER_TYPES[(kind === 'agency' ? 'admin' : kind) as LogUserType],
        }));
      }),

    /** Campaigns that a log can be narrowed to. @throws Refusal 404 */
    campaigns: (ctx: Ctx, filter: Filter & { search?: string | undefined }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { of } = await resolved(tx, ctx, filter);
        const rows = await store.campaigns(tx, of, filter.search ?? '', MOST_FOUND);
        return rows.map((row) => ({ ...row, number: Number(row.number) }));
      }),

    /** The lines of a log as CSV. @throws Refusal 404, 422 if it has too many rows for a file */
    async exportLines(ctx: Ctx, filter: Filter): Promise<{ rows: number; lines: AsyncGenerator<string> }> {
      const { of, asked, rows } = await inScope(db.app, ctx.scope, async (tx) => {
        const given = await resolved(tx, ctx, filter);
        return { ...given, rows: await store.logCount(tx, given.of, given.asked, MOST_ROWS + 1) };
      });
      if (rows > MOST_ROWS) throw new Refusal('invalid', ownMessages.tooMuchToExport(MOST_ROWS));
      async function* lines() {
        yield CSV_BOM + csvLine(HEAD);
        for (let after: store.LogEntry | undefined; ; ) {
          const last = after;
          const part = await inScope(db.app, ctx.scope, (tx) =>
            store.logPart(tx, of, asked, STEP, last ? { after: last } : { offset: 0 }),
          );
          for (const row of part.map(shown))
            yield csvLine([
              row.name,
              row.type_user,
              row.location,
              row.user_ip,
              row.action,
              row.description,
              row.company_name,
              row.created_at,
            ]);
          after = part.at(-1);
          if (part.length < STEP) return;
        }
      }
      return { rows, lines: lines() };
    },

    /** Records what a page alone knows, in words that the server chooses. @throws Refusal 404, 429 */
    async save(ctx: Ctx, action: SavedAction, id: string): Promise<void> {
      await limits.take(SAVES, ctx.actor.userId);
      const { kind, words } = SAVED_ACTIONS[action];
      await inScope(db.app, ctx.scope, async (tx) => {
        const { name, ...owner } = (await store.ownerOfThing(tx, kind, id)) ?? missing();
        await audit.record(tx, ctx, {
          action,
          objectKind: kind,
          objectId: id,
          description: `${words}: ${name}`,
          owner,
        });
      });
    },
  };
}
