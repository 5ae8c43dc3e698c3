import fc from 'fast-check';
import { Refusal } from '../../../contract/errors.ts';
import { auditLedger } from '../../features/money/ledger/index.ts';
import { inScope } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Services } from '../../services.ts';
import type { Company, createFactories } from '../factories.ts';
import { openStage } from '../stage.ts';

/** Days on which calendars are odd: leap days, clock changes, the ends of months and years. */
const ODD_DAYS = [
  '2023-02-28',
  '2024-02-28',
  '2024-02-29',
  '2024-03-10',
  '2024-11-03',
  '2024-12-31',
  '2025-01-31',
  '2025-03-09',
  '2025-03-30',
  '2025-10-26',
];
const ZONES = ['America/Chicago', 'Europe/Berlin', 'Asia/Kolkata', 'Africa/Cairo', 'Pacific/Auckland'];

type Step =
  | { do: 'top-up'; amount: bigint; granted: boolean }
  | { do: 'debit'; amount: bigint }
  | { do: 'lead' }
  | { do: 'return'; nth: number }
  | { do: 'refund'; nth: number; amount: bigint }
  | { do: 'dispute'; nth: number; amount: bigint }
  | { do: 'reverse'; nth: number }
  | { do: 'cap'; hard: bigint | null; period: 'day' | 'month' }
  | { do: 'wait'; minutes: number }
  | { do: 'expire' }
  | { do: 'snapshot' };

const cents = (most: number) => fc.integer({ min: 1, max: most }).map((n) => BigInt(n) * 10_000n);
const wait = fc.oneof(
  fc.integer({ min: 1, max: 3 * 1440 }),
  fc.integer({ min: 1, max: 13 }).map((months) => months * 30 * 1440),
  fc.constantFrom(365 * 1440, 366 * 1440),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('top-up'), amount: cents(1000), granted: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('debit'), amount: cents(1200) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('lead') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('return'), nth: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('refund'), nth: fc.nat(4), amount: cents(600) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('dispute'), nth: fc.nat(4), amount: cents(1000) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reverse'), nth: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('cap'),
      hard: fc.option(cents(1500)),
      period: fc.constantFrom('day', 'month'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('wait'), minutes: wait }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('snapshot') }) },
) as fc.Arbitrary<Step>;

const PRICE = 2_000_000n;
const COST = 1_250_000n;
const MINUTE = 60_000;

/** The model's calendar, based on Intl alone, so that it shares nothing with the code under test. */
function localDay(at: number, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at);
}
function endOfLot(bought: number, zone: string): number {
  const [year = 0, month = 0, day = 0] = localDay(bought, zone).split('-').map(Number);
  const wanted = new Date(Date.UTC(year + 1, month - 1, day));
  if (wanted.getUTCMonth() !== month - 1) wanted.setUTCDate(0);
  const last = wanted.toISOString().slice(0, 10);
  // The first minute whose local day is after the last one.
  let low = wanted.getTime() - 1440 * MINUTE;
  let high = wanted.getTime() + 3 * 1440 * MINUTE;
  while (high - low > MINUTE) {
    const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
    if (localDay(middle, zone) > last) high = middle;
    else low = middle;
  }
  return high;
}

interface ModelLot {
  id: string;
  amount: bigint;
  left: bigint;
  ends: number;
  made: number;
  granted: boolean;
}

/** A simple wallet: numbers in lists, no database, no double entry. */
class Model {
  now: number;
  readonly zone: string;
  lots: ModelLot[] = [];
  payable = 0n;
  prepaid: bigint;
  expired = 0n;
  spent = new Map<string, bigint>();
  cap: { hard: bigint; period: 'day' | 'month' } | null = null;
  leads: { id: string; parts: { lot: ModelLot; amount: bigint }[] | null; returned: boolean }[] = [];
  disputes: { lot: ModelLot; key: string; left: bigint; amount: bigint; reversed: boolean }[] = [];
  constructor(now: number, zone: string, prepaid: bigint) {
    this.now = now;
    this.zone = zone;
    this.prepaid = prepaid;
  }
  settle(): void {
    for (const lot of this.lots) {
      if (lot.ends > this.now) continue;
      this.expired += lot.left;
      lot.left = 0n;
    }
  }
  get balance(): bigint {
    return this.lots.reduce((sum, lot) => (lot.ends > this.now ? sum + lot.left : sum), 0n);
  }
  capped(amount: bigint): boolean {
    if (!this.cap) return false;
    const day = localDay(this.now, this.zone);
    const length = this.cap.period === 'day' ? 10 : 7;
    let used = 0n;
    for (const [when, micros] of this.spent)
      if (when.slice(0, length) === day.slice(0, length)) used += micros;
    return used + amount > this.cap.hard;
  }
  draw(amount: bigint): { lot: ModelLot; amount: bigint }[] {
    let rest = amount;
    const parts: { lot: ModelLot; amount: bigint }[] = [];
    for (const lot of this.lots
      .filter((l) => l.ends > this.now && l.left > 0n)
      .sort((a, b) => a.ends - b.ends || a.made - b.made)) {
      // biome-ignore lint/complexity/useMathMinMax: Math.min takes no bigint
      const part = rest > lot.left ? lot.left : rest;
      if (part === 0n) break;
      lot.left -= part;
      rest -= part;
      parts.push({ lot, amount: part });
    }
    const day = localDay(this.now, this.zone);
    this.spent.set(day, (this.spent.get(day) ?? 0n) + amount);
    return parts;
  }
}

const isRefused = (error: unknown): boolean => error instanceof Refusal && error.code === 'conflict';

/** The result of a run: how many sequences, and how many of their steps had an effect or were refused. */
export interface ModelReport {
  sequences: number;
  done: number;
  refused: number;
}

/**
 * Random histories of a wallet, compared with a simple model: top-ups, debits, leads, returns, refunds, disputes,
 * reversals, limits and waiting, across leap days and clock changes in several time zones. After each step, balances,
 * lots, what is owed and what has expired must match the model, and at the end so must the balance as of every earlier
 * moment. Throws the shortest sequence that differs.
 */
export async function walletModel(
  app: {
    features: Services;
    platform: Platform;
    make: ReturnType<typeof createFactories>;
    query: (text: string, values: unknown[]) => Promise<unknown>;
  },
  options: { runs: number; seed?: number; steps?: number },
): Promise<ModelReport> {
  const { features, platform, make } = app;
  const { wallet, billing, ledger } = features;
  let root: Company;
  const inRoot = <T>(work: Parameters<typeof inScope<T>>[2]) =>
    inScope(platform.db.app, { rootId: root.id }, work);
  const report: ModelReport = { sequences: 0, done: 0, refused: 0 };

  const life = async (start: string, minute: number, zone: string, steps: Step[]): Promise<void> => {
    // One root for every few histories: its snapshots cover all of it.
    if (report.sequences++ % 20 === 0) root = await make.root();
    const model = new Model(Date.parse(`${start}T00:00:00Z`) + minute * MINUTE, zone, 100n * PRICE);
    const agency = await make.agency(root, { timeZone: zone });
    const client = await make.client(agency, { timeZone: zone });
    const campaign = await make.campaign(client, { price: PRICE });
    const of = { rootId: root.id, agencyId: agency.id };
    const sold = { ...of, clientId: client.id, campaignId: campaign.id };
    await inRoot((tx) =>
      billing.topUp(tx, { ...sold, amountMicros: model.prepaid, key: 'model' }, new Date(model.now)),
    );
    const seen: { at: number; balance: bigint }[] = [];
    const same = (what: string, ours: unknown, theirs: unknown): void => {
      if (ours !== theirs) throw new Error(`${what}: the model has ${ours}, the ledger ${theirs}`);
    };
    /** Performs the action and returns whether it was refused; both sides must agree. */
    const attempt = async (refuses: boolean, work: Parameters<typeof inRoot>[0]): Promise<boolean> => {
      const refused = await inRoot(work).then(
        () => false,
        (error: unknown) => {
          if (isRefused(error)) return true;
          throw error;
        },
      );
      same('refused', refuses, refused);
      report[refused ? 'refused' : 'done']++;
      return !refused;
    };
    let serial = 0;
    for (const one of steps) {
      model.now += 1 + (serial % 7);
      const at = new Date(model.now);
      const key = `${++serial}`;
      model.settle();
      switch (one.do) {
        case 'wait':
          model.now += one.minutes * MINUTE;
          break;
        case 'top-up': {
          const made = await inRoot((tx) =>
            wallet.topUp(tx, { ...of, amountMicros: one.amount, key, granted: one.granted }, at),
          );
          const again = await inRoot((tx) => wallet.topUp(tx, { ...of, amountMicros: one.amount, key }, at));
          same('topped up again', false, again.posted);
          const ends = endOfLot(model.now, zone);
          same('end of the lot', new Date(ends).toISOString(), made.expiresAt.toISOString());
          model.lots.push({
            id: made.lotId,
            amount: one.amount,
            left: one.amount,
            ends,
            made: model.now,
            granted: one.granted,
          });
          report.done++;
          break;
        }
        case 'debit': {
          const refuses = model.balance < one.amount || model.capped(one.amount);
          if (await attempt(refuses, (tx) => wallet.debit(tx, { ...of, amountMicros: one.amount, key }, at)))
            model.draw(one.amount);
          break;
        }
        case 'lead': {
          const id = newId(at);
          const pays = model.balance >= COST;
          const refuses = pays && model.capped(COST);
          if (
            await attempt(refuses, (tx) =>
              billing.sellLeads(tx, [{ id, ...sold, priceMicros: PRICE, costMicros: COST }], at),
            )
          ) {
            model.leads.push({ id, parts: pays ? model.draw(COST) : null, returned: false });
            if (!pays) model.payable -= COST;
            model.prepaid -= PRICE;
          }
          break;
        }
        case 'return': {
          const lead = model.leads[one.nth % (model.leads.length || 1)];
          if (!lead) break;
          const back = await inRoot(async (tx) => [
            await billing.returnLead(tx, { ...sold, id: lead.id }, 'retail', at),
            await billing.returnLead(tx, { ...sold, id: lead.id }, 'wholesale', at),
          ]);
          for (const side of back) same('returned', !lead.returned, side !== null);
          if (lead.returned) break;
          lead.returned = true;
          model.prepaid += PRICE;
          if (!lead.parts) model.payable += COST;
          for (const { lot, amount } of lead.parts ?? []) lot.left += amount;
          model.settle();
          report.done++;
          break;
        }
        case 'refund': {
          const lot = model.lots[one.nth % (model.lots.length || 1)];
          if (!lot) break;
          const refuses = lot.granted || lot.left < one.amount;
          if (
            await attempt(refuses, (tx) =>
              wallet.refund(tx, { ...of, lotId: lot.id, amountMicros: one.amount, key }, at),
            )
          )
            lot.left -= one.amount;
          break;
        }
        case 'dispute': {
          const lot = model.lots[one.nth % (model.lots.length || 1)];
          if (!lot) break;
          // biome-ignore lint/complexity/useMathMinMax: Math.min takes no bigint
          const left = lot.left < one.amount ? lot.left : one.amount;
          if (
            await attempt(one.amount > lot.amount, (tx) =>
              wallet.dispute(tx, { ...of, lotId: lot.id, amountMicros: one.amount, key }, at),
            )
          ) {
            lot.left -= left;
            model.payable -= one.amount - left;
            model.disputes.push({ lot, key, left, amount: one.amount, reversed: false });
          }
          break;
        }
        case 'reverse': {
          const dispute = model.disputes[one.nth % (model.disputes.length || 1)];
          if (!dispute) break;
          const id = await inRoot((tx) =>
            wallet.reverseDispute(tx, { ...of, lotId: dispute.lot.id, key: dispute.key }, at),
          );
          same('reversed', !dispute.reversed, id !== null);
          if (dispute.reversed) break;
          dispute.reversed = true;
          dispute.lot.left += dispute.left;
          model.payable += dispute.amount - dispute.left;
          model.settle();
          report.done++;
          break;
        }
        case 'cap':
          await app.query('delete from cap where subject_id = $1', [agency.id]);
          model.cap = one.hard === null ? null : { hard: one.hard, period: one.period };
          if (model.cap)
            await app.query(
              `insert into cap (id, root_id, agency_id, company_id, subject, subject_id, period, set_by, hard_micros, updated_at)
               values (gen_random_uuid(), $1, $2, $2, 'wallet', $2, $3, 'agency', $4, $5)`,
              [root.id, agency.id, one.period, String(one.hard), at],
            );
          break;
        case 'expire':
          same('left after expiry', model.balance, await inRoot((tx) => wallet.expire(tx, of, at)));
          break;
        case 'snapshot':
          await ledger.snapshot(platform.db.app, root.id, at);
          break;
      }
      const then = new Date(model.now);
      same('balance', model.balance, await inRoot((tx) => wallet.balance(tx, agency.id, then)));
      seen.push({ at: model.now, balance: model.balance });
    }
    model.now += 1;
    model.settle();
    const end = new Date(model.now);
    await inRoot(async (tx) => {
      await wallet.expire(tx, of, end);
      const upto = new Date(model.now + 1);
      const balanceOf = (company: string, kind: 'agency_payable' | 'agency_wallet' | 'client_prepaid') =>
        ledger.balanceAsOf(tx, company, [kind], upto);
      same('owed', model.payable, await balanceOf(agency.id, 'agency_payable'));
      same('wallet', model.balance, await balanceOf(agency.id, 'agency_wallet'));
      same('prepaid', model.prepaid, await balanceOf(client.id, 'client_prepaid'));
      const lots = new Map((await wallet.lots(tx, agency.id)).map((lot) => [lot.id, lot.remaining]));
      for (const lot of model.lots) same(`left of lot ${lot.id}`, lot.left, lots.get(lot.id));
      for (const { at, balance } of seen)
        same(
          `balance as of ${new Date(at).toISOString()}`,
          balance,
          await wallet.balanceAsOf(tx, agency.id, new Date(at + 1)),
        );
    });
  };

  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ODD_DAYS),
      fc.integer({ min: -1440, max: 1440 }),
      fc.constantFrom(...ZONES),
      fc.array(step, { minLength: 6, maxLength: options.steps ?? 14, size: 'max' }),
      life,
    ),
    {
      numRuns: options.runs,
      endOnFailure: false,
      ...(options.seed === undefined ? {} : { seed: options.seed }),
    },
  );
  return report;
}

/** The same on its own database, with the audit at the end: `broken` lists the invariants that do not hold. */
export async function runWalletModel(
  databaseUrl: string,
  options: { runs: number; seed: number },
): Promise<ModelReport & { broken: string[] }> {
  const stage = await openStage({ databaseUrl });
  try {
    const report = await walletModel(
      { ...stage, query: (text, values) => stage.admin.query(text, values) },
      options,
    );
    const client = await stage.admin.connect();
    const { checks } = await auditLedger(client).finally(() => client.release());
    // The leads sold here have no row in `lead`.
    const broken = checks.filter(
      (check) => check.violations > 0 && !check.name.startsWith('every lead with'),
    );
    return { ...report, broken: broken.map((check) => check.name) };
  } finally {
    await stage.close();
  }
}
