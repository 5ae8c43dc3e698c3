import { ALERT_KINDS, type AlertKind } from '../../../../contract/campaigns/alert-rules.ts';

const HOUR_MS = 3_600_000;

/** How many seconds after each failed attempt the next one is made; after the last, the message has failed. */
const RETRY_SECONDS = [60, 300, 1_800, 7_200, 21_600] as const;

/** When the next attempt is made after `attempts` have failed; null: there is none. */
export const nextAttempt = (attempts: number, now: Date, afterMs = 0): Date | null => {
  const seconds = RETRY_SECONDS[attempts - 1];
  return seconds === undefined ? null : new Date(now.getTime() + Math.max(seconds * 1000, afterMs));
};

/** What is to be sent now: events in batches; the rest waits. */
export interface Telling {
  batches: string[][];
}

/**
 * Which of an alert's waiting events are sent now. Each is its own message as long as there are not too many in an
 * hour. What comes beyond is gathered into one message, at most once an hour; so is what waited for hours to open.
 */
export function tellNow(
  events: readonly { id: string; created_at: Date }[],
  given: { mostPerHour: number; sentInHour: number; hasGathered: boolean; now: Date },
): Telling {
  const { mostPerHour, sentInHour, hasGathered, now } = given;
  const ids = events.map(({ id }) => id);
  const waited = events.filter(({ created_at }) => now.getTime() - created_at.getTime() > HOUR_MS);
  // Night is over, or something stood still: one message, not a flood.
  if (waited.length > 1 && !hasGathered) return { batches: [ids] };
  const room = Math.max(0, mostPerHour - sentInHour);
  const single = ids.slice(0, room).map((id) => [id]);
  const rest = ids.slice(room);
  return { batches: rest.length > 0 && !hasGathered ? [...single, rest] : single };
}

/**
 * How many events an alert would have sent, and in how many messages, of what it waits for in the order of time:
 * each person once in a cooldown, single messages up to a number in an hour, and the rest gathered.
 */
export function wouldBeTold<Hit extends { person_id: string; at: Date }>(
  hits: readonly Hit[],
  given: { cooldownHours: number; mostPerHour: number },
): { told: Hit[]; messages: number } {
  const last = new Map<string, number>();
  const told = hits.filter(({ person_id, at }) => {
    const before = last.get(person_id);
    if (before !== undefined && at.getTime() - before < given.cooldownHours * HOUR_MS) return false;
    last.set(person_id, at.getTime());
    return true;
  });
  let messages = 0;
  let gatheredAt = -Infinity;
  const single: number[] = [];
  for (const { at } of told) {
    const now = at.getTime();
    while (single.length > 0 && now - single[0]! >= HOUR_MS) single.shift();
    if (single.length < given.mostPerHour) {
      single.push(now);
      messages++;
    } else if (now - gatheredAt >= HOUR_MS) {
      gatheredAt = now;
      messages++;
    }
  }
  return { told, messages };
}

/** When a number of leads in an hour would have been reached, each at most once in a cooldown. */
export function numbersReached<Hit extends { at: Date }>(
  hits: readonly Hit[],
  given: { perHour: number; cooldownHours: number },
): Hit[] {
  const reached: Hit[] = [];
  let from = 0;
  hits.forEach((hit, i) => {
    while (hit.at.getTime() - hits[from]!.at.getTime() >= HOUR_MS) from++;
    const last = reached.at(-1);
    const isQuiet = last && hit.at.getTime() - last.at.getTime() < given.cooldownHours * HOUR_MS;
    if (i - from + 1 >= given.perHour && !isQuiet) reached.push(hit);
  });
  return reached;
}

const LONGEST_PAGE = 100;

/** The path of a page's address, cut, without its query; empty if there is none. */
export function pathOf(url: string | null): string {
  const path = URL.parse(url ?? '')?.pathname ?? '';
  return path.length > LONGEST_PAGE ? `${path.slice(0, LONGEST_PAGE)}…` : path;
}

/** What is known about the person of an event. */
export interface Told {
  kind: AlertKind;
  count: number | null;
  person: { name: string; job: string; place: string } | null;
  campaign: string;
  score: number | null;
  page: string;
}

const about = ({ person, score, page }: Told): string =>
  [
    person?.job,
    person?.place,
    score === null ? '' : `score ${score}`,
    page && page !== '/' ? `viewed ${page}` : '',
  ]
    .filter(Boolean)
    .join(' · ');

/** An alert in words: a title, and a line for each event but those that are too many. `count`: how many there are. */
export function wordsOf(
  alert: string,
  told: readonly Told[],
  most: number,
  count = told.length,
): { title: string; lines: string[] } {
  const [only] = told;
  if (count === 1 && only) {
    if (only.kind === 'number')
      return { title: `${only.count} leads within an hour`, lines: [`Alert: ${alert}`] };
    return {
      title: `${ALERT_KINDS[only.kind]}: ${only.person?.name ?? 'a person'}`,
      lines: [about(only), `Campaign: ${only.campaign}`, `Alert: ${alert}`].filter(Boolean),
    };
  }
  const lines = told
    .slice(0, most)
    .map((one) =>
      one.kind === 'number'
        ? `${one.count} leads within an hour`
        : [`${one.person?.name ?? 'A person'}: ${ALERT_KINDS[one.kind].toLowerCase()}`, about(one)]
            .filter(Boolean)
            .join(' · '),
    );
  const more = count - lines.length;
  return {
    title: `${count} alerts: ${alert}`,
    lines: more > 0 ? [...lines, `And ${more} more.`] : lines,
  };
}
