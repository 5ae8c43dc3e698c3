import { Stopped } from '../attempt.ts';
import { type Answer, at, LostAnswer, listAt, NotSent, textAt } from '../http.ts';
import {
  type Choice,
  chosen,
  isOk,
  type Request,
  type Result,
  refusal,
  type Vendor,
  type Way,
} from '../port.ts';

const OWN = 'custom:';
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const GLOBAL = 'https://api.sendgrid.com';
const EU = 'https://api.eu.sendgrid.com';
const WRONG_REGION = 'The region must be global or EU.';

/**
 * A contact in SendGrid's marketing lists. Contacts are upserted by email, so a repeated attempt is harmless; SendGrid
 * accepts them first and saves them later, which a look at the job tells if it is quick.
 */
export const sendgrid: Vendor = {
  id: 'sendgrid',
  name: 'SendGrid',
  summary: 'Adds or updates a marketing contact for each lead.',
  category: 'Email',
  steps: [
    'In SendGrid, open Settings, API Keys, and create a key with restricted access.',
    'Give it full access to Marketing, and copy it. It is shown only once.',
    'Create a list for the leads under Marketing, Contacts, if you want them in one.',
  ],
  isUnverified: true,
  noun: 'contact',
  base: GLOBAL,
  credentials: [
    {
      key: 'api_key',
      label: 'API key',
      help: 'It starts with SG. and needs access to Marketing.',
      isSecret: true,
      placeholder: 'SG.…',
    },
    {
      key: 'region',
      label: 'Region',
      help: 'Enter EU if the account keeps its data in the European Union. Blank uses the global region.',
      isSecret: false,
      isOptional: true,
      placeholder: 'global',
    },
  ],
  settings: [
    {
      key: 'lists',
      label: 'Lists',
      help: 'The lists that contacts are added to. Leave blank for no list.',
      kind: 'choices',
    },
  ],
  fields: [
    { key: 'email', label: 'Email', from: 'email', isRequired: true },
    { key: 'first_name', label: 'First name', from: 'first_name' },
    { key: 'last_name', label: 'Last name', from: 'last_name' },
    { key: 'phone_number', label: 'Phone number', from: 'phone' },
    { key: 'address_line_1', label: 'Street address', from: 'address' },
    { key: 'city', label: 'City', from: 'city' },
    { key: 'state_province_region', label: 'State', from: 'state' },
    { key: 'postal_code', label: 'Postal code', from: 'zip' },
  ],
  judgesEmail: 'email',
  hasOwnFields: true,

  async test(way) {
    if (regionOf(way) === undefined) return { isConnected: false, why: WRONG_REGION };
    const answer = await ask(way, 'GET', '/scopes');
    if (!isOk(answer)) {
      const result = judged(answer);
      return { isConnected: false, why: 'why' in result ? result.why : 'SendGrid refused the key.' };
    }
    const scopes = at(answer.json, 'scopes');
    const isAllowed =
      Array.isArray(scopes) &&
      scopes.some((scope) => typeof scope === 'string' && /^marketing\.(?!automation)/.test(scope));
    if (!isAllowed)
      return {
        isConnected: false,
        why: 'The key has no access to Marketing. In SendGrid, open Settings, API Keys, and give it full access to Marketing.',
      };
    return { isConnected: true, account: `SendGrid Marketing${regionOf(way) === 'eu' ? ' (EU)' : ''}` };
  },

  async choices(way) {
    const [lists, fields] = [
      checked(await ask(way, 'GET', '/marketing/lists?page_size=1000')),
      checked(await ask(way, 'GET', '/marketing/field_definitions')),
    ];
    const named = (entries: Record<string, unknown>[], prefix = ''): Choice[] =>
      entries.flatMap((entry) => {
        const id = textAt(entry, 'id');
        return id ? [{ id: prefix + id, name: textAt(entry, 'name') ?? id }] : [];
      });
    return {
      lists: named(listAt(lists.json, 'result')),
      fields: named(listAt(fields.json, 'custom_fields'), OWN),
    };
  },

  // Small enough to be told one by one, if SendGrid refuses one of them.
  queue: { most: 50 },

  async deliver(way, request) {
    const answer = await put(way, [request]);
    if (!isOk(answer)) return judged(answer);
    return (await isRefused(way, answer)) ? REFUSED : delivered(answer, request);
  },

  async deliverMany(way, batch) {
    const requests = batch.map(({ request }) => request);
    const answer = await put(way, requests);
    // SendGrid does not say which of them it means: each is then told on its own.
    const isDoubtful = answer.status === 400 || (isOk(answer) && (await isRefused(way, answer)));
    if (!isDoubtful && !isOk(answer)) throw new Stopped(judged(answer));
    if (!isDoubtful) return requests.map((request) => delivered(answer, request));
    const results: Result[] = [];
    for (const request of requests) results.push(await sendgrid.deliver(way, request, null));
    return results;
  },

  async erase(way, remoteId) {
    const found = await ask(way, 'POST', '/marketing/contacts/search/emails', { emails: [remoteId] });
    if (found.status === 404) return;
    const id = textAt(checked(found).json, 'result', remoteId.toLowerCase(), 'contact', 'id');
    if (id) checked(await ask(way, 'DELETE', `/marketing/contacts?ids=${encodeURIComponent(id)}`));
  },
};

const REFUSED: Result = {
  kind: 'final',
  why: 'SendGrid accepted the contact and then could not save it.',
  fix: 'Check the email address and the custom fields of this destination.',
  status: 202,
};

function delivered(answer: Answer, { fields }: Request): Result {
  const wait = answer.headers['x-ratelimit-remaining'] === '0' ? limitEnds(answer) : undefined;
  return {
    kind: 'delivered',
    remoteId: fields.email ?? '',
    status: answer.status,
    ...(wait ? { afterMs: wait } : {}),
  };
}

/** Adds or updates contacts, all of them in the same lists. */
function put(way: Way, requests: readonly Request[]): Promise<Answer> {
  const lists = chosen(requests[0]?.settings.lists);
  const contacts = requests.map(({ fields }) => {
    const contact: Record<string, unknown> = {};
    const custom: Record<string, string | number> = {};
    for (const [key, value] of Object.entries(fields)) {
      if (key.startsWith(OWN)) custom[key.slice(OWN.length)] = typed(key, value);
      else contact[key] = value;
    }
    return { ...contact, ...(Object.keys(custom).length > 0 ? { custom_fields: custom } : {}) };
  });
  return ask(way, 'PUT', '/marketing/contacts', {
    ...(lists.length > 0 ? { list_ids: lists } : {}),
    contacts,
  });
}

/** Whether SendGrid could not save what it had accepted, as far as that can be told. */
async function isRefused(way: Way, answer: Answer): Promise<boolean> {
  const job = textAt(answer.json, 'job_id');
  const state = job ? await stateOf(way, job) : undefined;
  return (
    Number(at(state?.json, 'results', 'errored_count')) > 0 ||
    /^(failed|errored)$/.test(textAt(state?.json, 'status') ?? '')
  );
}

/** The region that was entered; undefined for a word that is none. */
function regionOf({ credentials }: Way): 'global' | 'eu' | undefined {
  const region = credentials.region?.trim().toLowerCase() || 'global';
  return region === 'global' || region === 'eu' ? region : undefined;
}

/** The regions differ in their host, except where one server stands for both. */
function ask(way: Way, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: unknown) {
  const region = regionOf(way);
  if (!region) throw new Stopped({ kind: 'final', why: WRONG_REGION, fix: 'Correct it.', status: null });
  return way.http({
    method,
    url: `${way.base === GLOBAL && region === 'eu' ? EU : way.base}/v3${path}`,
    headers: { authorization: `Bearer ${way.credentials.api_key}` },
    ...(json === undefined ? {} : { json }),
  });
}

/** What became of a job, if it can be told: the contact is accepted already, whatever happens to this question. */
async function stateOf(way: Way, job: string): Promise<Answer | undefined> {
  try {
    return await ask(way, 'GET', `/marketing/contacts/imports/${encodeURIComponent(job)}`);
  } catch (error) {
    if (error instanceof LostAnswer || error instanceof NotSent) return undefined;
    throw error;
  }
}

/** SendGrid refuses text in a custom field for numbers, whose ID ends with _N. */
const typed = (key: string, value: string): string | number =>
  key.endsWith('_N') && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;

function checked(answer: Answer): Answer {
  if (!isOk(answer)) throw new Stopped(judged(answer));
  return answer;
}

/** What is wrong with the whole connection, not with one contact. */
const BROKEN: Readonly<Record<number, string>> = {
  403: 'Give the key full access to Marketing in SendGrid.',
  451: 'The account keeps its data in another region. Connect again with the region of the account.',
};

function judged(answer: Answer): Result {
  const result = refusal(answer, words(answer));
  const hint = BROKEN[answer.status];
  if (hint && result.kind === 'final')
    return { kind: 'broken', why: `${result.why.replace(/\.$/, '')}. ${hint}`, status: answer.status };
  const wait = answer.status === 429 ? limitEnds(answer) : undefined;
  return result.kind === 'retry' && wait ? { ...result, afterMs: wait } : result;
}

/** SendGrid tells when its limit ends as an instant, in seconds since 1970, and has no Retry-After. */
function limitEnds(answer: Answer): number | undefined {
  const wait = Number(answer.headers['x-ratelimit-reset']) * SECOND_MS - answer.at.getTime();
  return wait > 0 ? Math.min(wait, HOUR_MS) : undefined;
}

const words = (answer: Answer): string | undefined => {
  const [first] = listAt(answer.json, 'errors');
  const field = textAt(first, 'field');
  const message = textAt(first, 'message');
  return message && field ? `${field}: ${message}` : message;
};
