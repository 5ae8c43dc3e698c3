import type { EVENT_DATA } from '../../../../contract/developer/v1.ts';
import {
  isVersion,
  VERSION_MONTHS,
  VERSIONS,
  type Version,
} from '../../../../contract/developer/versions.ts';
import { type FieldErrors, Refusal, refusalOf } from '../../../../contract/errors.ts';

// The versions of the developer API (docs/decisions/0295-api-versions.md). The code knows the newest only. A request of an
// older one is brought up to it change by change, and its answer is taken back down, the newest change first.

type Fields = Record<string, unknown>;

/** What a version changed. Fields that are only added need none. */
interface Change {
  version: Version;
  /** For the reference, as a sentence. */
  about: string;
  /** The operations that it concerns, by their tools. */
  tools: readonly string[];
  /** The data of events that it concerns. */
  data: readonly (keyof typeof EVENT_DATA)[];
  /** Turns fields of a request of the version before into those of this one. */
  up(given: Fields): Fields;
  /** Turns an item of this version into one of the version before. */
  down(item: Fields): Fields;
  /** What fields of requests are called in the version before. */
  places: Readonly<Record<string, string>>;
}

/** A field that was renamed. @param at the object that has it, in the item; empty: the item itself */
function renamed(at: string, was: string, is: string): Pick<Change, 'up' | 'down' | 'places'> {
  const move = (fields: Fields, from: string, to: string): Fields =>
    Object.hasOwn(fields, from) && !Object.hasOwn(fields, to)
      ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name === from ? to : name, value]))
      : fields;
  const within = (item: Fields, from: string, to: string): Fields => {
    if (at === '') return move(item, from, to);
    const inner = item[at];
    return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? { ...item, [at]: move(inner as Fields, from, to) }
      : item;
  };
  const path = at === '' ? '' : `${at}.`;
  return {
    up: (given) => within(given, was, is),
    down: (item) => within(item, is, was),
    places: { [`${path}${is}`]: `${path}${was}` },
  };
}

/** All changes, oldest first. */
export const CHANGES: readonly Change[] = [
  {
    version: '2026-12-08',
    about: 'targeting.titles is called targeting.job_titles, as everywhere else.',
    tools: [
      'get_campaign',
      'create_campaign',
      'update_campaign',
      'set_campaign_status',
      'get_keyword_count',
      'request_keyword_count',
      'retry_keyword_count',
      'apply_keyword_count',
    ],
    data: ['campaign', 'keyword_count'],
    ...renamed('targeting', 'titles', 'job_titles'),
  },
  {
    version: '2026-12-15',
    about: 'disabled_by of webhooks is called status_reason, as for campaigns and webhook endpoints.',
    tools: ['list_webhooks', 'get_webhook', 'add_webhook', 'remove_webhook'],
    data: [],
    ...renamed('', 'disabled_by', 'status_reason'),
  },
];

/** The changes since a version, oldest first. */
const since = (version: Version) =>
  CHANGES.filter((change) => VERSIONS.indexOf(change.version) > VERSIONS.indexOf(version));

/** The body or the parameters of a request of a version, as the newest version has them. */
export const brought = (version: Version, tool: string, given: unknown): unknown =>
  typeof given === 'object' && given !== null && !Array.isArray(given)
    ? since(version)
        .filter(({ tools }) => tools.includes(tool))
        .reduce((fields, { up }) => up(fields), given as Fields)
    : given;

const downBy = (changes: readonly Change[], item: Fields): Fields =>
  changes.reduceRight((fields, { down }) => down(fields), item);

/** An answer of the newest version, as a version has it: an item, or a list of items. */
export function taken(version: Version, tool: string, answer: Fields): Fields {
  const changes = since(version).filter(({ tools }) => tools.includes(tool));
  if (changes.length === 0) return answer;
  return Array.isArray(answer.data)
    ? { ...answer, data: answer.data.map((item: Fields) => downBy(changes, item)) }
    : downBy(changes, answer);
}

/** The data of an event, as a version has it. */
export const eventData = (version: string, kind: keyof typeof EVENT_DATA, data: object): object =>
  isVersion(version)
    ? downBy(
        since(version).filter((change) => change.data.includes(kind)),
        data as Fields,
      )
    : data;

/** A refusal with the names that a version has for the fields of its request. */
export function named(version: Version, tool: string, error: unknown): unknown {
  const changes = since(version).filter(({ tools }) => tools.includes(tool));
  if (!(error instanceof Refusal) || changes.length === 0) return error;
  const back = (place: string): string =>
    changes.reduceRight((text, { places }) => {
      const found = Object.entries(places).find(([is]) =>
        [`body.${is}`, `query.${is}`].some((one) => text === one || text.startsWith(`${one}.`)),
      );
      return found ? text.replace(found[0], found[1]) : text;
    }, place);
  const errors: FieldErrors = Object.fromEntries(
    Object.entries(error.errors).map(([place, rules]) => [back(place), rules]),
  );
  const place = Object.keys(error.errors).find((one) => error.message.startsWith(`${one}: `));
  return new Refusal(
    error.code,
    place ? `${back(place)}${error.message.slice(place.length)}` : error.message,
    { errors, ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }) },
  );
}

/** Since when a version is not the newest, and when it ends; null for the newest. */
export function lifeOf(version: Version): { deprecated: Date; ends: Date } | null {
  const next = VERSIONS[VERSIONS.indexOf(version) + 1];
  if (!next) return null;
  const day = Temporal.PlainDate.from(next);
  const at = (date: Temporal.PlainDate) => new Date(`${date.toString()}T00:00:00Z`);
  return { deprecated: at(day), ends: at(day.add({ months: VERSION_MONTHS })) };
}

/**
 * The version that a request is made in: the one it asks for, otherwise its key's.
 * @throws Refusal 400 for one that there is not, 410 for one that has ended
 */
export function versionOf(asked: unknown, ofKey: string, now: Date): Version {
  const version = asked ?? ofKey;
  if (typeof version !== 'string' || !isVersion(version))
    throw refusalOf('header.Lead-Version', `must be one of ${VERSIONS.join(', ')}`, 'bad_request');
  const life = lifeOf(version);
  if (life && life.ends <= now)
    throw refusalOf(
      'header.Lead-Version',
      `${version} ended on ${life.ends.toISOString().slice(0, 10)}`,
      'gone',
    );
  return version;
}

/** What responses in a version say about it: when it was replaced (RFC 9745) and when it ends (RFC 8594). */
export function versionHeaders(version: Version, reference: string): Record<string, string> {
  const life = lifeOf(version);
  return {
    'Lead-Version': version,
    ...(life
      ? {
          Deprecation: `@${life.deprecated.getTime() / 1000}`,
          Sunset: life.ends.toUTCString(),
          Link: `<${reference}>; rel="deprecation"; type="text/html"`,
        }
      : {}),
  };
}
