import { derive } from '../../../platform/crypto.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { ipText } from '../../../platform/identifiers.ts';
import { newId } from '../../../platform/ids.ts';
import type { BidRequest } from '../../../platform/open-rtb.ts';
import type { Platform } from '../../../platform/platform.ts';
import {
  createSandboxExchange,
  type Outcome,
  type Persona,
} from '../../../providers/sandbox-exchange/index.ts';
import type { AdAudiences } from '../ad-audiences/index.ts';
import { type AdCampaigns, type AdRow, bidOf } from '../ad-campaigns/index.ts';
import {
  audiencesOf,
  type Bidding,
  bidFor,
  inOf,
  keysOfViewer,
  LASTS_MS,
  placeOf,
  placesOf,
} from './bidder.policy.ts';
import { viewerOf } from './house.service.ts';

/** How much of the time of a campaign is simulated in one transaction. */
const STEP_MS = 10 * 60_000;
/** Requests of the exchange in a minute of simulated time. */
const REQUESTS_A_MINUTE = 6;
/** A campaign that was paused for longer does not make up for it. */
const MOST_BEHIND_MS = 60 * 60_000;

/** How long after an auction its notices come. */
const SOON_MS = 1_000;

/** Keys of audiences that the simulated exchange's viewers are drawn from. */
const MOST_KNOWN = 500;

/** What an exchange tells of one of an audience. */
function personaOf(keys: readonly { kind: number; value: Buffer }[]): Persona {
  const [email, device, ip] = [1, 5, 7].map((kind) => keys.find((key) => key.kind === kind)?.value);
  return {
    ...(email ? { emailSha256: email.toString('hex') } : {}),
    ...(device ? { deviceId: device.toString('hex') } : {}),
    // What only a client's own sites know of is no address.
    ...(ip?.length === 16 ? { ip: ipText(ip) } : {}),
  };
}

/** What a viewer of a bid request is recognized by. */
const keysOf = ({ device, user }: BidRequest) =>
  keysOfViewer({
    eids: (user.eids ?? []).map(({ source, uids }) => ({ source, id: uids[0]!.id })),
    ifa: device.ifa ?? null,
    ip: device.ip ?? null,
  });

/**
 * Runs campaigns on the sandbox exchange: it draws bid requests, our bidder answers, and what it wins is rendered, billed,
 * and clicked as the exchange says. No one sees these ads.
 */
export function createSandbox(
  { db, clock, config, log }: Platform,
  { adCampaigns, adAudiences }: { adCampaigns: AdCampaigns; adAudiences: AdAudiences },
) {
  const { spending, rows } = adCampaigns;
  const key = derive(config.appKey, 'ads.viewer');

  /** Simulates one step of a campaign. Returns until when it has been simulated; null if there is nothing to do. */
  const step = (rootId: string, campaignId: string, until: Date): Promise<Date | null> =>
    inScope(db.app, { rootId }, async (tx) => {
      const row = await rows.byId(tx, campaignId, true);
      if (row?.platform !== 'sandbox' || row.state !== 'active') return null;
      const behind = new Date(until.getTime() - MOST_BEHIND_MS);
      const from = row.ran_until && row.ran_until > behind ? row.ran_until : behind;
      const at = new Date(Math.min(until.getTime(), from.getTime() + STEP_MS));
      const requests = Math.floor(((at.getTime() - from.getTime()) / 60_000) * REQUESTS_A_MINUTE);
      if (requests === 0) return null;
      await rows.set(tx, campaignId, { ran_until: at });
      await simulate(tx, row, at, requests);
      return at;
    });

  async function simulate(tx: Parameters<typeof rows.byId>[0], row: AdRow, at: Date, requests: number) {
    const aims = (await adAudiences.aimsOf(tx, [row.id])).get(row.id) ?? [];
    const aimedAt = aims.map(({ id }) => id);
    const exchange = createSandboxExchange(
      `${row.id} ${at.toISOString()}`,
      (await adAudiences.sampleOf(tx, aimedAt, MOST_KNOWN)).map(personaOf),
    );
    const bidding: Bidding = {
      id: row.id,
      mediaMicros: bidOf(row.max_bid_micros / 1000n, await spending.ratesOf(tx, row)),
      places: placesOf(row),
      frequency: row.frequency_cap === null ? null : { times: row.frequency_cap, hours: row.frequency_hours },
      audiences: audiencesOf(aims),
      creatives: await rows.creatives(tx, [row.id], true),
    };
    const bids: {
      id: string;
      creativeId: string;
      place: string;
      media: bigint;
      viewer: Buffer;
      region: string | null;
      audiences: string[];
      outcome: Outcome;
    }[] = [];
    const asked = Array.from({ length: requests }, () => exchange.request());
    const among = await adAudiences.among(tx, row.root_id, aimedAt, asked.map(keysOf));
    const viewers = asked.map((request) => viewerOf(key, request.user.id, request.device.ua));
    const { frequency } = bidding;
    const seen = frequency
      ? await spending.timesSeenBy(
          tx,
          row.root_id,
          [row.id],
          viewers,
          new Date(at.getTime() - frequency.hours * 3_600_000),
        )
      : new Map<string, Date[]>();
    for (const [n, request] of asked.entries()) {
      const viewer = viewers[n]!;
      const name = `${viewer.toString('hex')} ${row.id}`;
      const answer = bidFor(request, [bidding], () => seen.get(name) ?? [], among[n]!, at);
      if (!answer) continue;
      seen.set(name, [...(seen.get(name) ?? []), at]);
      bids.push({
        id: newId(at),
        creativeId: answer.creativeId,
        place: request.site.domain,
        media: answer.mediaMicros,
        viewer,
        region: placeOf(request).state,
        audiences: inOf(bidding.audiences, among[n]!),
        outcome: exchange.settle(request, answer.response),
      });
    }
    // A bid is a promise: it is taken out of the budgets before the exchange hears of it.
    const held = await spending.hold(
      tx,
      row.id,
      bids.map(({ id, creativeId, place, viewer, region, audiences }) => ({
        id,
        region,
        audiences,
        creativeId,
        place,
        mostMicros: row.max_bid_micros / 1000n,
        lastsMs: LASTS_MS,
        viewer,
      })),
      at,
    );
    const made = bids.filter(({ id }) => held.has(id));
    await spending.lose(
      tx,
      row.id,
      made.filter(({ outcome }) => !outcome.won).map(({ id }) => id),
    );
    const noticed = (which: Outcome['notice'][]) =>
      made
        .filter(({ outcome }) => outcome.isRendered && which.includes(outcome.notice))
        .map(({ id, media, outcome }) => ({
          id,
          campaignId: row.id,
          mediaMicros: media,
          isViewable: outcome.isViewable,
        }));
    const soon = new Date(at.getTime() + SOON_MS);
    await spending.bill(tx, noticed(['once', 'twice']), soon);
    await spending.bill(tx, noticed(['twice']), soon);
    await spending.bill(tx, noticed(['late']), new Date(at.getTime() + LASTS_MS + 1_000));
    await spending.click(
      tx,
      made.filter(({ outcome }) => outcome.isClicked).map(({ id }) => ({ id, at: soon })),
    );
  }

  return {
    /** Simulates all campaigns of a root up to now. Returns how many steps were made. */
    async run(rootId: string): Promise<number> {
      const now = clock.now();
      const active = await inScope(db.app, { rootId }, (tx) => rows.active(tx, { platform: 'sandbox' }));
      let steps = 0;
      for (const { id, root_id } of active) {
        if (root_id !== rootId) continue;
        try {
          for (let at = await step(rootId, id, now); at; at = await step(rootId, id, now)) {
            const soon = new Date(at.getTime() + SOON_MS);
            // In a transaction of its own: whoever posts locks the client first, and then the campaign.
            await inScope(db.app, { rootId }, (tx) => spending.post(tx, id, soon));
            steps++;
          }
        } catch (error) {
          log.error({ err: error, campaignId: id }, 'the sandbox could not show an ad campaign');
        }
      }
      return steps;
    },
  };
}
