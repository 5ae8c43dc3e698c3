import { inScope } from '../server/platform/db/scope.ts';
import type { Result } from './import.ts';
import { openStage } from './stage.ts';

const CLIENTS = 20;
const ALERTS_EACH = 50;
const LEADS = 100_000;
const STEP = 2_000;
const ROUNDS = 3;

/**
 * Decides which of 1,000 alerts tell of 100,000 leads in batches, beside the bare join of the same batches. Fails when other people are told of
 * than the join finds.
 */
export async function benchAlerts(): Promise<Result> {
  const stage = await openStage();
  try {
    const { make, features } = stage;
    const root = await make.root();
    const agency = await make.agency(root, { host: 'agency.test' });
    for (let i = 0; i < CLIENTS; i++) await make.campaign(await make.client(agency));
    // Alerts are about the best few in a thousand, as in life: anyone who wants more has a list.
    await stage.admin.query(`
      insert into alert (id, root_id, agency_id, company_id, name, state, trigger, min_score, pages, fit, user_ids,
        connection_ids, cooldown_hours, most_per_hour, created_at, updated_at)
      select gen_random_uuid(), c.root_id, c.agency_id, c.company_id, 'Alert ' || n, 'on',
        (array['lead', 'lead', 'return', 'lead_or_return'])[n % 4 + 1], 95 + n % 6,
        case when n % 5 = 0 then array['pricing'] else '{}'::text[] end, 'any', '{}', '{}', 24, 10, now(), now()
      from campaign c, generate_series(1, ${ALERTS_EACH}) n`);
    await stage.admin.query(`
      insert into lead (id, root_id, agency_id, company_id, campaign_id, person_id, match_kind, confidence, price_micros,
        cost_micros, created_at, score)
      select gen_random_uuid(), c.root_id, c.agency_id, c.company_id, c.id, gen_random_uuid(), 1, 98, 0, 0, now(),
        case when n % 500 = 0 then 96 + n / 500 % 5 else n % 95 end
      from campaign c, generate_series(1, ${LEADS / CLIENTS}) n`);
    await stage.admin.query(`
      insert into lead_contact (lead_id, root_id, agency_id, company_id, campaign_id, created_at, page_url)
      select id, root_id, agency_id, company_id, campaign_id, created_at, 'https://shop.example.com/' ||
        case when score % 2 = 0 then 'pricing' else 'tents' end from lead`);
    await stage.admin.query('analyze lead, lead_contact, alert');
    const ids = (await stage.admin.query<{ id: string }>('select id from lead')).rows.map(({ id }) => id);
    const now = new Date();

    const batches = Array.from({ length: LEADS / STEP }, (_, i) => ids.slice(i * STEP, (i + 1) * STEP));
    /** How many pairs the join finds. */
    const bare = async (): Promise<number> => {
      let found = 0;
      for (const batch of batches) {
        const { rows } = await stage.admin.query<{ count: number }>(
          `select count(*)::int as count from unnest($1::uuid[]) s (lead_id) join lead l on l.id = s.lead_id
             join alert a on a.company_id = l.company_id and a.state = 'on'
             left join lead_contact c on c.lead_id = l.id
           where a.trigger in ('lead', 'lead_or_return') and l.score >= a.min_score
             and (a.pages = '{}' or exists (
               select from unnest(a.pages) page where position(lower(page) in lower(c.page_url)) > 0))`,
          [batch],
        );
        found += rows[0]!.count;
      }
      return found;
    };
    const decideAll = async (): Promise<void> => {
      for (const batch of batches)
        await features.alerts.decide(
          root.id,
          batch.map((leadId) => ({ leadId, kind: 'new' as const, at: now })),
          [],
        );
    };
    const found = await bare();
    let limit = Infinity;
    let ours = Infinity;
    for (let round = 0; round < ROUNDS; round++) {
      await stage.admin.query('truncate alert_event, alert_person');
      const began = performance.now();
      await bare();
      const between = performance.now();
      await decideAll();
      limit = Math.min(limit, between - began);
      ours = Math.min(ours, performance.now() - between);
      const told = await inScope(stage.platform.db.app, { rootId: root.id }, (tx) =>
        tx
          .selectFrom('alert_event')
          .select((on) => on.fn.countAll<bigint>().as('count'))
          .executeTakeFirstOrThrow(),
      );
      if (Number(told.count) !== found) throw new Error(`${told.count} events, but the join finds ${found}`);
    }
    console.log(`alerts: ${found} of ${LEADS} leads and ${CLIENTS * ALERTS_EACH} alerts are told of`);
    return {
      name: 'leads decided on per second by 1,000 alerts',
      limit: (LEADS * 1000) / limit,
      ours: (LEADS * 1000) / ours,
      ratio: limit / ours,
      target: 0.5,
    };
  } finally {
    await stage.close();
  }
}
