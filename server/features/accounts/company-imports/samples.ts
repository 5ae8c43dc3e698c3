import { app, type Samples, type Target } from '../../../test/samples.ts';

/** Removes what was made before: the tests call each route many times, and a root keeps only some archives. */
const clear = ({ client }: Target) =>
  app.admin.query(`update company_import_run set state = 'removed', file_path = null where root_id = $1`, [
    client.root_id,
  ]);

/** An import of the target's root: `made`, or tried and ready. */
async function freshRun({ client, canary, personId }: Target, made = false): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into company_import_run (id, root_id, company_id, file_name, file_path, is_export, bytes, phase, state, made_id,
       result, asked_by, created_at, finished_at)
     values (gen_random_uuid(), $1, $1, $2, 'company-imports/none', true, 1, $3, 'ready', $4,
       '{"name":"None","kind":"client","is_equal":true,"new_ids":false,"conflicts":[],"todo":[],"held":{},"opened":{},"tables":[],"sums":[]}',
       $5, now(), now()) returning id`,
    [client.root_id, `${canary}.tar.gz`, made ? 'import' : 'try', made ? client.agency_id : null, personId],
  );
  return rows[0].id;
}

/** A full export of the target's client. */
async function freshExport({ client, personId }: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into company_export (id, root_id, agency_id, company_id, company_kind, state, asked_by, created_at,
       finished_at, expires_at, bytes, sha256, file_path)
     values (gen_random_uuid(), $1, $2, $3, 'client', 'ready', $4, $5, $5, $5::timestamptz + interval '1 day', 5,
       sha256('empty'), 'exports/none') returning id`,
    [client.root_id, client.agency_id, client.id, personId, app.clock.now()],
  );
  return rows[0].id;
}

/** A document of the target's client, which an import brought; returns its id. */
async function freshPast({ client, canary }: Target, table: 'invoice' | 'charge' | 'transfer') {
  const { rows } = await app.admin.query(
    `with import as (insert into company_import (id, root_id, agency_id, company_id, company_kind, name, sha256, new_ids,
         balances, state, manifest, result, created_at, finished_at)
       values (gen_random_uuid(), $1, $2, $3, 'client', 'None', sha256(gen_random_uuid()::text::bytea), true, 'none', 'done',
         '{}', '{}', now(), now()) returning id)
     insert into company_import_row (import_id, table_name, key, number, root_id, agency_id, company_id, is_document, content)
     select id, $4, gen_random_uuid(), 0, $1, $2, $3, true, $5 from import returning key`,
    [client.root_id, client.agency_id, client.id, table, JSON.stringify({ number: 'P-1', memo: canary })],
  );
  return rows[0].key as string;
}

const url = '/api/company-imports';
const past = '/api/billing/past';

export const samples: Samples = {
  [`GET ${url}`]: { named: false, rootOnly: true, request: () => ({ url }) },
  [`GET ${url}/sources`]: { named: false, rootOnly: true, request: () => ({ url: `${url}/sources` }) },
  [`GET ${url}/:id`]: {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `${url}/${await freshRun(t)}` }),
  },
  [`POST ${url}`]: {
    named: true,
    rootOnly: true,
    request: async (t) => {
      await clear(t);
      return { url, body: { export_id: await freshExport(t) } };
    },
  },
  [`POST ${url}/upload`]: {
    named: false,
    request: async (t) => {
      await clear(t);
      return {
        url: `${url}/upload?file_name=m.tar.gz`,
        payload: '\x1f\x8b',
        headers: { 'content-type': 'application/gzip' },
      };
    },
  },
  [`POST ${url}/:id/try`]: {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `${url}/${await freshRun(t)}/try`, body: { new_ids: false } }),
  },
  [`POST ${url}/:id/start`]: {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `${url}/${await freshRun(t)}/start`, body: {} }),
  },
  [`POST ${url}/:id/invite`]: {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `${url}/${await freshRun(t, true)}/invite` }),
    // Its agency has no one to invite.
    passes: [409],
  },
  [`DELETE ${url}/:id`]: {
    named: true,
    rootOnly: true,
    request: async (t) => ({ url: `${url}/${await freshRun(t)}` }),
  },
  [`GET ${past}`]: { named: true, request: (t) => ({ url: `${past}?companyID=${t.client.id}` }) },
  [`GET ${past}/invoices/:id`]: {
    named: true,
    request: async (t) => ({ url: `${past}/invoices/${await freshPast(t, 'invoice')}` }),
  },
  [`GET ${past}/invoices/:id/pdf`]: {
    permission: 'invoice.read',
    named: true,
    request: async (t) => ({ url: `${past}/invoices/${await freshPast(t, 'invoice')}/pdf` }),
  },
  [`GET ${past}/charges/:id`]: {
    named: true,
    request: async (t) => ({ url: `${past}/charges/${await freshPast(t, 'charge')}` }),
  },
  [`GET ${past}/transfers/:id`]: {
    named: true,
    request: async (t) => ({ url: `${past}/transfers/${await freshPast(t, 'transfer')}` }),
  },
};
