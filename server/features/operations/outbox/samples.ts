import { app, type Samples, type Target } from '../../../test/samples.ts';

/** An email of a client in the outbox. */
async function keptMail({ client }: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into mail (id, root_id, agency_id, company_id, kind, to_address, to_name, from_address, from_name, subject, state, created_at)
     select gen_random_uuid(), root_id, agency_id, id, 'test', 'a@b.test', 'A', 'c@d.test', 'C', 'Hello', 'kept', now()
     from company where id = $1 returning id`,
    [client.id],
  );
  return rows[0].id;
}

export const samples: Samples = {
  // Without the demo there is no outbox for agencies and clients.
  'GET /api/outbox': { named: false, request: () => ({ url: '/api/outbox' }), passes: [404] },
  'GET /api/outbox/:id': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `/api/outbox/${await keptMail(t)}` }),
    passes: [404],
  },
};
