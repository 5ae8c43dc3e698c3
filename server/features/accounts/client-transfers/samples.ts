import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/**
 * A transfer of a client of the target's agency, which the receiving agency has agreed to; `state`: settling, and then
 * everyone has.
 */
async function transfer(target: Target, state: 'offered' | 'settling' = 'offered'): Promise<string> {
  const { root_id, agency_id } = target.client;
  const client = await app.make.client(
    { id: agency_id!, root_id, agency_id },
    { name: `${target.canary} moving ${next()}` },
  );
  const receiver = await app.make.agency({ id: root_id, root_id, agency_id: null });
  const { rows } = await app.admin.query(
    `insert into client_transfer (id, root_id, agency_id, company_id, to_email, to_agency_id, state, keeps_balance, client_name, from_name,
       started_by, giving_at, giving_user, receiving_at, client_at, started_at, expires_at)
     values (gen_random_uuid(), $1, $2, $3, 'owner@elsewhere.test', $4, $5, false, $6, '', 'client',
       case when $5 = 'settling' then now() end, gen_random_uuid(), now(), now(), now(), '2099-01-01') returning id`,
    [root_id, agency_id, client.id, receiver.id, state, `${target.canary} moving`],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/client-transfers': { named: false, request: () => ({ url: '/api/client-transfers' }) },
  'GET /api/client-transfers/:id': {
    named: true,
    request: async (t) => ({ url: `/api/client-transfers/${await transfer(t)}` }),
  },
  'POST /api/client-transfers': {
    named: true,
    request: async (t) => {
      const { root_id, agency_id } = t.client;
      const client = await app.make.client({ id: agency_id!, root_id, agency_id });
      return {
        url: '/api/client-transfers',
        body: { client_id: client.id, to_email: `nobody${next()}@elsewhere.test`, keep_balance: false },
      };
    },
  },
  'POST /api/client-transfers/:id/agree': {
    named: true,
    request: async (t) => ({
      url: `/api/client-transfers/${await transfer(t)}/agree`,
      body: { keep_balance: false },
    }),
  },
  'POST /api/client-transfers/:id/end': {
    named: true,
    request: async (t) => ({ url: `/api/client-transfers/${await transfer(t)}/end` }),
  },
  'POST /api/client-transfers/:id/resume': {
    named: true,
    request: async (t) => ({ url: `/api/client-transfers/${await transfer(t, 'settling')}/resume` }),
  },
};
