import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface StubAd {
  id: number;
  name: string;
  status: string;
  target_url: string;
  ad_size_id: number;
  bytes: number;
}
interface StubCampaign {
  id: number;
  custom_id: string | null;
  name: string;
  status: string;
  fields: Record<string, unknown>;
  plans: { id: number; start_date: string; end_date: string; total_budget: number }[];
  ads: StubAd[];
  /** Attached lists of addresses. */
  addresses: { id: number; address_id: number; target: number }[];
  fences: { id: number; name: string; bid_area: { type: string; coordinates: [number, number][][] } }[];
}
interface StubAddressList {
  id: number;
  name: string;
  rows: Record<string, string>[];
}
interface StubDay {
  campaign_id: number;
  ad_id: number;
  stat_date: string;
  impressions: number;
  clicks: number;
  total_spend: number;
}

export type SimplifiStub = Awaited<ReturnType<typeof startSimplifiStub>>;

const APP = 'app-key';
const USER = 'user-key';
const ORGANIZATION = 4417;
const SIZES = ['300x250', '728x90', '160x600', '300x600', '320x50', '300x50', '970x250', '970x90'];
/** A few of the vendor's places. */
const GEO_TARGETS = [
  { id: 8180, name: 'United States', parent_id: null, active: true },
  { id: 8228, name: 'Texas', parent_id: 8180, active: true },
  { id: 8184, name: 'Alabama', parent_id: 8180, active: true },
  { id: 18161, name: 'Austin', parent_id: 8228, active: true },
  { id: 18162, name: 'Dallas', parent_id: 8228, active: false },
];
const MINUTE_MS = 60_000;
const MOST_A_MINUTE = 300;

/** A small server that speaks Simpli.fi's calls with its rules: drafts, actions, pages, limits, and no idempotency. */
export async function startSimplifiStub() {
  const campaigns: StubCampaign[] = [];
  const days: StubDay[] = [];
  const addressLists: StubAddressList[] = [];
  const requests: { method: string; path: string; body: string }[] = [];
  let serial = 100;
  let window = { from: 0, count: 0 };
  /** What goes wrong on purpose: a part of a list only, or the next requests; what happens while a change is waited for. */
  const faults = {
    halfLists: false,
    failNext: 0,
    loseNext: 0,
    mostAMinute: MOST_A_MINUTE,
    meanwhile: null as (() => Promise<void>) | null,
  };
  const next = (): number => ++serial;

  interface Ask {
    method: string;
    path: string;
    query: URLSearchParams;
    json: Record<string, never>;
    raw: Buffer;
    type: string;
  }
  const refuse = (status: number, ...errors: string[]) => ({ status, json: { errors } });

  function list(ask: Ask, name: string, rows: readonly object[]) {
    const size = Number(ask.query.get('size') ?? 50);
    const page = Number(ask.query.get('page') ?? 1);
    if (size < 1 || size > 500) return refuse(422, 'size is invalid');
    const shown = rows.slice((page - 1) * size, page * size);
    return {
      status: 200,
      json: {
        [name]: faults.halfLists ? shown.slice(0, Math.floor(shown.length / 2)) : shown,
        paging: { page, size, total: rows.length, next: null },
      },
    };
  }
  const shown = (campaign: StubCampaign) => ({
    id: campaign.id,
    custom_id: campaign.custom_id,
    name: campaign.name,
    status: campaign.status,
    actions: campaign.status === 'Active' ? [{ pause: '' }] : [{ activate: '' }],
    ...campaign.fields,
  });

  function answer(ask: Ask): { status: number; json: unknown } {
    const { method, path } = ask;
    const inOrganization = `/api/organizations/${ORGANIZATION}`;
    if (path === '/api/ad_sizes')
      return list(
        ask,
        'ad_sizes',
        SIZES.map((name, i) => ({ id: i + 1, name })),
      );
    if (path === '/api/geo_targets') {
      const [name, parent] = [ask.query.get('name')?.toLowerCase(), Number(ask.query.get('parent_id'))];
      return list(
        ask,
        'geo_targets',
        GEO_TARGETS.filter(
          (one) => (!name || one.name.toLowerCase() === name) && (one.parent_id ?? 0) === parent,
        ),
      );
    }
    if (path === `${inOrganization}/campaigns`) {
      if (method === 'GET') return list(ask, 'campaigns', campaigns.map(shown));
      const made: StubCampaign = {
        id: next(),
        custom_id: null,
        name: '',
        status: 'Draft',
        fields: {},
        plans: [],
        ads: [],
        addresses: [],
        fences: [],
      };
      campaigns.push(made);
      return { status: 201, json: { campaigns: [shown(made)] } };
    }
    if (path === `${inOrganization}/campaign_stats`) {
      const [from, to] = [ask.query.get('start_date')!, ask.query.get('end_date')!];
      const rows = days.filter(
        (day) =>
          day.campaign_id === Number(ask.query.get('campaign_id')) &&
          day.stat_date >= from &&
          day.stat_date <= to,
      );
      return list(ask, 'campaign_stats', rows);
    }
    const shownList = ({ id, name, rows }: StubAddressList) => ({
      id,
      name,
      file_status_display: rows.length > 0 ? 'Finished' : 'Empty',
      upload_results: [{ total_parsed: rows.length, matched: rows.length, unmatched: 0 }],
    });
    if (path === `${inOrganization}/addresses`) {
      if (method === 'GET') {
        const term = ask.query.get('search_term') ?? '';
        return list(ask, 'addresses', addressLists.filter(({ name }) => name.includes(term)).map(shownList));
      }
      const { name } = (ask.json.address ?? {}) as { name?: string };
      if (!name) return refuse(422, "Name can't be blank");
      const made = { id: next(), name, rows: [] };
      addressLists.push(made);
      return { status: 201, json: { addresses: [shownList(made)] } };
    }
    const [, listId, upload] =
      /^\/api\/(?:organizations\/4417\/)?addresses\/(\d+)(\/upload)?$/.exec(path) ?? [];
    if (listId) {
      const at = addressLists.findIndex((one) => one.id === Number(listId));
      const one = addressLists[at];
      if (!one) return refuse(404, 'not found');
      if (upload) {
        const [head = '', ...lines] = ask.raw.toString('utf8').trimEnd().split('\r\n');
        const names = head.split(',');
        if (['address', 'city', 'state', 'zip'].some((name) => !names.includes(name)))
          return refuse(422, 'Required headers are address, city, state and zip');
        one.rows = lines.map((line) =>
          Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell])),
        );
        return { status: 200, json: null };
      }
      if (method === 'DELETE') {
        if (campaigns.some(({ addresses }) => addresses.some(({ address_id }) => address_id === one.id)))
          return refuse(422, 'Address is in use by campaigns');
        addressLists.splice(at, 1);
        return { status: 204, json: null };
      }
      return { status: 200, json: { addresses: [shownList(one)] } };
    }
    const plan = /^\/api\/budget_plans\/(\d+)$/.exec(path);
    if (plan) {
      const one = campaigns.flatMap(({ plans }) => plans).find(({ id }) => id === Number(plan[1]));
      if (!one) return refuse(404, 'not found');
      Object.assign(one, ask.json);
      return { status: 200, json: { budget_plans: [one] } };
    }
    const [, id = '', rest = ''] =
      /^\/api\/(?:organizations\/4417\/)?campaigns\/(\d+)(\/.*)?$/.exec(path) ?? [];
    const campaign = campaigns.find((one) => one.id === Number(id));
    if (!campaign) return refuse(404, 'not found');
    if (rest === '') {
      if (method === 'GET') return { status: 200, json: { campaigns: [shown(campaign)] } };
      const { name, custom_id, ...fields } = ask.json.campaign as unknown as Record<string, unknown>;
      if (campaign.status === 'Ended') return refuse(422, 'Could not update campaign');
      if (fields.campaign_goal && fields.bid_type_id !== 1)
        return refuse(422, 'Only CPM campaigns have goals');
      Object.assign(campaign, { name: name ?? campaign.name, custom_id: custom_id ?? campaign.custom_id });
      Object.assign(campaign.fields, fields);
      return { status: 200, json: { campaigns: [shown(campaign)] } };
    }
    if (rest === '/activate') {
      const { postal_codes, geo_target_ids } = campaign.fields as {
        postal_codes?: { values: unknown[] };
        geo_target_ids?: unknown[];
      };
      if (!postal_codes?.values.length && !geo_target_ids?.length)
        return refuse(422, 'Geo targets Select at least 1 location or postal code');
      if (campaign.ads.length === 0) return refuse(422, 'Ads must have at least one');
      campaign.status = 'Active';
      return { status: 200, json: { campaigns: [shown(campaign)] } };
    }
    if (rest === '/pause') {
      if (campaign.status !== 'Active') return refuse(422, 'Could not pause campaign');
      campaign.status = 'Paused';
      return { status: 200, json: { campaigns: [shown(campaign)] } };
    }
    if (rest === '/geo_fences') {
      if (method === 'GET') return list(ask, 'geo_fences', campaign.fences);
      const given = (ask.json as unknown as { geo_fences: StubCampaign['fences'] }).geo_fences;
      for (const { bid_area } of given) {
        const [ring = []] = bid_area.coordinates;
        const turns = ring
          .slice(1)
          .reduce((sum, [x, y], i) => sum + (x - ring[i]![0]) * (y + ring[i]![1]), 0);
        const isClosed = ring[0]?.join() === ring.at(-1)?.join();
        if (!isClosed || ring.length > 13 || turns < 0) return refuse(422, 'Bid area is invalid');
      }
      campaign.fences = given.map((one) => ({ ...one, id: next() }));
      return { status: 200, json: { geo_fences: campaign.fences } };
    }
    if (rest === '/campaign_addresses')
      return list(
        ask,
        'campaign_addresses',
        campaign.addresses.map(({ id, address_id }) => ({ id, address_id, segment_type_id: 2 })),
      );
    if (rest === '/campaign_addresses/change') {
      const change = ask.json.campaign_first_party_segments as unknown as {
        add?: { address_id: number; segment_target_type_id: number }[];
        update?: { id: number; segment_target_type_id: number }[];
        delete?: number[];
      };
      const unknown = change.add?.find((one) => !addressLists.some(({ id }) => id === one.address_id));
      if (unknown) return refuse(422, 'Address must exist');
      campaign.addresses = campaign.addresses.filter(({ id }) => !change.delete?.includes(id));
      for (const one of change.update ?? [])
        for (const known of campaign.addresses)
          if (known.id === one.id) known.target = one.segment_target_type_id;
      for (const { address_id, segment_target_type_id } of change.add ?? [])
        campaign.addresses.push({ id: next(), address_id, target: segment_target_type_id });
      return { status: 200, json: { segment_match_type: 'any' } };
    }
    if (rest === '/budget_plans') {
      if (method === 'GET') return list(ask, 'budget_plans', campaign.plans);
      const made = { id: next(), ...(ask.json as object) } as StubCampaign['plans'][number];
      campaign.plans.push(made);
      return { status: 201, json: { budget_plans: [made] } };
    }
    if (rest === '/ads') {
      if (method === 'GET') return list(ask, 'ads', campaign.ads);
      const text = ask.raw.toString('latin1');
      const field = (name: string): string => {
        const head = `name="ad[${name}]"\r\n\r\n`;
        const begins = text.indexOf(head);
        return begins < 0 ? '' : text.slice(begins + head.length).split('\r\n', 1)[0]!;
      };
      if (!ask.type.startsWith('multipart/form-data')) return refuse(422, 'primary_creative is missing');
      if (field('ad_file_type_id') !== '1' || !text.includes('name="ad[primary_creative]"'))
        return refuse(422, 'primary_creative is missing');
      if (field('alt_text').length > 125) return refuse(422, 'alt_text is too long');
      const made = {
        id: next(),
        name: field('name'),
        status: 'Active',
        target_url: field('target_url'),
        ad_size_id: Number(field('ad_size_id')),
        bytes: ask.raw.length,
      };
      campaign.ads.push(made);
      return { status: 201, json: { ads: [made] } };
    }
    const [, adId, action = ''] = /^\/ads\/(\d+)(\/\w+)?$/.exec(rest) ?? [];
    const ad = campaign.ads.find((one) => one.id === Number(adId));
    if (!ad) return refuse(404, 'not found');
    if (action === '/pause') ad.status = 'Paused';
    else if (action === '/activate') ad.status = 'Active';
    else Object.assign(ad, (ask.json as { ad?: object }).ad);
    return { status: 200, json: { ads: [ad] } };
  }

  const server = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const raw = Buffer.concat(parts);
      const url = new URL(request.url!, 'http://stub');
      let json: Ask['json'] = {};
      try {
        json = JSON.parse(raw.toString('utf8'));
      } catch {
        // A form, or nothing.
      }
      requests.push({ method: request.method!, path: url.pathname, body: raw.toString('utf8') });
      const { meanwhile } = faults;
      if (meanwhile && request.method !== 'GET') {
        faults.meanwhile = null;
        await meanwhile();
      }
      const now = Date.now();
      window =
        now - window.from < MINUTE_MS ? { ...window, count: window.count + 1 } : { from: now, count: 1 };
      const isKnown = request.headers['x-app-key'] === APP && request.headers['x-user-key'] === USER;
      const result = !isKnown
        ? refuse(401, 'Unauthorized')
        : window.count > faults.mostAMinute
          ? refuse(429, 'Too many requests')
          : faults.failNext > 0 && faults.failNext--
            ? { status: 500, json: null }
            : answer({
                method: request.method!,
                path: url.pathname,
                query: url.searchParams,
                json,
                raw,
                type: request.headers['content-type'] ?? '',
              });
      // What was done although its answer never arrives.
      if (faults.loseNext > 0 && request.method !== 'GET' && faults.loseNext--)
        return void request.socket.destroy();
      reply
        .writeHead(result.status, { 'content-type': 'application/json' })
        .end(result.json === null ? '' : JSON.stringify(result.json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    host,
    keys: { base: `http://${host}`, appKey: APP, userKey: USER, organization: ORGANIZATION },
    campaigns,
    addressLists,
    requests,
    faults,
    /** What active campaigns do on a day: impressions at half the bid, never above the daily budget. */
    deliver(day: string, wanted = 1_000): void {
      for (const { id, status, fields, ads } of campaigns) {
        if (status !== 'Active') continue;
        for (const ad of ads.filter((one) => one.status === 'Active')) {
          const cpm = Number(fields.bid) / 2;
          const most = Math.floor((Number(fields.daily_budget) * 1000) / cpm);
          const known = days.find((one) => one.ad_id === ad.id && one.stat_date === day);
          const row = known ?? {
            campaign_id: id,
            ad_id: ad.id,
            stat_date: day,
            impressions: 0,
            clicks: 0,
            total_spend: 0,
          };
          if (!known) days.push(row);
          row.impressions = Math.min(most, row.impressions + wanted);
          row.clicks = Math.floor(row.impressions / 500);
          row.total_spend = Number(((row.impressions * cpm) / 1000).toFixed(6));
        }
      }
    },
    days,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
