import { describe, expect, test } from 'vitest';
import {
  type Earlier,
  examined,
  fullAmong,
  judge,
  placeOf,
  type SignUp,
  type Standing,
} from './signup.policy.ts';

const limits = { browser: 3, address: 5, network: 25, hour: 60, day: 300 };
const quiet: Standing = { hour: 0, day: 0, usualHour: 0, usualDay: 0, known: new Set() };
const signUp = (n: number, more: Partial<SignUp> = {}): SignUp => ({
  ref: n,
  campaignId: 'shop',
  companyId: 'client',
  hash: `hash${n}`,
  address: `10.0.${n}.1`,
  network: `10.0.${n}.0/24`,
  visitorId: `visitor${n}`,
  lacksView: false,
  ...more,
});
const many = (count: number, more: (n: number) => Partial<SignUp> = () => ({})): SignUp[] =>
  Array.from({ length: count }, (_, n) => signUp(n, more(n)));
const earlier = (one: SignUp, held: boolean): Earlier => ({ ...one, hash: one.hash!, held });
const judged = (
  batch: SignUp[],
  { before = [], standing = {} }: { before?: Earlier[]; standing?: Partial<Standing> } = {},
) => {
  const held = judge(batch, before, () => ({ ...quiet, ...standing }), limits);
  return batch.map((one) => held.get(one.ref) ?? null);
};
const all = (reason: string | null, count: number) => new Array(count).fill(reason);

describe('[BEY-30] sign-ups that look forged', () => {
  const office = { address: '10.1.1.1', network: '10.1.1.0/24' };

  test('people from places of their own pass', () => {
    expect(judged(many(60))).toEqual(all(null, 60));
  });

  test('a burst from one address is held as a whole, whatever browsers it claims', () => {
    expect(judged(many(5, () => office))).toEqual(all(null, 5));
    expect(judged(many(20, () => office))).toEqual(all('address', 20));
  });

  test('a few pass, later ones are held, and who has passed passes again', () => {
    const first = many(5, () => office);
    const before = first.map((one) => earlier(one, false));
    expect(judged([signUp(9, office), ...first], { before })).toEqual(['address', ...all(null, 5)]);
  });

  test('after a burst no trickle passes, nor does what was held once', () => {
    const before = many(20, () => office).map((one) => earlier(one, true));
    expect(judged([signUp(30, office), signUp(3, office)], { before })).toEqual(all('address', 2));
  });

  test('one browser stands for few people, one network for some, also with other addresses', () => {
    expect(judged(many(4, () => ({ visitorId: 'one' })))).toEqual(all('browser', 4));
    const network = (n: number) => ({ address: `10.1.1.${n}`, network: '10.1.1.0/24' });
    expect(judged(many(25, network))).toEqual(all(null, 25));
    expect(judged(many(26, network))).toEqual(all('network', 26));
  });

  test('the same person again counts once', () => {
    expect(judged(many(40, () => ({ ...office, hash: 'same', visitorId: 'same' })))).toEqual(all(null, 40));
  });

  test('with each client a few more, but not without end', () => {
    const spread = (n: number) => ({ ...office, companyId: `client${n}`, campaignId: `campaign${n}` });
    expect(judged(many(20, spread))).toEqual(all(null, 20));
    expect(judged(many(21, spread))).toEqual(all('address', 21));
  });

  test('an event that follows a view needs one, also a conversion of whoever the browser is known for', () => {
    expect(
      judged([signUp(1, { lacksView: true }), signUp(2, { lacksView: true, hash: null }), signUp(3)]),
    ).toEqual(['no_view', 'no_view', null]);
  });

  test('a campaign has a limit an hour and a day, or five times what is usual for it', () => {
    expect(judged(many(61))).toEqual(all('burst', 61));
    expect(judged(many(11), { standing: { hour: 50 } })).toEqual(all('burst', 11));
    expect(judged(many(10), { standing: { hour: 50, day: 290 } })).toEqual(all(null, 10));
    expect(judged(many(11), { standing: { day: 290 } })).toEqual(all('burst', 11));
    expect(judged(many(100), { standing: { usualHour: 20, usualDay: 480 } })).toEqual(all(null, 100));
    expect(judged(many(101), { standing: { usualHour: 20, usualDay: 480 } })).toEqual(all('burst', 101));
  });

  test('however many browsers and networks a batch names, it examines about as much, and enough to exceed each limit', () => {
    expect(examined(limits, { browsers: 1, networks: 1 })).toEqual({ browser: 20, network: 1000 });
    expect(examined(limits, { browsers: 1000, networks: 1000 })).toEqual({ browser: 20, network: 201 });
    expect(examined({ ...limits, browser: 200 }, { browsers: 1000, networks: 0 }).browser).toBe(201);
  });

  test('where as much is found as is examined, no one new passes, and who passed does', () => {
    const most = { browser: 20, network: 1000 };
    const before = many(20, (n) => ({ hash: 'same', visitorId: 'one', address: `10.2.2.${n}` })).map((one) =>
      earlier(one, true),
    );
    const full = fullAmong(before, most);
    expect(full).toEqual(new Set(['b client one']));
    expect(fullAmong(before.slice(1), most)).toEqual(new Set());
    const batch = [signUp(1, { visitorId: 'one' }), signUp(2, { visitorId: 'one' }), signUp(3)];
    const who = [...before, earlier(batch[1]!, false)];
    const held = judge(batch, who, () => quiet, limits, full);
    expect([...held]).toEqual([[1, 'browser']]);
  });

  test('one address cannot use up the limit of a campaign, nor do people known to it', () => {
    const forged = many(80, () => office);
    expect(judged([...forged, signUp(100)]).at(-1)).toBeNull();
    const known = new Set(many(60).map((one) => one.hash!));
    expect(judged(many(61), { standing: { hour: 59, known } })).toEqual(all(null, 61));
  });
});

test.each([
  ['203.0.113.7', '203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['nonsense', null, null],
  [null, null, null],
])('[BEY-30] %s counts for address %s and network %s', (ip, address, network) =>
  expect(placeOf(ip)).toEqual({ address, network }),
);
