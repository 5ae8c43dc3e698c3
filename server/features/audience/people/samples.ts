import { app, type Samples, type Target } from '../../../test/samples.ts';

/** An import of the root that is on hold. */
async function heldImport({ client, canary }: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into import_job (id, root_id, company_id, kind, file_name, file_path, file_bytes, mapping, state, created_at)
     values (gen_random_uuid(), $1, $1, 'people', $2, 'imports/none.csv', 1, '{}', 'held', now()) returning id`,
    [client.root_id, `${canary}.csv`],
  );
  return rows[0].id;
}

/** Two new people in a target's root, with its canary as their last names. */
async function twoPeople({ client, canary }: Target): Promise<[string, string]> {
  const { rows } = await app.admin.query(
    `insert into person (id, root_id, company_id, ref, last_name, keys, source, created_at, updated_at)
     select gen_random_uuid(), $1, $1, uuid_send(gen_random_uuid()), $2, '{}', 'matrix', now(), now() from generate_series(1, 2) returning id`,
    [client.root_id, canary],
  );
  return [rows[0].id, rows[1].id];
}

async function freshMerge(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into person_merge (id, root_id, company_id, person_id, into_id, top_id, merged_at)
     values (gen_random_uuid(), $1, $1, $2, $3, $3, now()) returning id`,
    [target.client.root_id, ...(await twoPeople(target))],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/identity/imports': {
    named: false,
    rootOnly: true,
    request: () => ({ url: '/api/identity/imports?PerPage=100' }),
  },
  'POST /api/identity/imports': {
    named: false,
    request: () => ({
      url: '/api/identity/imports?file_name=m.csv',
      payload: 'email\na@b.example\n',
      headers: { 'content-type': 'text/csv' },
    }),
  },
  'GET /api/identity/imports/:id': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}` }),
  },
  'GET /api/identity/duplicates': {
    named: false,
    rootOnly: true,
    request: () => ({ url: '/api/identity/duplicates' }),
  },
  'GET /api/identity/merges': {
    named: false,
    rootOnly: true,
    request: () => ({ url: '/api/identity/merges?PerPage=100' }),
  },
  'POST /api/identity/merges': {
    named: true,
    rootOnly: true,
    request: async (t) => {
      const [kept, absorbed] = await twoPeople(t);
      return { url: '/api/identity/merges', body: { kept, absorbed } };
    },
  },
  'POST /api/identity/merges/:id/undo': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `/api/identity/merges/${await freshMerge(t)}/undo`, body: {} }),
  },
  'GET /api/identity/imports/:id/preview': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}/preview` }),
    passes: [409],
  },
  'POST /api/identity/imports/:id/start': {
    named: true,
    rootOnly: true,
    request: (t) => ({
      url: `/api/identity/imports/${t.importId}/start`,
      body: { mapping: { email: 'email' } },
    }),
    passes: [409],
  },
  'POST /api/identity/imports/:id/cancel': {
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}/cancel`, body: {} }),
    passes: [409],
  },
  'POST /api/identity/imports/:id/again': {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `/api/identity/imports/${await heldImport(t)}/again`, body: {} }),
  },
  'GET /api/identity/imports/:id/errors.csv': {
    permission: 'people.import',
    named: true,
    rootOnly: true,
    request: (t) => ({ url: `/api/identity/imports/${t.importId}/errors.csv` }),
  },
  'GET /api/identity/totals': { named: false, request: () => ({ url: '/api/identity/totals' }) },
};
