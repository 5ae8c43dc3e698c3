import { Ctx } from '../server/platform/ctx.ts';
import { newId } from '../server/platform/ids.ts';
import type { Result } from './import.ts';
import { median, openStage } from './stage.ts';

const SIZE = { full: 10_000_000, short: 500_000 };
const CLIENTS = 50;
const TIMES = 15;

/**
 * A page of an agency's log under each filter beside the same rows by their ids, as the superuser. Rare things are rare:
 * one row in 10,000 is of the platform's people, and of one campaign. Fails when a filter finds other rows.
 */
export async function benchLogs(options: { full?: boolean } = {}): Promise<Result[]> {
  const size = options.full ? SIZE.full : SIZE.short;
  const stage = await openStage();
  try {
    const { make, features } = stage;
    const root = await make.root();
    const agency = await make.agency(root, { host: 'agency.test' });
    const owner = await make.user(agency, {});
    const clients = [];
    for (let at = 0; at < CLIENTS; at++) clients.push(await make.client(agency));
    const rare = await make.user(root, {});
    const campaign = await make.campaign(clients[0]!);
    const began = performance.now();
    // Ids in the order of time, as the product makes them.
    await stage.admin.query(
      `insert into user_log (id, root_id, agency_id, company_id, actor_id, action, object_kind, object_id, detail_hash, created_at)
       select (lpad(to_hex(ms), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid, $1, $2,
         ($3::uuid[])[n % ${CLIENTS} + 1], case when n % 10000 = 7 then $4::uuid else $5::uuid end,
         case when n % 1000 = 3 then 'card.saved' when n % 3 = 0 then 'login' else 'campaign.update' end,
         'campaign', case when n % 10000 = 11 then $6 else 'another' end, '', to_timestamp(ms / 1000.0)
       from (select n, (extract(epoch from now()) * 1000)::bigint - n * 500::bigint as ms from generate_series(1, ${size}) n) t`,
      [root.id, agency.id, clients.map(({ id }) => id), rare.id, owner.id, campaign.id],
    );
    await stage.admin.query(
      `insert into user_log_detail (log_id, root_id, agency_id, company_id, name, type_user, description)
       select id, root_id, agency_id, company_id, 'Ada', case when actor_id = $1 then 'root.owner' else 'agency.owner' end, 'Changed something'
       from user_log`,
      [rare.id],
    );
    await stage.admin.query('vacuum analyze user_log, user_log_detail');
    console.log(`logs: ${size} rows filled in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    const place = { rootId: root.id, agencyId: agency.id, companyId: agency.id, kind: 'agency' as const };
    const ctx = new Ctx({
      tenant: { ...place, host: 'agency.test', companyName: 'Agency', timeZone: 'UTC' },
      actor: {
        ...place,
        userId: owner.id,
        sessionId: '',
        grade: 'agency.owner',
        isAccountExecutive: false,
        modules: null,
        trueActor: null,
      },
      requestId: newId(new Date()),
      clock: stage.platform.clock,
      ip: '127.0.0.1',
      userAgent: '',
      origin: '',
    });
    const filters = {
      none: [{}, 'true'],
      'a category': [{ action: 'money' as const }, `l.action = 'card.saved'`],
      'a type of user': [{ user_type: 'root' as const }, `l.actor_id = '${rare.id}'`],
      'a user': [{ user_id: rare.id }, `l.actor_id = '${rare.id}'`],
      'a campaign': [{ campaign_id: campaign.id }, `l.object_id = '${campaign.id}'`],
    } as const;
    const results: Result[] = [];
    for (const [name, [filter, where]] of Object.entries(filters)) {
      const { rows } = await stage.admin.query<{ id: string }>(
        `select id from user_log l where ${where} order by created_at desc limit 10`,
      );
      const ids = rows.map(({ id }) => id);
      const bare = () =>
        stage.admin.query(
          `select l.*, d.*, n.log_id from user_log l join user_log_detail d on d.log_id = l.id
             left join log_unsealed n on n.log_id = l.id where l.id = any($1) order by l.created_at desc`,
          [ids],
        );
      const ours = async () =>
        (await features.logs.list(ctx, filter, { limit: 10, offset: 0 })).rows.map(({ id }) => id);
      if ((await ours()).join() !== ids.join())
        throw new Error(`logs: ${name}: other rows than the bare SQL's`);
      const times = { ours: [] as number[], bare: [] as number[] };
      for (let time = 0; time < TIMES; time++)
        for (const [side, work] of [
          ['bare', bare],
          ['ours', ours],
        ] as const) {
          const start = performance.now();
          await work();
          times[side].push(performance.now() - start);
        }
      console.log(
        `logs: ${name}: ${median(times.ours).toFixed(1)} ms, by ids ${median(times.bare).toFixed(1)} ms`,
      );
      const [limit, mine] = [1000 / median(times.bare), 1000 / median(times.ours)];
      results.push({
        name: `pages of the user log (${name})`,
        limit,
        ours: mine,
        ratio: mine / limit,
        target: 0.08,
      });
    }
    return results;
  } finally {
    await stage.close();
  }
}
