import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** An alert of the client that goes to its owner. */
async function alertOf(t: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into alert (id, root_id, agency_id, company_id, name, state, trigger, min_score, pages, fit, user_ids,
       connection_ids, cooldown_hours, most_per_hour, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, 'on', 'lead', 0, '{}', 'any', array[$5::uuid], '{}', 24, 10, now(), now())
     returning id`,
    [t.client.root_id, t.client.agency_id, t.client.id, `${t.canary} ${next()}`, t.personId],
  );
  return rows[0].id;
}
/** Removes the client's alerts, so that there are never too many. */
const clear = (t: Target) =>
  app.admin.query(`update alert set state = 'removed' where company_id = $1`, [t.client.id]);
const rules = (t: Target) => ({ name: `Alert ${next()}`, user_ids: [t.personId] });

export const samples: Samples = {
  'GET /api/alerts': { named: true, request: (t) => ({ url: `/api/alerts?companyID=${t.client.id}` }) },
  'GET /api/alerts/choices': {
    named: true,
    request: (t) => ({ url: `/api/alerts/choices?companyID=${t.client.id}` }),
  },
  'POST /api/alerts': {
    named: true,
    request: async (t) => {
      await clear(t);
      return { url: '/api/alerts', body: { companyID: t.client.id, ...rules(t) } };
    },
  },
  'POST /api/alerts/preview': {
    named: true,
    request: (t) => ({ url: '/api/alerts/preview', body: { companyID: t.client.id, min_score: 0 } }),
  },
  'PUT /api/alerts/:id': {
    named: true,
    request: async (t) => ({ url: `/api/alerts/${await alertOf(t)}`, body: rules(t) }),
  },
  'DELETE /api/alerts/:id': {
    named: true,
    request: async (t) => ({ url: `/api/alerts/${await alertOf(t)}` }),
  },
  'POST /api/alerts/:id/test': {
    named: true,
    request: async (t) => ({ url: `/api/alerts/${await alertOf(t)}/test`, body: {} }),
    passes: [429],
  },
  'GET /api/alerts/:id/messages': {
    named: true,
    request: async (t) => ({ url: `/api/alerts/${await alertOf(t)}/messages` }),
  },
};
