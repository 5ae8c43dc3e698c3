import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { app, type Samples, type Target } from '../../../test/samples.ts';

/** An export of the target's client, with its file. */
async function freshExport(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into company_export (id, root_id, agency_id, company_id, company_kind, state, asked_by, created_at,
       finished_at, expires_at, bytes, sha256, file_path)
     select id, $1, $2, $3, 'client', 'ready', $4, $5, $5, $5::timestamptz + interval '1 day', 5, $6, 'exports/' || id
     from (select gen_random_uuid() as id) made returning id`,
    [
      target.client.root_id,
      target.client.agency_id,
      target.client.id,
      target.personId,
      app.clock.now(),
      hash('sha256', 'empty', 'buffer'),
    ],
  );
  const path = app.platform.files.pathOf(`exports/${rows[0].id}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'empty');
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/company-exports': {
    named: true,
    request: (t) => ({ url: `/api/company-exports?company_id=${t.client.id}` }),
  },
  'POST /api/company-exports': {
    named: true,
    request: async (t) => {
      // Only one is made at a time.
      await app.admin.query(`update company_export set state = 'removed' where company_id = $1`, [
        t.client.id,
      ]);
      return { url: '/api/company-exports', body: { company_id: t.client.id } };
    },
    // Another one is being made, or too many were started.
    passes: [409, 429],
  },
  'DELETE /api/company-exports/:id': {
    named: true,
    request: async (t) => ({ url: `/api/company-exports/${await freshExport(t)}` }),
  },
  'GET /api/company-exports/:id/file': {
    named: true,
    permission: 'company.export',
    request: async (t) => ({ url: `/api/company-exports/${await freshExport(t)}/file` }),
  },
};
