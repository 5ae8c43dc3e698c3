import { z } from 'zod';
import { hostOf } from '../../../../contract/campaigns/site-hosts.ts';
import { Refusal } from '../../../../contract/errors.ts';

const Text = z.string().max(1_000);
const Pixels = z.int().min(0).max(10_000).optional();
const Flag = z.union([z.literal(0), z.literal(1)]).optional();
/** Something that a vendor may add to in its own way: what is not of the expected form is as if it were not there. */
const Region = z.string().max(20).optional();

/** What we read of a bid request (OpenRTB 2.6); everything else is ignored. */
const Request = z.object({
  id: z.string().min(1).max(255),
  test: Flag,
  at: z.int().optional(),
  tmax: z.number().min(1).max(60_000).optional(),
  cur: z.array(z.string().max(10)).max(200).optional(),
  imp: z
    .array(
      z.object({
        id: z.string().min(1).max(255),
        banner: z
          .object({
            w: Pixels,
            h: Pixels,
            format: z
              .array(z.object({ w: Pixels, h: Pixels }))
              .max(50)
              .optional(),
          })
          .optional(),
        bidfloor: z.number().min(0).max(1_000_000).optional(),
        bidfloorcur: z.string().max(10).optional(),
        secure: Flag,
        instl: Flag,
      }),
    )
    .min(1)
    .max(50),
  site: z.object({ domain: Text.optional(), page: z.string().max(4_000).optional() }).optional(),
  device: z
    .object({
      ua: z.string().max(2_000).optional(),
      ip: Text.optional(),
      ipv6: Text.optional(),
      ifa: Text.optional(),
      dnt: Flag,
      lmt: Flag,
      geo: z
        .object({
          country: z.string().max(10).optional(),
          region: Region,
          city: Text.optional(),
          zip: z.string().max(20).optional(),
          lat: z.number().min(-90).max(90).optional(),
          lon: z.number().min(-180).max(180).optional(),
        })
        .optional(),
    })
    .optional(),
  user: z
    .object({
      id: Text.optional(),
      eids: z
        .array(
          z.object({
            source: Text.optional(),
            uids: z
              .array(z.object({ id: Text.optional() }))
              .max(20)
              .optional(),
          }),
        )
        .max(50)
        .optional(),
    })
    .optional(),
  regs: z
    .object({
      coppa: Flag,
      gdpr: Flag,
      us_privacy: z.string().max(20).optional(),
      gpp: z.string().max(10_000).optional(),
      ext: z.object({ gpc: z.unknown(), gdpr: Flag, us_privacy: z.string().max(20).optional() }).optional(),
    })
    .optional(),
  badv: z.array(Text).max(10_000).optional(),
  wseat: z.array(Text).max(1_000).optional(),
  bseat: z.array(Text).max(1_000).optional(),
});

/** A place on a page that may be bid for. */
export interface Slot {
  id: string;
  sizes: readonly [w: number, h: number][];
  /** Dollars for 1,000. */
  floor: number;
  isSecure: boolean;
}

/** A bid request as the bidder needs it. */
export interface Asked {
  id: string;
  /** Milliseconds in which the exchange wants its answer; null: it does not say. */
  tmax: number | null;
  slots: readonly Slot[];
  /** The host of the site. */
  place: string;
  geo: {
    state: string | null;
    city: string | null;
    zip: string | null;
    lat: number | null;
    lon: number | null;
  };
  /** Whether its viewer may be told apart from others: counted, and looked up in audiences. */
  isRemembered: boolean;
  ua: string;
  ip: string | null;
  ifa: string | null;
  userId: string | null;
  eids: readonly { source: string; id: string }[];
  blocked: ReadonlySet<string>;
  /** Seats that may bid, if only some may, and those that may not. */
  allowedSeats: ReadonlySet<string> | null;
  blockedSeats: ReadonlySet<string>;
}

/** Why a request gets no bid, whatever campaigns there are. */
export type NoBid = 'test' | 'child' | 'abroad' | 'currency' | 'no_banner' | 'no_site';

/**
 * Reads a bid request. A string says why no one may bid for it. Whoever asks not to be tracked, by whatever signal, is not
 * remembered; a GPP string counts as one, because it may contain an opt-out.
 * @throws Refusal 400 naming the first field that is wrong
 */
export function readBidRequest(body: unknown): Asked | NoBid {
  const read = Request.safeParse(body);
  if (!read.success) {
    const [issue] = read.error.issues;
    const field = issue!.path.join('.') || 'body';
    throw new Refusal('bad_request', `${field}: ${issue!.message}`);
  }
  const { id, test, tmax, cur, imp, site, device, user, regs, badv, wseat, bseat } = read.data;
  if (test === 1) return 'test';
  if (regs?.coppa === 1) return 'child';
  const geo = device?.geo;
  if (geo?.country !== 'USA' || regs?.gdpr === 1 || regs?.ext?.gdpr === 1) return 'abroad';
  if (cur && !cur.includes('USD')) return 'currency';
  const slots = imp.flatMap(({ id: impId, banner, bidfloor = 0, bidfloorcur = 'USD', secure }) => {
    if (!banner || bidfloorcur !== 'USD') return [];
    const sizes = [...(banner.format ?? []), banner].flatMap(({ w, h }) =>
      w && h ? [[w, h] as [number, number]] : [],
    );
    return sizes.length > 0 ? [{ id: impId, sizes, floor: bidfloor, isSecure: secure === 1 }] : [];
  });
  if (slots.length === 0) return 'no_banner';
  const place = (site?.domain && hostOf(`https://${site.domain}`)) || (site?.page && hostOf(site.page));
  if (!place || place.length > 253) return 'no_site';
  const privacy = regs?.us_privacy ?? regs?.ext?.us_privacy;
  const gpc = regs?.ext?.gpc;
  const isRemembered = !(
    device?.dnt === 1 ||
    device?.lmt === 1 ||
    privacy?.[2]?.toUpperCase() === 'Y' ||
    regs?.gpp ||
    gpc === 1 ||
    gpc === '1'
  );
  const region = geo.region?.replace(/^US-/i, '').toUpperCase();
  return {
    id,
    tmax: tmax ?? null,
    slots,
    place,
    geo: {
      state: region && /^[A-Z]{2}$/.test(region) ? region : null,
      city: geo.city ?? null,
      zip: geo.zip?.slice(0, 5) ?? null,
      lat: geo.lat ?? null,
      lon: geo.lon ?? null,
    },
    isRemembered,
    ua: (device?.ua ?? '').slice(0, 300),
    ip: device?.ip ?? device?.ipv6 ?? null,
    ifa: device?.ifa ?? null,
    userId: user?.id ?? null,
    eids: (user?.eids ?? []).flatMap(({ source, uids }) =>
      (uids ?? []).flatMap(({ id: uid }) => (source && uid ? [{ source, id: uid }] : [])),
    ),
    blocked: new Set(badv ?? []),
    allowedSeats: wseat && wseat.length > 0 ? new Set(wseat) : null,
    blockedSeats: new Set(bseat ?? []),
  };
}
