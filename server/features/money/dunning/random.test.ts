import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '../../../../contract/errors.ts';
import { actingOwner } from '../../../test/acting.ts';
import { type TestApp, testApp } from '../../../test/app.ts';
import { type CARDS, type Dues, duesOf } from '../../../test/dues.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { auditLedger } from '../ledger/index.ts';

const USD = 1_000_000n;
const HOUR = 3_600_000;
/** Cards are never charged less than this. */
const LEAST = 500_000n;
let app: TestApp;
let root: Company;
let dues: Dues;
/** The process dies at this step of the next charge that reaches it. */
let dieAt: string | null = null;
class Killed extends Error {
  override name = 'Killed';
}

beforeAll(async () => {
  app = await testApp({
    cards: {
      answerTimeoutMs: 5_000,
      wait: async () => {},
      onStep: (step) => {
        if (step !== dieAt) return;
        dieAt = null;
        throw new Killed(step);
      },
    },
  });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  dues = duesOf(app, root);
});
afterAll(() => app?.close());

/** The same numbers for the same seed (mulberry32). */
function dice(seed: number) {
  let a = seed;
  const next = (): number => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    below: (n: number): number => Math.floor(next() * n),
    one<T>(of: readonly T[]): T {
      return of[Math.floor(next() * of.length)]!;
    },
  };
}

interface World {
  agency: Company;
  client: Company;
  campaigns: MadeCampaign[];
  invoices: { id: string; payer: Company }[];
  keys: number;
}
interface Row {
  id: string;
  side: 'retail' | 'wholesale';
  company_id: string;
  status: string;
  total_micros: bigint;
  paid_micros: bigint;
  credited_micros: bigint;
  fee_micros: bigint;
  fee_released_at: Date | null;
  first_failed_at: Date | null;
  next_attempt_at: Date | null;
}
const dueOf = (row: Row): bigint =>
  row.status === 'open' ? row.total_micros - row.paid_micros - row.credited_micros : 0n;
const sum = (all: bigint[]): bigint => all.reduce((a, b) => a + b, 0n);

/** Checks what must hold whenever nothing is in progress in this process. */
async function holds(world: World, said: string): Promise<void> {
  const { rows } = await app.admin.query<Row>('select * from invoice where agency_id = $1', [
    world.agency.id,
  ]);
  const retail = rows.filter((row) => row.side === 'retail');
  const wholesale = rows.filter((row) => row.side === 'wholesale');
  const client = await dues.books(world.client);
  const agency = await dues.books(world.agency);
  expect([said, 'client_receivable', BigInt(client.client_receivable ?? 0)]).toEqual([
    said,
    'client_receivable',
    -sum(retail.map(dueOf)),
  ]);
  const reserved = retail
    .filter((row) => row.status === 'open' && !row.fee_released_at)
    .map((row) => row.fee_micros);
  expect([said, 'agency_invoiced', BigInt(agency.agency_invoiced ?? 0)]).toEqual([
    said,
    'agency_invoiced',
    -sum(wholesale.map(dueOf)) - sum(reserved),
  ]);
  const failing = (of: Row[]) => of.some((row) => dueOf(row) >= LEAST && row.first_failed_at);
  const given = (of: Row[]) =>
    of.some((row) => dueOf(row) >= LEAST && row.first_failed_at && !row.next_attempt_at);
  for (const [company, own] of [
    [world.client, retail],
    [world.agency, wholesale],
  ] as const)
    expect([said, company.id, await dues.flags(company)]).toEqual([
      said,
      company.id,
      failing(own) ? ['failed', 'paymentfailed'] : ['', ''],
    ]);
  const state = given(rows) ? 'paused:payment_failed' : 'active';
  expect([said, await dues.states(...world.campaigns)]).toEqual([said, world.campaigns.map(() => state)]);
}

/** Checks that what the network took from a payer is what its invoices say was paid. */
async function agrees(world: World, said: string): Promise<void> {
  for (const company of [world.client, world.agency]) {
    const { rows } = await app.admin.query(
      `select coalesce(sum(amount_cents - refunded_cents) filter (where state in ('succeeded', 'refunded', 'disputed')), 0)::int as kept,
         coalesce(sum(amount_cents - refunded_cents) filter (where state = 'disputed'), 0)::int as disputed,
         count(*) filter (where state in ('intended', 'sent', 'unknown'))::int as open
       from charge where company_id = $1`,
      [company.id],
    );
    const paid = await app.admin.query(
      'select coalesce(sum(paid_micros), 0)::float8 as paid from invoice where company_id = $1',
      [company.id],
    );
    const { kept, disputed, open } = rows[0];
    expect([said, open, await dues.taken(company)]).toEqual([said, 0, kept]);
    expect([said, paid.rows[0].paid / 10_000]).toEqual([said, kept - disputed]);
  }
}

/** A killed process leaves behind what it had started; other errors are rethrown. */
const survive = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: Error) => {
    if (error.name !== 'Killed') throw error;
  });
};

const rowOf = async (id: string): Promise<Row> =>
  (await app.admin.query<Row>('select * from invoice where id = $1', [id])).rows[0]!;
/** The context of a user of the company that issued an invoice. */
const issuerCtx = (world: World, { side }: Row) =>
  actingOwner(app.clock, root.id, side === 'retail' ? world.agency.id : null);
/** A refused request changes nothing. */
const orRefused = (work: Promise<unknown>): Promise<unknown> =>
  survive(work).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  });

async function step(world: World, random: ReturnType<typeof dice>): Promise<string> {
  const { collector } = app.features.dunning;
  const payer = random.one([world.client, world.agency]);
  const invoice = random.one(world.invoices);
  switch (random.below(15)) {
    case 0:
    case 1: {
      await dues.lead(
        random.one(world.campaigns),
        BigInt(1 + random.below(40)) * USD,
        BigInt(random.below(12)) * USD,
      );
      await dues.fee(world.agency, USD);
      const id = await dues.bill(payer).catch(() => null);
      if (id) world.invoices.push({ id, payer });
      return `a bill to ${payer === world.client ? 'client' : 'agency'}`;
    }
    case 2:
    case 3: {
      const card = random.one<keyof typeof CARDS>([
        'works',
        'works',
        'declined',
        'insufficient',
        'authenticate',
        'declinedOnce',
        'late',
        'lost',
        'disputed',
      ]);
      await dues.card(payer, card);
      return `card ${card}`;
    }
    case 4:
      dieAt = random.one(['before intent', 'intent', 'claimed', 'answer', 'posting']);
      return `the process ends at '${dieAt}'`;
    case 5:
    case 6:
      if (!invoice) return 'nothing';
      await survive(collector.charge(root.id, invoice.id, { key: `k${++world.keys}` }));
      return 'a person pays';
    case 7: {
      if (!invoice) return 'nothing';
      const key = `k${++world.keys}`;
      await Promise.all([
        survive(collector.charge(root.id, invoice.id, { key })),
        survive(collector.charge(root.id, invoice.id, { key })),
        survive(collector.charge(root.id, invoice.id, { key: `${key}b` })),
        collector.collect(root.id),
      ]);
      return 'everybody at once';
    }
    case 8: {
      // The cardholder confirms, or fails to confirm, the newest charge waiting for it.
      const { rows } = await app.admin.query(
        `select id from charge where agency_id = $1 and needs_authentication and state = 'declined' order by created_at desc limit 1`,
        [world.agency.id],
      );
      if (!rows[0]) return 'nothing';
      const needed = await app.features.payments.core.authentication(root.id, rows[0].id);
      if (!needed) return 'nothing';
      await app.features.payments.sandbox.authenticate(needed.clientSecret, random.below(3) > 0);
      await survive(app.features.payments.charges.ask(root.id, rows[0].id));
      return 'the holder confirms';
    }
    case 9: {
      const { rows } = await app.admin.query(
        `select id, amount_cents - refunded_cents as rest from charge
         where agency_id = $1 and state = 'succeeded' and amount_cents > refunded_cents order by created_at desc limit 1`,
        [world.agency.id],
      );
      if (!rows[0]) return 'nothing';
      const cents = 1 + random.below(rows[0].rest);
      await app.features.payments.charges.refund({
        rootId: root.id,
        chargeId: rows[0].id,
        amountMicros: BigInt(cents) * 10_000n,
        key: `r${++world.keys}`,
        reason: 'Goodwill',
      });
      return 'a refund';
    }
    case 10: {
      const at = invoice && (await rowOf(invoice.id));
      const most = at && (at.status === 'open' ? dueOf(at) : at.paid_micros) / USD;
      if (!at || !most) return 'nothing';
      await orRefused(
        app.features.invoices.credit.credit(issuerCtx(world, at), {
          id: at.id,
          amount: `${1 + random.below(Number(most))}.00`,
          reason: 'Goodwill',
          idempotency_key: `c${++world.keys}`,
        }),
      );
      return 'a credit note';
    }
    case 11: {
      const at = invoice && (await rowOf(invoice.id));
      if (!at) return 'nothing';
      await orRefused(
        app.features.invoices.credit.writeOff(issuerCtx(world, at), { id: at.id, reason: 'Gone' }),
      );
      return 'it is given up';
    }
    case 12:
    case 13: {
      // A dispute is opened, or the one that is open is won or lost.
      const { rows } = await app.admin.query(
        `select c.id, c.amount_cents - c.refunded_cents as rest, d.id as dispute from charge c
           left join payment_dispute d on d.charge_id = c.id and d.state = 'open'
         where c.agency_id = $1 and (c.state = 'succeeded' and c.amount_cents > c.refunded_cents or d.id is not null)
         order by c.id`,
        [world.agency.id],
      );
      if (rows.length === 0) return 'nothing';
      const charge = random.one(rows);
      const status = charge.dispute ? random.one(['won', 'won', 'lost']) : 'needs_response';
      await app.features.payments.core.dispute(root.id, charge.id, {
        id: charge.dispute ?? `dp_random_${++world.keys}_${world.agency.id}`,
        status,
        reason: 'fraudulent',
        amountCents: charge.rest,
      });
      return `a dispute: ${status}`;
    }
    default: {
      const hours = random.one([1, 6, 24, 49, 24 * 8]);
      app.clock.advance(hours * HOUR);
      return `${hours} hours`;
    }
  }
}

describe('[PAY-06] whatever happens to charges', () => {
  test.each([1, 4, 5, 8, 9, 107])(
    'books, flags and campaigns agree with what is due (seed %i)',
    async (seed) => {
      const random = dice(seed);
      const { company: agency, ...host } = await dues.agency();
      const { company: client } = await dues.client({ company: agency, ...host });
      const campaigns = [await app.make.campaign(client), await app.make.campaign(client)];
      const world: World = { agency, client, campaigns, invoices: [], keys: 0 };
      const story: string[] = [];
      for (let i = 0; i < 40; i++) {
        story.push(await step(world, random));
        await dues.look();
        await holds(world, story.slice(-6).join(', '));
      }
      // At the end cards work, and everything unknown gets resolved.
      dieAt = null;
      await dues.card(client, 'works');
      await dues.card(agency, 'works');
      for (let i = 0; i < 6; i++) await dues.passes(2 * HOUR);
      await app.features.dunning.collector.chargeAll(root.id, client.id);
      await app.features.dunning.collector.chargeAll(root.id, agency.id);
      await dues.look();
      await holds(world, 'the end');
      await agrees(world, story.join(', '));
      const { rows } = await app.admin.query(
        `select number from invoice where agency_id = $1 and status = 'open' and total_micros - paid_micros - credited_micros >= 500000`,
        [agency.id],
      );
      expect(rows).toEqual([]);
      const { checks } = await auditLedger(app.admin);
      expect(
        checks
          .filter((c) => c.violations > 0 && !/^every lead with|counted/.test(c.name))
          .map((c) => c.examples),
      ).toEqual([]);
    },
    120_000,
  );
});
