import type { Permission } from '../../../../contract/accounts/permissions.ts';
import { usd } from '../../../../contract/primitives.ts';
import { mailName } from '../../../platform/mail-name.ts';
import { printable } from '../../../platform/printable.ts';

/** From this score on, leads are counted by themselves. */
export const HIGH_SCORE = 80;
/** When a digest is sent on Monday, in the company's time zone; and for how long it is sent late, after an outage. */
const DUE_HOUR = 8;
const LATE_DAYS = 3;
/** How many names a sentence lists; the others are counted. */
const MOST_NAMED = 5;
const LONGEST_PAGE = 80;

/** A week that is over, from Monday to Sunday of a time zone, as instants [from, before) and [prior, from). */
export interface Week {
  first: string;
  last: string;
  prior: Date;
  from: Date;
  before: Date;
  /** From when to when its digest is sent. */
  due: Date;
  until: Date;
}

/** The last week that is over at an instant, in a time zone. */
export function weekOf(at: Date, zone: string): Week {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const first = monday.subtract({ days: 7 });
  const instant = (day: Temporal.PlainDate, hour = 0) =>
    new Date(
      day.toZonedDateTime({ timeZone: zone, ...(hour ? { plainTime: { hour } } : {}) }).epochMilliseconds,
    );
  return {
    first: first.toString(),
    last: monday.subtract({ days: 1 }).toString(),
    prior: instant(first.subtract({ days: 7 })),
    from: instant(first),
    before: instant(monday),
    due: instant(monday, DUE_HOUR),
    until: instant(monday.add({ days: LATE_DAYS }), DUE_HOUR),
  };
}

/** When the next digest is sent, after an instant. */
export function nextDue(at: Date, zone: string): Date {
  const { due } = weekOf(at, zone);
  return due > at ? due : weekOf(new Date(at.getTime() + 7 * 86_400_000), zone).due;
}

/** The week of a client, in numbers. */
export interface ClientWeek {
  leads: number;
  prior: number;
  /** The average score of the leads that have one. */
  average: number | null;
  high: number;
  /** How many campaigns had leads, and the one with the most. */
  campaigns: number;
  best: Counted | null;
  page: Counted | null;
  source: Counted | null;
  /** People who were on a site again. */
  returned: number;
  /** Leads that a destination did not take. */
  undelivered: number;
  charged: bigint;
  refunded: bigint;
  balance: bigint;
  /** The balance that is used up first at the week's pace. */
  shortest: { name: string; days: number } | null;
  active: number;
  silent: { name: string; since: string }[];
  empty: string[];
  failing: number;
  due: bigint;
  broken: number;
}
interface Counted {
  name: string;
  leads: number;
}

/** The week of one of an agency's clients, in numbers. */
export interface ClientOfAgency {
  name: string;
  leads: number;
  prior: number;
  /** Campaigns that were active all week, and those of all active ones whose sites are silent. */
  active: number;
  silent: number;
  unpaid: number;
  due: bigint;
  failed: boolean;
}
/** The week of an agency, in numbers: clients that are gone count in its sums, but are not among its clients. */
export interface AgencyWeek {
  leads: number;
  prior: number;
  price: bigint;
  cost: bigint;
  clients: ClientOfAgency[];
}

/** One sentence of a digest, and the page that it is about. */
export interface Sentence {
  text: string;
  path: string | null;
}
export interface Digest {
  subject: string;
  sentences: Sentence[];
}
type May = (permission: Permission) => boolean;

const number = (count: number): string => new Intl.NumberFormat('en-US').format(count);
const many = (count: number, one: string, more = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : more}`;
/** A letter needs no fractions of a cent. Micro-dollars. */
const cents = (micros: bigint): bigint => BigInt(Math.round(Number(micros) / 10_000)) * 10_000n;
const named = (name: string): string => `“${mailName(name)}”`;
const pageNamed = (path: string): string => (path === '/' ? 'the home page' : printable(path, LONGEST_PAGE));

/** “A”, “B”, and 3 more. */
function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const shown = more > 0 ? [...names.slice(0, MOST_NAMED), `${number(more)} more`] : [...names];
  const last = shown.pop() ?? '';
  if (shown.length === 0) return last;
  return shown.length === 1 ? `${shown[0]} and ${last}` : `${shown.join(', ')}, and ${last}`;
}

const day = (date: string): string =>
  Temporal.PlainDate.from(date).toLocaleString('en-US', { month: 'long', day: 'numeric' });

/** How many leads came in, against the week before. */
function leadsAgainst({ leads, prior }: { leads: number; prior: number }, where = ''): string {
  const came = `${leads === 0 ? 'No leads' : many(leads, 'lead')} came in${where}`;
  const more = leads - prior;
  if (prior === 0 && leads > 0) return `${came}, after none the week before.`;
  if (leads === 0 && prior > 0) return `${came}, after ${number(prior)} the week before.`;
  if (more === 0) return `${came}, the same as the week before.`;
  return `${came}, ${number(Math.abs(more))} ${more > 0 ? 'more' : 'fewer'} than the week before.`;
}

const subjectOf = (whose: string, leads: number, week: Pick<Week, 'first' | 'last'>): string =>
  `${whose} week, ${day(week.first)} to ${day(week.last)}: ${leads === 0 ? 'no leads' : many(leads, 'lead')}`;

/**
 * What a client's digest says to someone with these permissions; null if there is nothing to report. Campaigns, pages,
 * and sites have the names that people gave them.
 */
export function clientDigest(
  week: Pick<Week, 'first' | 'last'>,
  of: ClientWeek,
  may: May,
  zone: string,
): Digest | null {
  const sentences: Sentence[] = [];
  const say = (isTold: boolean, text: () => string, path: string | null = null): void => {
    if (isTold) sentences.push({ text: text(), path });
  };
  say(of.leads + of.prior + of.active > 0, () => leadsAgainst(of), may('lead.read') ? '/leads' : null);
  say(
    of.best !== null && of.campaigns > 1,
    () => `The campaign with the most leads was ${named(of.best!.name)}, with ${number(of.best!.leads)}.`,
  );
  say(of.average !== null, () => {
    const high = of.high === 0 ? 'none' : number(of.high);
    return of.leads === 1
      ? `Its score is ${of.average}.`
      : `Their average score is ${of.average}, and ${high} of them ${of.high === 1 ? 'scores' : 'score'} ${HIGH_SCORE} or more.`;
  });
  say(
    of.page !== null && of.leads > 1,
    () => `The top page was ${pageNamed(of.page!.name)}, with ${many(of.page!.leads, 'lead')}.`,
  );
  say(
    of.source !== null && of.leads > 1,
    () => `The top referring site was ${pageNamed(of.source!.name)}, with ${many(of.source!.leads, 'lead')}.`,
  );
  say(of.returned > 0, () => `${many(of.returned, 'person', 'people')} came back to your site.`);
  const isCharged = may('statement.read') && (of.charged !== 0n || of.refunded !== 0n);
  say(
    isCharged,
    () =>
      `You were charged ${usd(cents(of.charged))} for leads and fees${of.refunded ? `, and ${usd(cents(of.refunded))} was refunded` : ''}.`,
    '/configuration/statement',
  );
  say(may('prepaid.read') && of.balance > 0n, () => {
    const { balance, shortest } = of;
    const paced = shortest
      ? ` At this week’s pace, the balance of ${named(shortest.name)} ${shortest.days < 1 ? 'lasts less than a day' : `lasts about ${many(shortest.days, 'day')}`}.`
      : '';
    return `The prepaid balance is ${usd(cents(balance))}.${paced}`;
  });
  if (may('campaign.read')) {
    const told = of.silent.map(({ name, since }) => {
      const at = new Date(since).toLocaleDateString('en-US', {
        timeZone: zone,
        month: 'long',
        day: 'numeric',
      });
      return `${named(name)} (since ${at})`;
    });
    const isOne = told.length === 1;
    say(
      told.length > 0,
      () =>
        `The ${isOne ? 'site' : 'sites'} of ${listed(told)} ${isOne ? 'is' : 'are'} silent. Check that the pixel is still there.`,
      '/campaign',
    );
    say(
      of.empty.length > 0,
      () =>
        `${many(of.empty.length, 'campaign is', 'campaigns are')} paused because the balance is used up: ${listed(of.empty.map(named))}.`,
      '/campaign',
    );
  }
  if (may('integration.read')) {
    say(of.undelivered > 0, () => `${many(of.undelivered, 'lead')} could not be delivered.`, '/deliveries');
    say(
      of.broken > 0,
      () => `${many(of.broken, 'integration needs', 'integrations need')} to be reconnected.`,
      '/integrations',
    );
  }
  say(
    may('invoice.read') && of.failing > 0,
    () => `${many(of.failing, 'invoice')} could not be charged to your card: ${usd(of.due)} is due.`,
    '/configuration/invoices?status=failing',
  );
  return sentences.length === 0 ? null : { subject: subjectOf('Your', of.leads, week), sentences };
}

/** What an agency's digest says to someone with these permissions; null if there is nothing to report for the week. */
export function agencyDigest(week: Pick<Week, 'first' | 'last'>, of: AgencyWeek, may: May): Digest | null {
  const sentences: Sentence[] = [];
  const say = (isTold: boolean, text: () => string, path: string | null = null): void => {
    if (isTold) sentences.push({ text: text(), path });
  };
  const by =
    (size: (one: ClientOfAgency) => number | bigint) =>
    (a: ClientOfAgency, b: ClientOfAgency): number => {
      const [x, y] = [size(a), size(b)];
      return x === y ? a.name.localeCompare(b.name) : x < y ? 1 : -1;
    };
  const { clients } = of;
  const isStill = ({ leads, active }: ClientOfAgency): boolean => leads === 0 && active > 0;
  const growing = clients.filter(({ leads, prior }) => leads > prior).sort(by((c) => c.leads - c.prior));
  const falling = clients
    .filter((one) => one.leads < one.prior && !isStill(one))
    .sort(by((c) => c.prior - c.leads));
  const still = clients.filter(isStill).sort(by((c) => c.prior));
  const silent = clients.filter((one) => one.silent > 0).sort(by((c) => c.silent));
  const unpaid = clients.filter((one) => one.due > 0n).sort(by((c) => c.due));

  say(
    of.leads + of.prior > 0 || clients.some(({ active }) => active > 0),
    () => leadsAgainst(of, ' across all clients'),
    '/leads',
  );
  say(
    may('cost.read') && (of.price !== 0n || of.cost !== 0n),
    () =>
      `Your clients were charged ${usd(cents(of.price))}, your cost was ${usd(cents(of.cost))}, and your margin ${usd(cents(of.price) - cents(of.cost))}.`,
    '/configuration/margins',
  );
  say(
    growing.length > 0,
    () =>
      `${many(growing.length, 'client')} had more leads: ${listed(growing.map((one) => `${named(one.name)} (${many(one.leads, 'lead')}, ${number(one.leads - one.prior)} more)`))}.`,
    '/client',
  );
  say(
    falling.length > 0,
    () =>
      `${many(falling.length, 'client')} had fewer leads: ${listed(falling.map((one) => `${named(one.name)} (${one.leads === 0 ? 'no leads' : many(one.leads, 'lead')}, ${number(one.prior - one.leads)} fewer)`))}.`,
    '/client',
  );
  say(
    still.length > 0,
    () =>
      `${many(still.length, 'client')} had no leads while a campaign was active: ${listed(still.map((one) => `${named(one.name)} (${one.prior === 0 ? 'none' : number(one.prior)} the week before)`))}.`,
    '/campaign',
  );
  say(
    silent.length > 0,
    () =>
      `Sites of ${many(silent.length, 'client')} are silent: ${listed(silent.map((one) => `${named(one.name)} (${many(one.silent, 'campaign')})`))}.`,
    '/campaign',
  );
  say(
    may('invoice.read') && unpaid.length > 0,
    () => {
      const total = unpaid.reduce((sum, { due }) => sum + due, 0n);
      return `${many(unpaid.length, 'client has', 'clients have')} not paid yet, ${usd(total)} in total: ${listed(unpaid.map((one) => `${named(one.name)} (${usd(one.due)} on ${many(one.unpaid, 'invoice')}${one.failed ? ', a charge failed' : ''})`))}.`;
    },
    '/configuration/invoices',
  );
  return sentences.length === 0 ? null : { subject: subjectOf('Your clients’', of.leads, week), sentences };
}
