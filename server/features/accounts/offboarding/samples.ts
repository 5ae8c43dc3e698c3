import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** A client of the target's agency without anything; `begun`: its offboarding has begun. */
async function freshClient(target: Target, begun: boolean): Promise<string> {
  const { root_id, agency_id } = target.client;
  const agency = { id: agency_id!, root_id, agency_id };
  const client = await app.make.client(agency, { name: `${target.canary} leaving ${next()}` });
  if (begun)
    await app.admin.query(
      `insert into offboarding (company_id, root_id, agency_id, state, keeps_balance, delete_on, was_closed, started_by, started_at, acts_as)
       values ($1, $2, $3, 'running', false, '2099-01-01', false, gen_random_uuid(), now(), gen_random_uuid())`,
      [client.id, root_id, agency_id],
    );
  return client.id;
}

const choices = { keep_balance: false, delete_on: '2099-12-31' };

export const samples: Samples = {
  'GET /api/offboarding': { named: false, request: () => ({ url: '/api/offboarding' }) },
  'GET /api/offboarding/:id': {
    named: true,
    request: async (t) => ({ url: `/api/offboarding/${await freshClient(t, false)}` }),
  },
  'POST /api/offboarding/:id': {
    named: true,
    request: async (t) => ({ url: `/api/offboarding/${await freshClient(t, false)}`, body: choices }),
  },
  'PUT /api/offboarding/:id': {
    named: true,
    request: async (t) => ({ url: `/api/offboarding/${await freshClient(t, true)}`, body: choices }),
  },
  'POST /api/offboarding/:id/exported': {
    named: true,
    request: async (t) => ({ url: `/api/offboarding/${await freshClient(t, true)}/exported` }),
  },
  'POST /api/offboarding/:id/resume': {
    named: true,
    request: async (t) => ({ url: `/api/offboarding/${await freshClient(t, true)}/resume` }),
  },
  'POST /api/offboarding/:id/cancel': {
    named: true,
    request: async (t) => ({ url: `/api/offboarding/${await freshClient(t, true)}/cancel` }),
  },
};
