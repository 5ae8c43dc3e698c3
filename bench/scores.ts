import type { Result } from './import.ts';
import { median, openStage } from './stage.ts';

const PEOPLE = 20_000;
/** Of the visits, from people the graph knows. */
const KNOWN = 0.2;
/** Of those, from someone who has been seen before. */
const RETURNING = 0.3;
const PAGES = ['', 'pricing', 'products', 'products/tents', 'contact', 'blog/layers'];

/**
 * Works off visits of two clients in turn: of one, whose campaign weighs nothing and has no filter, so that its leads
 * have no scores; and of another, whose campaign weighs all four reasons and judges by a filter. Fails when a lead of
 * the first has a score, or one of the second has none.
 */
export async function benchScores({ full = false } = {}): Promise<Result> {
  const visits = full ? 20_000 : 4_000;
  const stage = await openStage();
  try {
    const { make, features } = stage;
    const root = await make.root();
    const agency = await make.agency(root, { host: 'agency.test' });
    const owned = { price: 250_000n, balance: 1_000_000_000_000n };
    const plain = await make.campaign(await make.client(agency), {
      ...owned,
      score_recency: 0,
      score_depth: 0,
      score_hot: 0,
      score_fit: 0,
    });
    const scored = await make.campaign(await make.client(agency), {
      ...owned,
      fit_ages: ['25 to 34', '35 to 44', '45 to 54'],
      fit_home: 'owner',
      fit_use: 'score',
    });
    await features.visits.keepPartitions();
    const emails: string[] = [];
    for (let from = 0; from < PEOPLE; from += 5000) {
      const people = Array.from({ length: 5000 }, (_, i) =>
        make.person({ email: `person${from + i}@people.example` }),
      );
      await make.people(root, people);
      emails.push(...people.map(({ email }) => email));
    }
    const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

    /** Takes visits and returns how many a second of them are worked off. */
    async function round(campaign: { siteKey: string }, seen: string[]): Promise<number> {
      const at = (): string => `https://shop.example.com/${any(PAGES)}`;
      for (let from = 0; from < visits; from += 100)
        await Promise.all(
          Array.from({ length: 100 }, () => {
            if (Math.random() >= KNOWN) return make.visit(campaign, { url: at() });
            const email = seen.length > 0 && Math.random() < RETURNING ? any(seen) : any(emails);
            seen.push(email);
            return make.visit(campaign, { url: at(), email });
          }),
        );
      const began = performance.now();
      const done = await features.leads.resolver.resolveAll();
      if (done !== visits) throw new Error(`${done} of ${visits} visits were worked off`);
      return done / ((performance.now() - began) / 1000);
    }

    const rates = { plain: [] as number[], scored: [] as number[] };
    const seen = { plain: [] as string[], scored: [] as string[] };
    // The first of each warms up.
    for (let i = 0; i < 6; i++) {
      const [one, other] = [await round(plain, seen.plain), await round(scored, seen.scored)];
      if (i > 0) rates.plain.push(one);
      if (i > 0) rates.scored.push(other);
    }
    const wrong = await stage.number(
      `select count(*) from lead where (score >= 0) <> (campaign_id = '${scored.id}')`,
    );
    if (wrong > 0) throw new Error(`${wrong} leads have a score that they should not have, or have none`);
    const leads = await stage.number('select count(*) from lead');
    console.log(`scores: ${leads} leads of ${12 * visits} visits, in rounds of ${visits}`);
    const [limit, ours] = [median(rates.plain), median(rates.scored)];
    return {
      name: 'visits worked off per second with scores and a filter',
      limit,
      ours,
      ratio: ours / limit,
      target: 1 / 1.15,
    };
  } finally {
    await stage.close();
  }
}
