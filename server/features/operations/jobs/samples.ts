import { app, type Samples, type Target } from '../../../test/samples.ts';

/** A background job of the root that was set aside. */
async function stoppedJob({ client }: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into job_run (key, kind, payload, root_id, worker, starts, set_aside_at)
     values (gen_random_uuid()::text, 'invoices.close', json_build_object('rootId', $1::text)::jsonb, $1::uuid, gen_random_uuid(), 2, now())
     returning key`,
    [client.root_id],
  );
  return rows[0].key;
}

export const samples: Samples = {
  'GET /api/background/stopped': {
    named: false,
    request: () => ({ url: '/api/background/stopped' }),
  },
  'POST /api/background/stopped/again': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: '/api/background/stopped/again', body: { id: await stoppedJob(t) } }),
  },
};
