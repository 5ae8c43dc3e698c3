import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** Who moves: a client without anything or, if a client asks, itself, with its earlier transfers ended. */
async function mover(target: Target, principal?: { grade: string }): Promise<string> {
  const { id, root_id, agency_id } = target.client;
  if (!principal?.grade.startsWith('client.'))
    return (
      await app.make.client(
        { id: agency_id!, root_id, agency_id },
        { name: `${target.canary} moving ${next()}` },
      )
    ).id;
  await app.admin.query(
    `update client_transfer set state = 'canceled', ended_at = now() where company_id = $1 and ended_at is null`,
    [id],
  );
  return id;
}

/** A transfer that the receiving agency and one of the other two have agreed to; if it is settling, all three. */
async function transfer(
  target: Target,
  principal: { grade: string } | undefined,
  state: 'offered' | 'settling' = 'offered',
): Promise<string> {
  const { root_id, agency_id } = target.client;
  const by = principal?.grade.startsWith('client.') ? 'giving' : 'client';
  const client = await mover(target, principal);
  const receiver = await app.make.agency({ id: root_id, root_id, agency_id: null });
  const { rows } = await app.admin.query(
    `insert into client_transfer (id, root_id, agency_id, company_id, to_email, to_agency_id, state, keeps_balance, client_name, from_name,
       started_by, giving_at, giving_user, receiving_at, client_at, started_at, expires_at)
     values (gen_random_uuid(), $1, $2, $3, 'owner@elsewhere.test', $4, $5, false, $6, '', $7,
       case when $5 = 'settling' or $7 = 'giving' then now() end, gen_random_uuid(), now(),
       case when $5 = 'settling' or $7 = 'client' then now() end, now(), '2099-01-01') returning id`,
    [root_id, agency_id, client, receiver.id, state, `${target.canary} moving`, by],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/client-transfers': { named: false, request: () => ({ url: '/api/client-transfers' }) },
  'GET /api/client-transfers/:id': {
    named: true,
    request: async (t, who) => ({ url: `/api/client-transfers/${await transfer(t, who)}` }),
  },
  'POST /api/client-transfers': {
    named: true,
    request: async (t, who) => ({
      url: '/api/client-transfers',
      body: {
        client_id: await mover(t, who),
        to_email: `nobody${next()}@elsewhere.test`,
        keep_balance: false,
      },
    }),
  },
  'POST /api/client-transfers/:id/agree': {
    named: true,
    request: async (t, who) => ({
      url: `/api/client-transfers/${await transfer(t, who)}/agree`,
      body: { keep_balance: false },
    }),
  },
  'POST /api/client-transfers/:id/end': {
    named: true,
    request: async (t, who) => ({ url: `/api/client-transfers/${await transfer(t, who)}/end` }),
  },
  'POST /api/client-transfers/:id/resume': {
    named: true,
    request: async (t, who) => ({
      url: `/api/client-transfers/${await transfer(t, who, 'settling')}/resume`,
    }),
  },
};
