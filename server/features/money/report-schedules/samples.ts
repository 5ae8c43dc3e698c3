import { app, NOBODY, type Principal, type Samples } from '../../../test/samples.ts';

/** A scheduled report of the caller's company. */
async function freshSchedule(who: Principal | undefined): Promise<string> {
  if (!who) return NOBODY;
  const { rows } = await app.admin.query(
    `insert into report_schedule (id, root_id, agency_id, company_id, report, period, compare, every, user_ids, next_at,
       created_by, created_at)
     select gen_random_uuid(), root_id, agency_id, company_id, 'month', 'month', 'previous', 'week', array[id], now(), id, now()
     from user_account where id = $1 returning id`,
    [who.userId],
  );
  return rows[0].id;
}

/** Removes what was made before: a company has only some. */
const clear = () => app.admin.query('delete from report_schedule');

const url = '/api/configuration/report-schedules';
const body = (who: Principal | undefined) => ({
  ...{ report: 'month', period: 'month', compare: 'previous', every: 'week' },
  user_ids: [who?.userId ?? NOBODY],
});

export const samples: Samples = {
  // A root's administrator needs report_analytics as well.
  [`GET ${url}`]: { named: false, request: () => ({ url }), passes: [403] },
  [`POST ${url}`]: {
    named: false,
    request: async (_, who) => {
      await clear();
      return { url, body: body(who) };
    },
    passes: [403],
  },
  [`PUT ${url}/:id`]: {
    named: false,
    request: async (_, who) => ({
      url: `${url}/${await freshSchedule(who)}`,
      body: { ...body(who), is_paused: true },
    }),
    passes: [403],
  },
  [`DELETE ${url}/:id`]: {
    named: false,
    request: async (_, who) => ({ url: `${url}/${await freshSchedule(who)}` }),
    passes: [403],
  },
  [`GET ${url}/:id/pdf`]: {
    permission: 'report.read',
    named: false,
    request: async (_, who) => ({ url: `${url}/${await freshSchedule(who)}/pdf` }),
    passes: [403],
  },
};
