import { app, type Samples } from '../../../test/samples.ts';

/** An allowance of the target's root for its client. */
async function freshAllowance(rootId: string, clientId: string): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into keyword_allowance (id, root_id, company_id, for_company, theme, reason, allowed_by, created_at)
     values (gen_random_uuid(), $1, $1, $2, 2, 'A test', $1, now())
     on conflict (root_id, for_company, theme) do update set reason = excluded.reason returning id`,
    [rootId, clientId],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/keyword-themes': {
    named: false,
    request: () => ({ url: '/api/keyword-themes' }),
  },
  'POST /api/keyword-themes': {
    named: true,
    rootOnly: true,
    request: (t) => ({
      url: '/api/keyword-themes',
      body: { theme: 'religion', company_id: t.client.id, reason: 'A book store' },
    }),
    // Allowed already.
    passes: [409],
  },
  'DELETE /api/keyword-themes/:id': {
    named: true,
    rootOnly: true,
    request: async (t) => ({
      url: `/api/keyword-themes/${await freshAllowance(t.client.root_id, t.client.id)}`,
    }),
  },
};
