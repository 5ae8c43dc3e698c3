import { describe, expect, test } from 'vitest';
import { type AgencyWeek, agencyDigest, type ClientWeek, clientDigest, nextDue, weekOf } from './policy.ts';

const WEEK = { first: '2026-05-04', last: '2026-05-10' };
const all = () => true;
const quiet: ClientWeek = {
  leads: 0,
  prior: 0,
  average: null,
  high: 0,
  campaigns: 0,
  best: null,
  page: null,
  source: null,
  returned: 0,
  undelivered: 0,
  charged: 0n,
  refunded: 0n,
  balance: 0n,
  shortest: null,
  active: 0,
  silent: [],
  empty: [],
  failing: 0,
  due: 0n,
  broken: 0,
};
const texts = (of: Partial<ClientWeek>, may: (permission: string) => boolean = all) =>
  clientDigest(WEEK, { ...quiet, ...of }, may, 'America/Chicago')?.sentences.map(({ text }) => text) ?? null;

describe('[BEY-22] a week', () => {
  const hours = ({ from, before }: { from: Date; before: Date }) => (+before - +from) / 3_600_000;

  test('ends when Monday begins in the time zone, and its digest is due at eight', () => {
    const at = new Date('2026-05-11T03:00:00Z');
    expect(weekOf(at, 'Asia/Kolkata')).toEqual({
      ...WEEK,
      prior: new Date('2026-04-26T18:30:00Z'),
      from: new Date('2026-05-03T18:30:00Z'),
      before: new Date('2026-05-10T18:30:00Z'),
      due: new Date('2026-05-11T02:30:00Z'),
      until: new Date('2026-05-14T02:30:00Z'),
    });
    // Still Sunday.
    expect(weekOf(at, 'America/Chicago').first).toBe('2026-04-27');
  });

  test.each([
    ['2026-03-09T14:00:00Z', 'America/Chicago', 167, '2026-03-09T13:00:00Z'],
    ['2026-11-02T15:00:00Z', 'America/Chicago', 169, '2026-11-02T14:00:00Z'],
    ['2026-03-30T09:00:00Z', 'Europe/London', 167, '2026-03-30T07:00:00Z'],
    // The clock changes on a Monday at midnight: that day begins at one.
    ['2026-04-27T20:00:00Z', 'Africa/Cairo', 167, '2026-04-27T05:00:00Z'],
  ])('at %s in %s the clocks had changed: %i hours', (at, zone, length, due) => {
    const week = weekOf(new Date(at), zone);
    expect([hours(week), week.due]).toEqual([length, new Date(due)]);
  });

  test('the next digest is that of the coming Monday, whatever the clocks do', () => {
    expect(nextDue(new Date('2026-05-11T12:59:59Z'), 'America/Chicago')).toEqual(
      new Date('2026-05-11T13:00:00Z'),
    );
    expect(nextDue(new Date('2026-05-11T13:00:00Z'), 'America/Chicago')).toEqual(
      new Date('2026-05-18T13:00:00Z'),
    );
    expect(nextDue(new Date('2026-03-02T15:00:00Z'), 'America/Chicago')).toEqual(
      new Date('2026-03-09T13:00:00Z'),
    );
  });
});

describe('[BEY-22] the sentences of a client', () => {
  test.each([
    [34, 22, '34 leads came in, 12 more than the week before.'],
    [1, 2, '1 lead came in, 1 fewer than the week before.'],
    [3, 3, '3 leads came in, the same as the week before.'],
    [2, 0, '2 leads came in, after none the week before.'],
    [0, 1200, 'No leads came in, after 1,200 the week before.'],
    [0, 0, 'No leads came in, the same as the week before.'],
  ])('%i leads after %i', (leads, prior, text) => {
    expect(texts({ leads, prior, active: 1 })).toEqual([text]);
  });

  test('an empty week says nothing', () => expect(texts({})).toBeNull());

  test('one and many', () => {
    const one = { name: 'Tents', leads: 1 };
    expect(
      texts({ leads: 1, prior: 0, average: 81, high: 1, campaigns: 1, best: one, page: one, returned: 1 }),
    ).toEqual([
      '1 lead came in, after none the week before.',
      'Its score is 81.',
      '1 person came back to your site.',
    ]);
    expect(texts({ undelivered: 1, failing: 1, due: 5_000_000n, broken: 1 })).toEqual([
      '1 lead could not be delivered.',
      '1 integration needs to be reconnected.',
      '1 invoice could not be charged to your card: $5.00 is due.',
    ]);
    expect(texts({ undelivered: 2, failing: 2, due: 5_000_000n, broken: 2, returned: 2 })).toEqual([
      '2 people came back to your site.',
      '2 leads could not be delivered.',
      '2 integrations need to be reconnected.',
      '2 invoices could not be charged to your card: $5.00 is due.',
    ]);
  });

  test('the pages and sites that come up most', () => {
    const told = (name: string) =>
      texts({ leads: 3, page: { name, leads: 2 }, source: { name: 'a.example', leads: 1 } })!.slice(1);
    expect(told('/')).toEqual([
      'The top page was the home page, with 2 leads.',
      'The top referring site was a.example, with 1 lead.',
    ]);
    expect(told(`/${'x'.repeat(100)}`)[0]).toHaveLength(80 + 'The top page was , with 2 leads.'.length);
  });

  test('a balance, and how long it lasts', () => {
    const balance = 80_500_000n;
    expect(texts({ balance })).toEqual(['The prepaid balance is $80.50.']);
    expect(texts({ balance, shortest: { name: 'Tents', days: 0 } })![0]).toBe(
      'The prepaid balance is $80.50. At this week’s pace, the balance of “Tents” lasts less than a day.',
    );
    expect(texts({ balance, shortest: { name: 'Tents', days: 1 } })).toContain(
      'The prepaid balance is $80.50. At this week’s pace, the balance of “Tents” lasts about 1 day.',
    );
  });

  test('says only what the reader may see', () => {
    const week = {
      leads: 2,
      charged: 1_000_000n,
      balance: 2_000_000n,
      undelivered: 1,
      failing: 1,
      due: 1n,
      empty: ['Tents'],
    };
    expect(texts(week, () => false)).toEqual(['2 leads came in, after none the week before.']);
    expect(texts(week)).toHaveLength(6);
  });

  test('many names are cut', () => {
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
    expect(texts({ empty: names })).toEqual([
      '7 campaigns are paused because the balance is used up: “A”, “B”, “C”, “D”, “E”, and 2 more.',
    ]);
    expect(texts({ empty: ['A', 'B'] })![0]).toMatch(/: “A” and “B”\.$/);
  });
});

describe('[BEY-22] the sentences of an agency', () => {
  const client = { name: 'X', leads: 0, prior: 0, active: 1, silent: 0, unpaid: 0, due: 0n, failed: false };
  const week: AgencyWeek = {
    leads: 9,
    prior: 8,
    price: 9_000_000n,
    cost: 12_000_000n,
    clients: [
      { ...client, name: 'Grows', leads: 5, prior: 4 },
      { ...client, name: 'Booms', leads: 3 },
      { ...client, name: 'Falls', leads: 1, prior: 2, due: 3_000_000n, unpaid: 1 },
      { ...client, name: 'Stays', leads: 0, prior: 0, active: 0 },
      { ...client, name: 'Left', prior: 1, active: 0 },
      { ...client, name: 'Still', prior: 1, due: 5_500_000n, unpaid: 2, failed: true },
      { ...client, name: 'Mute', leads: 1, prior: 1, silent: 2 },
    ],
  };
  test('each client is told of for what it is', () => {
    expect(agencyDigest(WEEK, week, all)).toEqual({
      subject: 'Your clients’ week, May 4 to May 10: 9 leads',
      sentences: [
        { text: '9 leads came in across all clients, 1 more than the week before.', path: '/leads' },
        {
          text: 'Your clients were charged $9.00, your cost was $12.00, and your margin −$3.00.',
          path: '/configuration/margins',
        },
        {
          text: '2 clients had more leads: “Booms” (3 leads, 3 more) and “Grows” (5 leads, 1 more).',
          path: '/client',
        },
        {
          text: '2 clients had fewer leads: “Falls” (1 lead, 1 fewer) and “Left” (no leads, 1 fewer).',
          path: '/client',
        },
        {
          text: '1 client had no leads while a campaign was active: “Still” (1 the week before).',
          path: '/campaign',
        },
        {
          text: 'Sites of 1 client are silent: “Mute” (2 campaigns).',
          path: '/campaign',
        },
        {
          text: '2 clients have not paid yet, $8.50 in total: “Still” ($5.50 on 2 invoices, a charge failed) and “Falls” ($3.00 on 1 invoice).',
          path: '/configuration/invoices',
        },
      ],
    });
  });
  test('amounts are whole cents, which add up', () => {
    const told = agencyDigest(WEEK, { ...week, price: 462_924_560n, cost: 192_435_600n }, all)!;
    expect(JSON.stringify(told)).toContain('$462.92, your cost was $192.44, and your margin $270.48.');
  });
  test('margins and invoices are told to who may see them', () => {
    const told = agencyDigest(WEEK, week, (permission) => permission === 'insight.read')!;
    expect(JSON.stringify(told)).not.toMatch(/\$/);
  });
});
