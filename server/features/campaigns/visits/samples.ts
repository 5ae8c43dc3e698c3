import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** Held sign-ups of the target's campaign, in the form in which a decision refers to them. */
async function heldSignUp({ campaign }: Pick<Target, 'campaign'>) {
  const source = `192.0.2.${next()}`;
  await app.admin.query(
    `insert into held_visit (day, event_id, root_id, agency_id, company_id, campaign_id, reason, source, event, received_at, state)
     values ('2026-03-10', gen_random_uuid(), $1, $2, $3, $4, 'address', $5, 'identify', '2026-03-10T12:00:00Z', 'held')`,
    [campaign.owner.root_id, campaign.owner.agency_id, campaign.owner.company_id, campaign.id, source],
  );
  return { leadspeekID: campaign.id, reason: 'address', source, until: '2026-03-10T12:00:00Z' };
}

/** A network that the target's client does not trust yet; the client trusts none, so there is room for one. */
async function freshNetwork({ client }: Pick<Target, 'client'>): Promise<string> {
  await app.admin.query('delete from trusted_address where company_id = $1', [client.id]);
  const number = next();
  return `198.18.${number >> 8}.${number & 255}`;
}

/** A trusted address of the target's campaign. */
async function trustedAddress({ client, campaign }: Pick<Target, 'client' | 'campaign'>): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into trusted_address (id, root_id, agency_id, company_id, campaign_id, network, note, created_at, created_by)
     values (gen_random_uuid(), $1, $2, $3, $4, $5, '', now(), gen_random_uuid()) returning id`,
    [
      campaign.owner.root_id,
      campaign.owner.agency_id,
      campaign.owner.company_id,
      campaign.id,
      await freshNetwork({ client }),
    ],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/background/spools': { named: false, request: () => ({ url: '/api/background/spools' }) },
  'POST /v': { named: false, request: () => ({ url: '/v', body: { k: 'nokey', e: [{}] } }), passes: [404] },
  'OPTIONS /v': { named: false, request: () => ({ url: '/v' }) },
  'GET /p/v1/:file': { named: false, request: () => ({ url: '/p/v1/abc.js' }) },
  'GET /api/leadspeek/client/held': {
    named: true,
    request: async (t) => {
      await heldSignUp(t);
      return { url: `/api/leadspeek/client/held?leadspeekID=${t.campaign.id}` };
    },
  },
  'POST /api/leadspeek/client/held/release': {
    named: true,
    request: async (t) => ({ url: '/api/leadspeek/client/held/release', body: await heldSignUp(t) }),
  },
  'POST /api/leadspeek/client/held/discard': {
    named: true,
    request: async (t) => ({ url: '/api/leadspeek/client/held/discard', body: await heldSignUp(t) }),
  },
  'POST /api/leadspeek/client/held/ask': {
    named: true,
    request: async (t) => ({ url: '/api/leadspeek/client/held/ask', body: await heldSignUp(t) }),
  },
  'GET /api/leadspeek/client/trusted-addresses': {
    named: true,
    request: async (t) => {
      await trustedAddress(t);
      return { url: `/api/leadspeek/client/trusted-addresses?leadspeekID=${t.campaign.id}` };
    },
  },
  'POST /api/leadspeek/client/trusted-addresses': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/trusted-addresses',
      body: { leadspeekID: t.campaign.id, network: await freshNetwork(t) },
    }),
  },
  'POST /api/leadspeek/client/trusted-addresses/ask': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/client/trusted-addresses/ask',
      body: { leadspeekID: t.campaign.id, network: await freshNetwork(t) },
    }),
  },
  'DELETE /api/leadspeek/client/trusted-addresses/:id': {
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/client/trusted-addresses/${await trustedAddress(t)}` }),
  },
};
