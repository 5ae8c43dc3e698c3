import { Refusal } from '../../../contract/errors.ts';
import { dollarsOf } from '../../../contract/primitives.ts';
import { amountOf, floorOf } from '../../features/money/prepaid/policy.ts';
import { actingOwner } from '../acting.ts';
import type { TestApp } from '../app.ts';
import { prepaidStage } from '../prepaid.ts';
import { randomFrom } from './harness.ts';

const USD = 1_000_000n;
const HOUR_MS = 3_600_000;
/**
 * What happens to the next charge: it succeeds, the card declines, its answer is lost, or the process dies at some
 * step.
 */
const FATES = [
  'works',
  'works',
  'works',
  'works',
  'works',
  'works',
  'works',
  'declines',
  'declines',
  'lost',
  'intent',
  'claimed',
  'answer',
  'posting',
] as const;
/** The relative frequency of each action. */
const KINDS = Object.entries({
  buy: 2,
  refund: 1,
  dispute: 1,
  price: 1,
  turn: 1,
  wait: 2,
  renew: 6,
  sell: 6,
}).flatMap(([kind, often]) => Array<string>(often).fill(kind));
type Fate = (typeof FATES)[number];

/** Where the next charge dies; the test's app checks it at each step. */
export const crash: { at: string | null } = { at: null };

export interface PrepaidReport {
  steps: number;
  bought: number;
  renewed: number;
  refunded: number;
  disputed: number;
  crashes: number;
  refused: number;
}

/**
 * Random histories of a prepaid campaign, compared with a model that only adds up: what cards paid, what was returned,
 * what leads cost. After each step the books must match. Throws at the first difference, naming seed and step.
 */
export async function prepaidModel(
  app: TestApp,
  { lives, steps, seed }: { lives: number; steps: number; seed: number },
): Promise<PrepaidReport> {
  const random = randomFrom(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const { prepaid, payments } = app.features;
  const report: PrepaidReport = {
    steps: 0,
    bought: 0,
    renewed: 0,
    refunded: 0,
    disputed: 0,
    crashes: 0,
    refused: 0,
  };
  const told = new Set<string>();
  app.platform.events.on('prepaid.topped_up', async (_tx, { chargeId }) => {
    told.add(chargeId);
  });
  const one = async (text: string, values: unknown[]): Promise<bigint> =>
    BigInt((await app.admin.query(text, values)).rows[0].sum);

  for (let life = 0; life < lives; life++) {
    const root = await app.make.root({ host: `model${seed}-${life}.test` });
    const stage = prepaidStage(app, root);
    const who = await stage.made();
    const ctx = actingOwner(app.clock, root.id, who.agency.id);
    const id = who.campaign.id;
    let price = USD;
    const leads = 10 + below(30);
    let continual = true;
    /** What leads cost. */
    let spent = 0n;
    /** Renewals since the balance was last seen above its floor. */
    let renewals = 0n;
    let serial = 0;
    await stage.terms(who, { leads_buy: leads, topup: 'continual' });

    const balance = () => stage.balance(who);
    const renewed = () =>
      one("select count(*) as sum from prepaid_attempt where campaign_id = $1 and state = 'succeeded'", [id]);
    /** Runs something with a given fate for anything it charges; if the process dies, another one continues. */
    const fated = async (fate: Fate, work: () => Promise<unknown>): Promise<void> => {
      await stage.card(who, fate === 'declines' ? 'declines' : 'works');
      if (fate === 'lost') stage.loseAnswer();
      crash.at =
        fate === 'intent' || fate === 'claimed' || fate === 'answer' || fate === 'posting' ? fate : null;
      try {
        await work();
      } catch (error) {
        if (error instanceof Refusal) report.refused++;
        else if (error instanceof Error && error.message === 'crash') report.crashes++;
        else throw error;
      }
      crash.at = null;
      stage.keepAnswers();
    };
    const check = async (what: string): Promise<void> => {
      const same = (name: string, ours: unknown, theirs: unknown): void => {
        if (ours !== theirs)
          throw new Error(
            `seed ${seed}, life ${life}, ${what}: ${name}: the model has ${ours}, the books ${theirs}`,
          );
      };
      const paid = await one(
        "select coalesce(sum(amount_cents), 0) * 10000 as sum from charge where company_id = $1 and state in ('succeeded', 'refunded', 'disputed')",
        [who.client.id],
      );
      const back = await one(
        "select coalesce(sum(amount_cents), 0) * 10000 as sum from refund where company_id = $1 and state <> 'failed'",
        [who.client.id],
      );
      const taken = await one(
        "select coalesce(sum(amount_cents), 0) * 10000 as sum from payment_dispute where company_id = $1 and state <> 'won'",
        [who.client.id],
      );
      const left = await balance();
      const owed = await stage.sum(who.client.id, 'client_unbilled');
      same('balance less owed', paid - back - taken - spent, left + owed);
      same('clearing', -(paid - back - taken), await stage.sum(who.agency.id, 'card_clearing'));
      same('a balance below zero', false, left < 0n || owed > 0n);
      const open = await one(
        "select count(*) as sum from charge where company_id = $1 and state in ('intended', 'sent', 'unknown')",
        [who.client.id],
      );
      same('more than one charge under way', false, open > 1n);
      const orphans = await one(
        `select count(*) as sum from prepaid_attempt a where campaign_id = $1 and state <> 'refused'
           and not exists (select from charge c where c.idempotency_key = a.id::text)`,
        [id],
      );
      same('renewals without a charge', 0n, orphans);
      const answer = await prepaid.remaining(ctx, id);
      same('spent, as told', Number(spent), answer.spent_micros);
      same('balance, as told', Number(left), answer.balance_micros);
      same('refunded, as told', Number(back), answer.refunded_micros);
    };

    const first = { leads: 20, amount: '20.00', key: 'model-first' };
    await prepaid.topUp(ctx, id, first);
    for (let step = 0; step < steps; step++) {
      report.steps++;
      const fate = FATES[below(FATES.length)]!;
      const drawn = KINDS[below(KINDS.length)]!;
      const kind = drawn === 'renew' && !continual ? 'turn' : drawn;
      const before = await renewed();
      let what = 'sell';
      if (kind === 'buy') {
        what = `buy (${fate})`;
        const key = `model-${serial++}`;
        const asked = 1 + below(40);
        const amount = dollarsOf(amountOf(asked, price));
        const click = () => prepaid.topUp(ctx, id, { leads: asked, amount, key });
        await fated(fate, click);
        // The user clicks again.
        if (below(2)) await fated('works', click);
      } else if (kind === 'refund') {
        what = 'refund';
        const amount = below(3) ? `${1 + below(20)}.00` : undefined;
        const key = `model-${serial++}`;
        const [first] = await Promise.allSettled([
          prepaid.refund(ctx, id, { amount, key }),
          prepaid.refund(ctx, id, { amount, key }),
        ]);
        if (first.status === 'fulfilled') report.refunded++;
        else if (!(first.reason instanceof Refusal)) throw first.reason;
        else report.refused++;
      } else if (kind === 'dispute') {
        what = 'dispute';
        const charges = (await stage.charges(who)).filter(
          ({ state }) => state === 'succeeded' || state === 'disputed',
        );
        const charge = charges[below(charges.length || 1)];
        if (charge) {
          report.disputed++;
          const left = await one('select amount_cents - refunded_cents as sum from charge where id = $1', [
            charge.id,
          ]);
          const about = { id: `dp-${charge.id}`, reason: 'fraudulent', amountCents: Number(left) };
          if (left > 0n)
            await payments.core.dispute(root.id, charge.id, {
              ...about,
              status: charge.state === 'succeeded' ? 'needs_response' : below(2) ? 'won' : 'lost',
            });
        }
      } else if (kind === 'price') {
        what = 'price';
        price = BigInt(1 + below(400)) * 10_001n;
        await stage.terms(who, { lead_price: dollarsOf(price) });
      } else if (kind === 'turn') {
        what = 'turn';
        await fated('works', async () => {
          await prepaid.setContinual(ctx, id, continual);
          continual = !continual;
        });
      } else if (kind === 'wait') {
        what = 'wait';
        app.clock.advance(below(30) * HOUR_MS);
        await stage.send(who);
      } else if (kind === 'renew') {
        what = `renew (${fate})`;
        await fated(fate, async () => {
          await prepaid.auto.sweep(root.id);
          await Promise.all([
            prepaid.auto.run({ rootId: root.id, campaignId: id }),
            prepaid.auto.run({ rootId: root.id, campaignId: id }),
          ]);
          await stage.send(who);
        });
      } else {
        const count = 1 + below(Math.max(1, leads));
        const had = await balance();
        const affordable = had / price;
        const sold = affordable < BigInt(count) ? affordable : BigInt(count);
        const all = await stage.sell(who, count);
        if (all !== (sold === BigInt(count)))
          throw new Error(`seed ${seed}: sold ${all} of ${count} with ${had}`);
        spent += sold * price;
      }
      await check(`step ${step}, ${what}`);
      const after = await renewed();
      const wish = { leads, price, continual: true };
      renewals += after - before;
      if (renewals > 1n)
        throw new Error(`seed ${seed}, life ${life}, step ${step}, ${what}: one fall was paid twice`);
      if ((await balance()) >= floorOf(wish)) renewals = 0n;
    }
    // What was left open is looked up, and then provider and books agree.
    for (let i = 0; i < 4; i++) {
      app.clock.advance(2 * HOUR_MS);
      await stage.send(who);
    }
    await check('the end');
    const charges = await stage.charges(who);
    const done = charges.filter(({ state }) => ['succeeded', 'refunded', 'disputed'].includes(state));
    for (const { id } of done) if (!told.has(id)) throw new Error(`charge ${id} was not told of`);
    const account = (
      await app.admin.query('select account from charge where company_id = $1', [who.client.id])
    ).rows[0]?.account;
    if (account) {
      const listed = (await payments.gateway.listCharges({ since: new Date(0), account })).filter(
        ({ status }) => status === 'succeeded',
      );
      const theirs = listed.reduce((sum, charge) => sum + charge.amountCents, 0);
      const ours = done.reduce((sum, charge) => sum + charge.amount_cents, 0);
      if (theirs !== ours)
        throw new Error(`the provider has charged ${theirs} cents, the books have ${ours}`);
    }
    report.renewed += Number(await renewed());
    report.bought += done.length;
  }
  return report;
}
