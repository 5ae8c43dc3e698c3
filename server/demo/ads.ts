import type { BannerDesign } from '../../contract/ads/banner-rules.ts';
import { designOf } from '../../contract/ads/banner-templates.ts';
import { newId } from '../platform/ids.ts';
import { reencodePicture } from '../platform/image.ts';
import type { Platform } from '../platform/platform.ts';
import type { Services } from '../services.ts';
import {
  BROWSER,
  type Company,
  type createFactories,
  type MadeCampaign,
  type MadePerson,
} from '../test/factories.ts';
import { NEWS_ZONES } from './news.ts';

const USD = 1_000_000n;
/** Ads that are shown on the news site in a stretch of a day, and every how many are clicked. */
const SHOWN = 10;
const CLICKED = 4;

/** A banner as a drawing: a ridge, a line of text, and a button. */
const drawing = (width: number, height: number, title: string, size: number): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
      <rect width="${width}" height="${height}" fill="#f4e3c4"/>
      <path d="M0 ${height} L${width * 0.25} ${height * 0.45} L${width * 0.45} ${height * 0.8} L${width * 0.7} ${height * 0.35} L${width} ${height * 0.75} L${width} ${height} Z" fill="#1f5c43"/>
      <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" fill="none" stroke="#1f5c43"/>
      <text x="${width * 0.05}" y="${size * 1.5}" font-family="Inter" font-weight="700" font-size="${size}" fill="#173f2f">${title}</text>
      <rect x="${width * 0.05}" y="${height - size * 1.9}" width="${size * 6.9}" height="${size * 1.5}" rx="${size * 0.3}" fill="#d9480f"/>
      <text x="${width * 0.05 + size * 0.55}" y="${height - size * 0.9}" font-family="Inter" font-weight="600" font-size="${size * 0.75}" fill="#ffffff">See the Tarn 28</text>
    </svg>`,
  );

/** A ridge, for the bottom of a banner. */
const RIDGE = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 420" width="900" height="420">
    <rect width="900" height="420" fill="#173f2f"/>
    <path d="M0 420 L150 210 L290 330 L470 90 L640 300 L760 190 L900 330 L900 420 Z" fill="#2b6b4f"/>
    <path d="M0 420 L220 330 L420 400 L600 290 L900 400 L900 420 Z" fill="#3f8a68"/>
  </svg>`,
);
const WORDS: Record<string, string> = {
  headline: 'Made for the walk home',
  line: 'The Tarn 28: repaired, not replaced',
  button: 'See the pack',
};
/** The demo's banner: a template with its own words, and a ridge behind them. */
function tarnDesign(ridge: string): BannerDesign {
  const design = designOf('bold', {
    main: '#173f2f',
    onMain: '#f4e3c4',
    accent: '#d9480f',
    onAccent: '#ffffff',
  });
  const layers = design.layers.map((layer) =>
    layer.kind === 'text' ? { ...layer, text: WORDS[layer.id] ?? layer.text } : layer,
  );
  return {
    ...design,
    layers: [
      {
        ...{ id: 'ridge', name: 'Ridge', kind: 'image', media_id: ridge, fit: 'cover', opacity: 1 },
        ...{ anchor_x: 'stretch', anchor_y: 'bottom' },
        frames: {
          '300x250': { x: 0, y: 150, width: 300, height: 100 },
          '728x90': { x: 380, y: 0, width: 348, height: 90 },
          '160x600': { x: 0, y: 420, width: 160, height: 180 },
          '300x600': { x: 0, y: 400, width: 300, height: 200 },
          '970x250': { x: 540, y: 40, width: 430, height: 210 },
          '320x50': { x: 190, y: 0, width: 130, height: 50 },
        },
      },
      ...layers,
    ],
  };
}

/**
 * The ads of the demo: a campaign of house ads on the news site with clicks, visits, and leads, and one on the sandbox
 * exchange. `stretch` does what happens in a part of a day.
 */
export async function createDemoAds(given: {
  platform: Platform;
  features: Services;
  make: ReturnType<typeof createFactories>;
  agency: Company;
  client: Company;
  site: MadeCampaign;
  shopUrl: (path: string) => string;
  newsHost: string;
  people: MadePerson[];
}) {
  const { platform, features, make, agency, client, site, newsHost, people } = given;
  const picture = async (width: number, height: number, title: string, size: number) =>
    (
      await reencodePicture(drawing(width, height, title, size), {
        maxSide: Math.max(width, height),
        by: client.id,
      })
    ).bytes;
  const side = await picture(300, 250, 'Made for the walk home', 21);
  const wide = await picture(728, 90, 'Packs that are repaired, not replaced', 26);
  await make.adTerms({ ...client, id: client.root_id }, { share_bp: 1_500 });
  const clickUrl = given.shopUrl('/product.html');
  const house = await make.adCampaign(client, {
    name: 'Tarn 28 on the Courier',
    platform: 'house',
    max_bid_micros: 5n * USD,
    daily_micros: 10n * USD,
    monthly_micros: 200n * USD,
    markup_bp: 2_500,
    balance: 100n * USD,
    clickUrl,
    image: side,
  });
  // Customers of the shop: most are people whom the graph knows, and one row is not an address.
  const customers = await make.audience(client, {
    name: 'Customers who bought a pack',
    emails: [
      ...people.slice(0, 60).flatMap(({ email }) => email ?? []),
      ...Array.from({ length: 60 }, (_, n) => `customer${n + 1}@example.com`),
      'walk-in customer',
    ],
  });
  await make.adCreative(house, { name: 'Tarn 28, wide', clickUrl, size: [728, 90], image: wide });
  const nationwide = await make.adCampaign(client, {
    name: 'Outdoor readers nationwide',
    platform: 'sandbox',
    max_bid_micros: 4n * USD,
    daily_micros: 3n * USD,
    monthly_micros: 90n * USD,
    markup_bp: 2_500,
    frequency_cap: 5,
    goal_type: 'ctr',
    goal_micros: 500_000n,
    balance: 60n * USD,
    clickUrl: 'https://shop.northwind.example/',
    image: side,
  });
  const ridge = await reencodePicture(RIDGE, { maxSide: 900, by: client.id });
  await make.banner(client, {
    name: 'Tarn 28, spring',
    alt_text: 'A pack by Northwind Outfitters in front of a ridge',
    click_url: clickUrl,
    design: tarnDesign(
      await make.media(client, { name: 'Ridge', image: ridge.bytes, size: [ridge.width, ridge.height] }),
    ),
  });
  await make.aim(nationwide, [], [customers]);
  await make.adZone(agency, {
    name: 'Courier, top',
    key: NEWS_ZONES.wide,
    hosts: [newsHost],
    size: [728, 90],
    cpm: 2n * USD,
  });
  await make.adZone(agency, {
    name: 'Courier, side',
    key: NEWS_ZONES.side,
    hosts: [newsHost],
    cpm: 3n * USD,
  });
  let serial = 0;

  return {
    async stretch(): Promise<void> {
      await features.adServing.sandbox.run(client.root_id);
      for (let n = 0; n < SHOWN; n++) {
        const one = ++serial;
        const ip = `198.19.${100 + (one >> 8)}.${one & 255}`;
        const from = { ip, userAgent: BROWSER, host: newsHost, gpc: false };
        const ad = await features.adServing.house.serve(one % 2 ? NEWS_ZONES.side : NEWS_ZONES.wide, from);
        if (!ad || one % 5 === 0) continue;
        await features.adServing.house.view(ad.t, from);
        if (one % CLICKED !== 0) continue;
        const url = await features.adServing.house.click(ad.c.slice(ad.c.lastIndexOf('/') + 1), from);
        const browser = { ip, visitorId: newId(platform.clock.now()), userAgent: BROWSER };
        await make.visit(site, { ...browser, url });
        if (one % (CLICKED * 3) === 0)
          await make.visit(site, {
            ...browser,
            url: given.shopUrl('/newsletter.html'),
            email: people[one % people.length]!.email,
          });
      }
      await features.leads.resolver.resolveAll();
      await features.adCampaigns.spending.expire(client.root_id);
      await features.adCampaigns.spending.postAll(client.root_id);
    },
  };
}
