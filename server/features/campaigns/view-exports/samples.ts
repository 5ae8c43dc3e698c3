import { app, NOBODY, type Principal, type Samples } from '../../../test/samples.ts';

/** A saved view of leads of a user, emailed to them. */
async function viewOf(who: Principal): Promise<string> {
  const { rows } = await app.admin.query(
    `with v as (
       insert into list_view (id, root_id, agency_id, company_id, user_id, list, name, is_shared, params, created_at, updated_at)
       select gen_random_uuid(), root_id, agency_id, company_id, id, 'leads', 'Mailed', true, '{}', now(), now()
       from user_account where id = $1 returning *), e as (
       insert into view_export (view_id, user_id, root_id, agency_id, company_id, every, form, next_at)
       select id, user_id, root_id, agency_id, company_id, 'week', 'link', now() from v)
     select id from v`,
    [who.userId],
  );
  return rows[0].id;
}

const view = async (who: Principal | undefined) => (who ? await viewOf(who) : NOBODY);

export const samples: Samples = {
  'GET /api/user/lists/export': {
    named: false,
    request: () => ({ url: '/api/user/lists/export' }),
    passes: [404],
  },
  'PUT /api/user/lists/view/:id/export': {
    named: false,
    request: async (_, who) => ({
      url: `/api/user/lists/view/${await view(who)}/export`,
      body: { every: 'day', form: 'link' },
    }),
    passes: [404],
  },
  'DELETE /api/user/lists/view/:id/export': {
    named: false,
    request: async (_, who) => ({ url: `/api/user/lists/view/${await view(who)}/export` }),
    passes: [404],
  },
  'POST /api/user/lists/view/:id/export/send': {
    named: false,
    request: async (_, who) => ({
      url: `/api/user/lists/view/${await view(who)}/export/send`,
      body: { form: 'link' },
    }),
    passes: [404, 422, 429],
  },
};
