import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ringOf } from '../../../contract/ads/area-rules.ts';
import { US_STATES } from '../../../contract/choices.ts';
import {
  type AdAudience,
  type AdDayReport,
  type AdOrder,
  type AdOrderCreative,
  type AdPlatform,
  AdPlatformError,
} from '../../platform/ad-platform.ts';
import { csvLine } from '../../platform/csv.ts';
import { jsonOf, type Outbound, OutboundError } from '../../platform/outbound.ts';

const API_VERSION = '2024-10-08';
const TIMEOUT_MS = 15_000;
const MOST_BYTES = 8_000_000;
const PAGE = 500;
const MOST_PAGES = 200;
/** Search, Contextual, Site Retargeting, IP Targeting, Geo Optimized. */
const CONTEXTUAL = 2;
const CPM = 1;
const BANNER = 1;
const IMAGE_FILE = 1;
/** Whom a list of addresses is for (segment_target_types). */
const EXCLUDE = 1;
const INCLUDE = 2;

const Entity = z.object({ id: z.int(), custom_id: z.string().nullish(), status: z.string().nullish() });
const Ad = z.object({
  id: z.int(),
  name: z.string(),
  status: z.string().nullish(),
  target_url: z.string().nullish(),
});
const Stat = z.object({
  stat_date: z.iso.date(),
  ad_id: z.int().nullish(),
  impressions: z.int().min(0),
  clicks: z.int().min(0),
  /** Dollars, as a number or as text. */
  total_spend: z.union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)]),
});
const Plan = z.object({
  id: z.int(),
  start_date: z.string(),
  end_date: z.string(),
  total_budget: z.union([z.number(), z.string()]),
});
const GeoTarget = z.object({
  id: z.int(),
  name: z.string(),
  parent_id: z.int().nullish(),
  active: z.boolean().nullish(),
});
const Fence = z.object({ id: z.int(), name: z.string().nullish(), bid_area: z.unknown() });
const AdSize = z.object({ id: z.int(), name: z.string() });
const Addresses = z.object({ id: z.int(), name: z.string() });
const Attached = z.object({ id: z.int(), address_id: z.int() });
const Paging = z.object({ page: z.int(), size: z.int(), total: z.int() });

/** Dollars in micro-dollars, without floating point. */
function microsOf(dollars: number | string): bigint {
  const [whole = '0', part = ''] = (typeof dollars === 'number' ? dollars.toFixed(6) : dollars).split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.slice(0, 6).padEnd(6, '0'));
}
/** Micro-dollars as dollars, rounded down to cents where the vendor takes no more. */
const dollarsOf = (micros: bigint, places = 2): number =>
  Number(micros / 10n ** BigInt(6 - places)) / 10 ** places;

/** Our mark in the name of an ad, which has no id of ours. */
const nameOf = (creative: AdOrderCreative): string => `${creative.name.slice(0, 80)} [${creative.id}]`;

interface Answer {
  status: number;
  json: unknown;
}

/**
 * Simpli.fi (app.simpli.fi/apidocs, version 2024-10-08). Campaigns begin as drafts, states change by actions only, and
 * there is no idempotency: our own id (`custom_id`) is looked for before anything is created.
 */
export function createSimplifi(parts: {
  outbound: Outbound;
  base: string;
  appKey: string;
  userKey: string;
  organization: number;
  /** Whether more may be asked; undefined: at any time. */
  mayAsk?: () => boolean;
}): AdPlatform {
  const { outbound, base, appKey, userKey, organization } = parts;
  const api = `${base}/api`;
  const inOrganization = `/organizations/${organization}`;

  async function send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object | { type: string; bytes: Buffer },
  ): Promise<Answer> {
    if (parts.mayAsk?.() === false) throw new AdPlatformError('Simpli.fi takes too long to answer.', true);
    const isRaw = body !== undefined && 'bytes' in body;
    try {
      const answer = await outbound.fetch(`${api}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          'content-type': isRaw ? body.type : 'application/json',
          'x-app-key': appKey,
          'x-user-key': userKey,
          'x-api-version': API_VERSION,
        },
        ...(body === undefined ? {} : { body: isRaw ? body.bytes : Buffer.from(JSON.stringify(body)) }),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MOST_BYTES,
      });
      const text = answer.body.toString('utf8');
      return { status: answer.status, json: text === '' ? null : jsonOf(text) };
    } catch (error) {
      if (error instanceof OutboundError || error instanceof SyntaxError)
        throw new AdPlatformError('Simpli.fi could not be reached.', true);
      throw error;
    }
  }

  /** The vendor's own words for a refusal. */
  function wordsOf(json: unknown): string {
    const { errors, message } = (json ?? {}) as { errors?: unknown; message?: unknown };
    const all = Array.isArray(errors) ? errors : [message];
    return all
      .map((one) => (typeof one === 'string' ? one : (one as { message?: string } | null)?.message))
      .filter(Boolean)
      .join('; ')
      .slice(0, 300)
      .toWellFormed();
  }

  async function ask(...given: Parameters<typeof send>): Promise<unknown> {
    const { status, json } = await send(...given);
    if (status >= 200 && status < 300) return json;
    const words = wordsOf(json);
    if (status === 401) throw new AdPlatformError('Simpli.fi does not accept the keys.', false);
    if (status === 429 || status >= 500) throw new AdPlatformError('Simpli.fi is busy.', true);
    throw new AdPlatformError(`Simpli.fi refused: ${words || `status ${status}`}`, false);
  }

  function read<T extends z.ZodType>(type: T, json: unknown): z.output<T> {
    const { data, error } = type.safeParse(json);
    if (error) throw new AdPlatformError('Simpli.fi answered something else than expected.', true);
    return data;
  }

  /** Every page of a list, or an error. */
  async function all<T extends z.ZodType>(path: string, name: string, type: T): Promise<z.output<T>[]> {
    const Page = z.object({ [name]: z.array(type), paging: Paging.optional() });
    const rows: z.output<T>[] = [];
    for (let page = 1; page <= MOST_PAGES; page++) {
      const json = read(
        Page,
        await ask('GET', `${path}${path.includes('?') ? '&' : '?'}page=${page}&size=${PAGE}`),
      ) as {
        paging?: z.output<typeof Paging>;
      } & Record<string, z.output<T>[]>;
      rows.push(...(json[name] as z.output<T>[]));
      const total = json.paging?.total ?? rows.length;
      if (rows.length >= total) return rows;
      if ((json[name] as unknown[]).length === 0) break;
    }
    throw new AdPlatformError('Simpli.fi answered only a part of a list.', true);
  }

  type Campaign = z.output<typeof Entity>;
  /** The vendor's campaign by its id, if there is one. */
  async function campaignAt(id: string): Promise<Campaign | undefined> {
    const { status, json } = await send('GET', `/campaigns/${id}`);
    if (status === 200) return read(z.object({ campaigns: z.array(Entity).min(1) }), json).campaigns[0]!;
    if (status !== 404) throw new AdPlatformError('Simpli.fi is busy.', true);
    return undefined;
  }
  const runs = ({ status }: Campaign): boolean => status === 'Active' || status === 'Pending';
  async function pause(campaign: Campaign): Promise<void> {
    if (runs(campaign)) await ask('POST', `${inOrganization}/campaigns/${campaign.id}/pause`, {});
  }

  /** The vendor's campaign of an order: looked for by our id, else a new draft. */
  async function campaignOf(order: AdOrder): Promise<Campaign> {
    const placed = order.externalId && (await campaignAt(order.externalId));
    if (placed) return placed;
    const known = (await all(`${inOrganization}/campaigns`, 'campaigns', Entity)).find(
      ({ custom_id }) => custom_id === order.id,
    );
    if (known) return known;
    const made = read(
      z.object({ campaigns: z.array(Entity).min(1) }),
      await ask('POST', `${inOrganization}/campaigns`, {}),
    ).campaigns[0]!;
    // Our id first: if anything fails after this, the draft is found again.
    await ask('PUT', `${inOrganization}/campaigns/${made.id}`, { campaign: { custom_id: order.id } });
    return { ...made, custom_id: order.id };
  }

  /** There is no monthly budget: it is a budget plan for what is left of the month. */
  async function plan(order: AdOrder, id: number): Promise<void> {
    const first = Temporal.PlainDate.from(order.today).with({ day: 1 });
    const ends = first.with({ day: first.daysInMonth }).toString();
    const end = order.endsOn && order.endsOn < ends ? order.endsOn : ends;
    const starts = order.startsOn && order.startsOn > first.toString() ? order.startsOn : first.toString();
    if (starts > end) return;
    const plans = await all(`/campaigns/${id}/budget_plans`, 'budget_plans', Plan);
    const own = plans.find(({ start_date }) => start_date.slice(0, 7) === starts.slice(0, 7));
    const total_budget = dollarsOf(order.monthlyMicros);
    if (!own)
      await ask('POST', `/campaigns/${id}/budget_plans`, { start_date: starts, end_date: end, total_budget });
    else if (microsOf(own.total_budget) !== microsOf(total_budget) || own.end_date.slice(0, 10) !== end)
      await ask('PUT', `/budget_plans/${own.id}`, { start_date: starts, end_date: end, total_budget });
  }

  const adsOf = (id: number): string => `${inOrganization}/campaigns/${id}/ads`;
  type Ads = z.output<typeof Ad>[];
  const adOf = (ads: Ads, creative: AdOrderCreative) =>
    ads.find(({ name }) => name.endsWith(`[${creative.id}]`));

  /** Stops the ads of creatives that are not shown any more; returns all of the campaign's. */
  async function stopAds(order: AdOrder, id: number): Promise<Ads> {
    const ads = (await all(adsOf(id), 'ads', Ad)).filter(({ status }) => status !== 'Deleted');
    for (const creative of order.creatives) {
      const ad = creative.isActive ? undefined : adOf(ads, creative);
      if (ad?.status === 'Active') await ask('POST', `${adsOf(id)}/${ad.id}/pause`, {});
    }
    return ads;
  }

  /** Places the ads that are shown; returns what the vendor calls each creative's. */
  async function placeAds(order: AdOrder, id: number, ads: Ads): Promise<Map<string, string>> {
    const path = adsOf(id);
    const placed = new Map<string, string>();
    let sizes: z.output<typeof AdSize>[] | undefined;
    for (const creative of order.creatives) {
      let ad = adOf(ads, creative);
      if (!creative.isActive) {
        if (ad) placed.set(creative.id, String(ad.id));
        continue;
      }
      if (!ad) {
        sizes ??= await all('/ad_sizes', 'ad_sizes', AdSize);
        const size = sizes.find(({ name }) => name === `${creative.width}x${creative.height}`);
        if (!size)
          throw new AdPlatformError(`Simpli.fi has no size ${creative.width}x${creative.height}.`, false);
        const form = new FormData();
        form.set('ad[name]', nameOf(creative));
        form.set('ad[target_url]', creative.clickUrl);
        form.set('ad[ad_file_type_id]', String(IMAGE_FILE));
        form.set('ad[ad_size_id]', String(size.id));
        form.set('ad[alt_text]', creative.altText.slice(0, 125));
        const file = new Blob([new Uint8Array(await creative.file())], { type: creative.type });
        form.set('ad[primary_creative]', file, creative.type === 'image/jpeg' ? 'ad.jpg' : 'ad.png');
        const request = new Request('http://form', { method: 'POST', body: form });
        ad = read(
          z.object({ ads: z.array(Ad).min(1) }),
          await ask('POST', path, {
            type: request.headers.get('content-type')!,
            bytes: Buffer.from(await request.arrayBuffer()),
          }),
        ).ads[0]!;
      } else if (ad.target_url !== creative.clickUrl)
        await ask('PUT', `${path}/${ad.id}`, { ad: { target_url: creative.clickUrl } });
      if (ad.status === 'Paused') await ask('POST', `${path}/${ad.id}/activate`, {});
      placed.set(creative.id, String(ad.id));
    }
    return placed;
  }

  /** The vendor's id of a place in another, or of a country; remembered, because places do not move. */
  const geoTargets = new Map<string, Promise<number>>();
  function geoTarget(name: string, parent?: number): Promise<number> {
    const key = `${parent ?? ''} ${name}`;
    const known = geoTargets.get(key);
    if (known) return known;
    const query = `name=${encodeURIComponent(name)}${parent === undefined ? '' : `&parent_id=${parent}`}`;
    const found = all(`/geo_targets?${query}`, 'geo_targets', GeoTarget).then((rows) => {
      const row = rows.find(
        (one) =>
          one.active !== false &&
          one.name.toLowerCase() === name.toLowerCase() &&
          (parent === undefined || one.parent_id === parent),
      );
      if (!row) throw new AdPlatformError(`Simpli.fi does not know the place ${name}.`, false);
      return row.id;
    });
    geoTargets.set(key, found);
    found.catch(() => geoTargets.delete(key));
    return found;
  }

  /** The places of an order other than ZIP codes. With areas, it is the country: they are then what narrows it. */
  async function geoTargetsOf({ states, cities, areas }: AdOrder): Promise<number[]> {
    if (states.length === 0 && areas.length === 0) return [];
    const country = await geoTarget('United States');
    if (areas.length > 0) return [country];
    const ids: number[] = [];
    for (const code of states) {
      const state = await geoTarget(US_STATES[code] ?? code, country);
      const within = cities.filter((city) => city.endsWith(`, ${code}`));
      if (within.length === 0) ids.push(state);
      // One after the other: an app key may ask only 300 times a minute.
      for (const city of within) ids.push(await geoTarget(city.slice(0, -4), state));
    }
    return ids;
  }

  /** Replaces the areas of a campaign, if they are others. */
  async function fence({ areas }: AdOrder, id: number): Promise<void> {
    const path = `${inOrganization}/campaigns/${id}/geo_fences`;
    const known = await all(path, 'geo_fences', Fence);
    const wanted = areas.map((area) => ({
      name: area.name,
      bid_area: { type: 'Polygon', coordinates: [ringOf(area)] },
    }));
    const told = known.map(({ name, bid_area }) => ({ name, bid_area }));
    if (isDeepStrictEqual(told, wanted)) return;
    await ask('PUT', path, { geo_fences: wanted });
  }

  /** Attaches the lists of addresses that a campaign is aimed at, and detaches all others. */
  async function aim(order: AdOrder, id: number): Promise<void> {
    const known = await all(`/campaigns/${id}/campaign_addresses`, 'campaign_addresses', Attached);
    if (known.length === 0 && order.audiences.length === 0) return;
    const wanted = new Map(
      order.audiences.map(({ externalId, isExcluded }) => [
        Number(externalId),
        isExcluded ? EXCLUDE : INCLUDE,
      ]),
    );
    // The list does not tell how an address list is meant, so those that are there are told again.
    await ask('PUT', `/campaigns/${id}/campaign_addresses/change`, {
      campaign_first_party_segments: {
        add: [...wanted]
          .filter(([address_id]) => !known.some((one) => one.address_id === address_id))
          .map(([address_id, segment_target_type_id]) => ({ address_id, segment_target_type_id })),
        update: known.flatMap((one) => {
          const segment_target_type_id = wanted.get(one.address_id);
          return segment_target_type_id ? [{ id: one.id, segment_target_type_id }] : [];
        }),
        delete: known.filter((one) => !wanted.has(one.address_id)).map((one) => one.id),
        segment_match_type: 'any',
      },
    });
  }

  /** The vendor's list of addresses of an audience: looked for by our id in its name, else a new one. */
  async function addressListOf({ id, name, externalId }: AdAudience): Promise<number> {
    if (externalId) {
      const { status } = await send('GET', `/addresses/${externalId}`);
      if (status === 200) return Number(externalId);
      if (status !== 404) throw new AdPlatformError('Simpli.fi is busy.', true);
    }
    const path = `${inOrganization}/addresses`;
    const known = (await all(`${path}?search_term=${id}`, 'addresses', Addresses)).find((one) =>
      one.name.endsWith(`[${id}]`),
    );
    if (known) return known.id;
    const made = await ask('POST', path, { address: { name: `${name.slice(0, 80)} [${id}]` } });
    return read(z.object({ addresses: z.array(Addresses).min(1) }), made).addresses[0]!.id;
  }

  return {
    async putAudience(audience) {
      const id = await addressListOf(audience);
      const lines = audience.addresses.map((one) => csvLine([one.address, one.city, one.state, one.zip]));
      // What is uploaded replaces what was there.
      await ask('PUT', `${inOrganization}/addresses/${id}/upload`, {
        type: 'text/csv',
        bytes: Buffer.from([csvLine(['address', 'city', 'state', 'zip']), ...lines].join('')),
      });
      return String(id);
    },

    async removeAudience(externalId) {
      const { status, json } = await send('DELETE', `/addresses/${externalId}`);
      if ((status >= 200 && status < 300) || status === 404) return;
      if (status === 429 || status >= 500) throw new AdPlatformError('Simpli.fi is busy.', true);
      throw new AdPlatformError(`Simpli.fi refused: ${wordsOf(json) || `status ${status}`}`, false);
    },

    async stop(externalId) {
      const campaign = await campaignAt(externalId);
      if (campaign) await pause(campaign);
    },

    while: (mayAsk) => createSimplifi({ ...parts, mayAsk }),

    async put(order) {
      const campaign = await campaignOf(order);
      const { id } = campaign;
      // What is to end comes first: the vendor may refuse something of the rest.
      if (!order.isRunning) await pause(campaign);
      const ads = await stopAds(order, id);
      await ask('PUT', `${inOrganization}/campaigns/${id}`, {
        campaign: {
          name: order.name,
          custom_id: order.id,
          campaign_type_id: CONTEXTUAL,
          media_type_id: BANNER,
          bid_type_id: CPM,
          bid: dollarsOf(order.bidMicros, 3),
          daily_budget: dollarsOf(order.dailyMicros),
          total_budget: order.totalMicros === null ? null : dollarsOf(order.totalMicros),
          start_date: order.startsOn && order.startsOn > order.today ? order.startsOn : order.today,
          end_date: order.endsOn,
          frequency_capping: order.frequency && {
            how_many_times: order.frequency.times,
            hours: order.frequency.hours,
          },
          click_attribution_window: order.clickDays,
          view_attribution_window: Math.ceil(order.viewHours / 24),
          geo_target_ids: await geoTargetsOf(order),
          postal_codes: {
            values: order.zips.map((postal_code) => ({ postal_code, country_code: 'USA' })),
            append: false,
          },
          campaign_goal: order.goal && {
            goal_type: order.goal.type,
            goal_value: String(dollarsOf(order.goal.micros)),
            ...(order.goal.type === 'cpa' ? { cpa_view_thru_per: 100, cpa_click_thru_per: 100 } : {}),
          },
        },
      });
      await fence(order, id);
      await plan(order, id);
      await aim(order, id);
      const creatives = await placeAds(order, id, ads);
      // Only what the vendor says is possible now is asked for.
      if (order.isRunning && !runs(campaign) && order.creatives.some((one) => one.isActive))
        await ask('POST', `${inOrganization}/campaigns/${id}/activate`, {});
      return { externalId: String(id), creatives };
    },

    async report(order, from, to): Promise<AdDayReport[]> {
      if (!order.externalId) return [];
      const ours = new Map(
        order.creatives.flatMap((one) => (one.externalId ? [[Number(one.externalId), one.id] as const] : [])),
      );
      const query = `start_date=${from}&end_date=${to}&by_day=true&by_ad=true&campaign_id=${order.externalId}`;
      const rows = await all(`${inOrganization}/campaign_stats?${query}`, 'campaign_stats', Stat);
      return rows.flatMap((row) => {
        const creativeId = row.ad_id ? ours.get(row.ad_id) : undefined;
        return creativeId
          ? [
              {
                day: row.stat_date,
                creativeId,
                impressions: row.impressions,
                clicks: row.clicks,
                mediaMicros: microsOf(row.total_spend),
              },
            ]
          : [];
      });
    },
  };
}
