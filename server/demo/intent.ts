import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ANYBODY } from '../features/campaigns/campaigns/index.ts';
import type { ManualClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { csvLine } from '../platform/csv.ts';
import type { Services } from '../services.ts';
import type { createFactories, MadePerson } from '../test/factories.ts';
import { sequence } from './names.ts';

const DAY_MS = 86_400_000;
const USD = 1_000_000n;

/** What the demo's people look for, and how likely each is. */
const SOUGHT = [
  'dental implants cost',
  'best dental implants near me',
  'teeth whitening',
  'teeth whitening at home',
  'emergency dentist',
  'invisible braces for adults',
  'hiking boots',
  'waterproof hiking boots women',
  'family tents',
  'trail running shoes',
  'shoes for running on trails',
  'tents for family camping',
  'waterproof boots for hiking',
  'crm software for small teams',
  'payroll services',
  'office furniture near me',
  'solar panels cost',
  'solar panel installers',
  'home battery storage',
  'used suv under 20000',
  'used cars near me',
  'houses for sale with pool',
];

/** The audience of the demo's B2B ID campaign. */
const DECIDERS = { seniorities: ['Owner', 'C-level', 'Vice president', 'Director', 'Manager'] };

/** Three weeks of intent signals of the demo's people, campaigns by keywords that find their leads among them, and counts. */
export async function seedIntent(given: {
  features: Services;
  clock: ManualClock;
  config: Config;
  rootId: string;
  crowd: MadePerson[];
  client: Parameters<ReturnType<typeof createFactories>['campaign']>[0];
  /** The client whose campaigns are Enhance ID and B2B ID. */
  outdoor: Parameters<ReturnType<typeof createFactories>['campaign']>[0];
  make: ReturnType<typeof createFactories>;
  now: Date;
}): Promise<void> {
  const { features, clock, config, rootId, crowd, client, make, now } = given;
  const random = sequence(11);
  if (clock.now() < now) clock.advance(now.getTime() - clock.now().getTime());
  const rows = Array.from({ length: 9000 }, () => {
    const person = crowd[Math.floor(random() * random() * crowd.length)]!;
    const keyword = SOUGHT[Math.floor(random() * SOUGHT.length)]!;
    const at = new Date(now.getTime() - 60_000 - random() * 21 * DAY_MS);
    // Some sites know only the phone, which other people in the demo have as well.
    const byPhone = person.phone !== undefined && random() < 0.2;
    return csvLine([
      byPhone ? '' : person.email,
      byPhone ? person.phone! : '',
      keyword,
      `https://www.findings.example/search/${keyword.replaceAll(' ', '-')}`,
      person.city ?? '',
      person.state ?? '',
      person.zip ?? '',
      at.toISOString(),
    ]);
  });
  const file = join(config.dataDir, 'demo-signals.csv');
  await writeFile(
    file,
    [csvLine(['email', 'phone', 'keyword', 'url', 'city', 'state', 'zip', 'time']), ...rows].join(''),
  );
  await features.people.importFile(rootId, file, {}, { kind: 'signals' });
  await rm(file);
  const states = [...new Set(crowd.slice(0, 400).flatMap((person) => person.state ?? []))]
    .sort()
    .slice(0, 12);
  const keywords = ['dental implants', 'teeth whitening', 'emergency dentist'];
  const campaign = await make.campaign(client, {
    name: 'Looking for a dentist',
    price: 4n * USD,
    balance: 400n * USD,
    dailyCap: 15,
    search: { keywords, location: 'state', states },
  });
  // Words in any order, with what is known of the people at home; and people at work by their job and company.
  const wide = ['running shoes', 'camping tents', 'hiking boots'];
  const enhance = await make.campaign(given.outdoor, {
    name: 'Outdoor families',
    module: 'enhance',
    advanced: [1, 4, 5, 6],
    price: 3n * USD,
    costs: { lead_advanced_micros: 3_500_000n },
    balance: 300n * USD,
    dailyCap: 20,
    search: { keywords: wide, location: 'national' },
  });
  const work = ['crm software', 'payroll services', 'office furniture'];
  const b2b = await make.campaign(given.outdoor, {
    name: 'Decision makers for office supplies',
    module: 'b2b',
    b2b: [101, 103, 105, 107, 108],
    price: 5n * USD,
    costs: { lead_b2b_micros: 6n * USD },
    balance: 400n * USD,
    dailyCap: 20,
    search: { keywords: work, location: 'national', ...DECIDERS },
  });
  await features.signals.delivery.run(rootId);
  const everywhere = { location: 'national' as const, states: [], cities: [], zips: [] };
  await features.signals.counts.seed(enhance.owner, enhance.id, {
    ...everywhere,
    module: 'enhance',
    keywords: wide,
  });
  await features.signals.counts.seed(b2b.owner, b2b.id, {
    ...everywhere,
    ...ANYBODY,
    ...DECIDERS,
    module: 'b2b',
    keywords: work,
  });
  for (const search of [
    { location: 'state' as const, states, cities: [], zips: [], keywords },
    {
      location: 'national' as const,
      states: [],
      cities: [],
      zips: [],
      keywords: ['invisible braces', 'snow tires'],
    },
  ])
    await features.signals.counts.seed(campaign.owner, campaign.id, search);
}
