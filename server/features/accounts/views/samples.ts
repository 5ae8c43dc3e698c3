import { app, NOBODY, next, type Principal, type Samples } from '../../../test/samples.ts';

/** A saved view of a user, to be changed. */
async function viewOf(who: Principal): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into list_view (id, root_id, agency_id, company_id, user_id, list, name, is_shared, params, created_at, updated_at)
     select gen_random_uuid(), root_id, agency_id, company_id, id, 'leads', 'Hot', true, '{}', now(), now()
     from user_account where id = $1 returning id`,
    [who.userId],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/user/lists': { named: false, request: () => ({ url: '/api/user/lists' }) },
  'PUT /api/user/lists/look': {
    named: false,
    request: () => ({
      url: '/api/user/lists/look',
      body: { list: 'leads', density: 'compact', columns: ['email'] },
    }),
  },
  'POST /api/user/lists/view': {
    named: false,
    request: () => ({
      url: '/api/user/lists/view',
      body: { list: 'leads', name: `Matrix ${next()}`, is_shared: true, params: { q: 'x' }, columns: null },
    }),
  },
  'PUT /api/user/lists/view/:id': {
    named: false,
    request: async (_, who) => ({
      url: `/api/user/lists/view/${who ? await viewOf(who) : NOBODY}`,
      body: { name: 'Warm' },
    }),
  },
  'DELETE /api/user/lists/view/:id': {
    named: false,
    request: async (_, who) => ({ url: `/api/user/lists/view/${who ? await viewOf(who) : NOBODY}` }),
  },
};
