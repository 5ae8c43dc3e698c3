import { app, next, own, type Principal, type Samples, type Target } from '../../../test/samples.ts';

/**
 * The company whose template is used: for a root that sees the target its own, since templates are not passed down, and
 * otherwise the target's agency.
 */
function holder({ client }: Target, who: Principal | undefined) {
  const isRoots = who?.grade.startsWith('root.') && client.root_id === own.client.root_id;
  return isRoots
    ? { root_id: client.root_id, agency_id: null, company_id: client.root_id }
    : { root_id: client.root_id, agency_id: client.agency_id, company_id: client.agency_id };
}
/** What it is taken from and pushed to: a campaign or, for a root, its own branding. */
const source = (target: Target, who: Principal | undefined): string =>
  holder(target, who).agency_id ? target.campaign.id : target.client.root_id;

/** A template with one version. */
async function freshTemplate(target: Target, who: Principal | undefined): Promise<string> {
  const { root_id, agency_id, company_id } = holder(target, who);
  const { rows } = await app.admin.query(
    `insert into template (id, root_id, agency_id, company_id, kind, module, name, versions, created_by, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, 1, gen_random_uuid(), now(), now()) returning id`,
    [
      ...[root_id, agency_id, company_id],
      ...(agency_id ? ['campaign', 'local'] : ['branding', null]),
      `${target.canary} ${next()}`,
    ],
  );
  await app.admin.query(
    `insert into template_version (template_id, number, root_id, agency_id, company_id, fields, source, created_by, created_at)
     select id, 1, root_id, agency_id, company_id, $2, 'By hand', created_by, now() from template where id = $1`,
    [rows[0].id, JSON.stringify(agency_id ? { daily_cap: 5 } : { tagline: 'Found' })],
  );
  return rows[0].id;
}

/** A push of such a template that is in a state, without targets. */
async function freshPush(
  target: Target,
  who: Principal | undefined,
  state: 'paused' | 'done',
): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into template_push (id, root_id, agency_id, company_id, template_id, version, state, stages, overwrites,
       created_by, created_at, acts_as)
     select gen_random_uuid(), root_id, agency_id, company_id, id, 1, $2, 2, false, created_by, now(), created_by
     from template where id = $1 returning id`,
    [await freshTemplate(target, who), state],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/templates': {
    named: false,
    request: async (t, who) => {
      await freshTemplate(t, who);
      return { url: '/api/templates' };
    },
  },
  // A root has no campaigns to take a template from.
  'POST /api/templates': {
    named: true,
    request: (t) => ({
      url: '/api/templates',
      body: { kind: 'campaign', name: 'Standard', source_id: t.campaign.id },
    }),
    passes: [422],
  },
  'GET /api/templates/:id': {
    named: true,
    request: async (t, who) => ({ url: `/api/templates/${await freshTemplate(t, who)}` }),
  },
  'PUT /api/templates/:id': {
    named: true,
    request: async (t, who) => ({
      url: `/api/templates/${await freshTemplate(t, who)}`,
      body: { name: `New ${next()}` },
    }),
  },
  'DELETE /api/templates/:id': {
    named: true,
    request: async (t, who) => ({ url: `/api/templates/${await freshTemplate(t, who)}` }),
  },
  'POST /api/templates/:id/versions': {
    named: true,
    request: async (t, who) => ({
      url: `/api/templates/${await freshTemplate(t, who)}/versions`,
      body: { source_id: source(t, who) },
    }),
  },
  'GET /api/templates/:id/compare': {
    named: true,
    request: async (t, who) => ({ url: `/api/templates/${await freshTemplate(t, who)}/compare?from=1&to=1` }),
  },
  'GET /api/templates/:id/targets': {
    named: true,
    request: async (t, who) => ({ url: `/api/templates/${await freshTemplate(t, who)}/targets` }),
  },
  'POST /api/templates/:id/preview': {
    named: true,
    request: async (t, who) => ({
      url: `/api/templates/${await freshTemplate(t, who)}/preview`,
      body: { version: 1, target_ids: [source(t, who)] },
    }),
  },
  'POST /api/templates/:id/pushes': {
    named: true,
    request: async (t, who) => ({
      url: `/api/templates/${await freshTemplate(t, who)}/pushes`,
      body: { version: 1, target_ids: [source(t, who)] },
    }),
  },
  'GET /api/template-pushes/:id': {
    named: true,
    request: async (t, who) => ({ url: `/api/template-pushes/${await freshPush(t, who, 'done')}` }),
  },
  'POST /api/template-pushes/:id/continue': {
    named: true,
    request: async (t, who) => ({
      url: `/api/template-pushes/${await freshPush(t, who, 'paused')}/continue`,
    }),
  },
  'POST /api/template-pushes/:id/stop': {
    named: true,
    request: async (t, who) => ({ url: `/api/template-pushes/${await freshPush(t, who, 'paused')}/stop` }),
  },
  'POST /api/template-pushes/:id/roll-back': {
    named: true,
    request: async (t, who) => ({ url: `/api/template-pushes/${await freshPush(t, who, 'done')}/roll-back` }),
  },
};
