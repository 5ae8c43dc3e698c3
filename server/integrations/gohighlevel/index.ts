import { Stopped } from '../attempt.ts';
import { type Answer, at, listAt, textAt } from '../http.ts';
import {
  type Choice,
  type Customer,
  chosen,
  isOk,
  type Request,
  type Result,
  refusal,
  type Vendor,
  type Way,
  waitAsked,
} from '../port.ts';

const VERSION = '2021-07-28';
/** The most opportunities that a search returns at once. */
const SEARCH_PAGE = 100;

/**
 * GoHighLevel contacts (API v2) by a private integration's token, or by signing in. The upsert matches as the location's setting "Allow
 * duplicate contact" says, so a repeated attempt is harmless and needs no `find`.
 */
export const gohighlevel: Vendor = {
  id: 'gohighlevel',
  name: 'GoHighLevel',
  summary: 'Creates or updates a contact for each lead, with tags and an opportunity.',
  category: 'CRM',
  steps: [
    'In the sub-account, open Settings, Private Integrations, and create an integration.',
    'Give it the scopes contacts.write, contacts.readonly, locations.readonly, locations/customFields.readonly and locations/tags.readonly. For opportunities and for known customers, add opportunities.write and opportunities.readonly.',
    'Copy its token, which is shown only once. Copy the location ID from Settings, Business Profile.',
  ],
  isUnverified: true,
  noun: 'contact',
  base: 'https://services.leadconnectorhq.com',
  credentials: [
    {
      key: 'token',
      label: 'Private integration token',
      help: 'The token of a private integration of the sub-account. It starts with pit-.',
      isSecret: true,
      placeholder: 'pit-…',
    },
    {
      key: 'location',
      label: 'Location ID',
      help: 'The ID of the sub-account. It is under Settings, Business Profile.',
      isSecret: false,
    },
  ],
  oauth: {
    provider: 'GoHighLevel',
    signIn: 'https://marketplace.gohighlevel.com/oauth/chooselocation',
    token: 'https://services.leadconnectorhq.com/oauth/token',
    scopes: [
      'contacts.write',
      'contacts.readonly',
      'locations.readonly',
      'locations/customFields.readonly',
      'locations/tags.readonly',
      'opportunities.write',
      'opportunities.readonly',
    ],
    hasPkce: false,
    tokenParameters: { user_type: 'Location' },
    fills: 'token',
    credentialsOf: (answer) => ({ location: textAt(answer, 'locationId') ?? '' }),
    // A refresh token lives a year or until it is used, and each use returns a new one.
    signInDays: 365,
  },
  settings: [
    {
      key: 'tags',
      label: 'Tags',
      help: 'Added to each contact. Tags that a contact already has are kept.',
      kind: 'choices',
    },
    {
      key: 'pipeline',
      label: 'Pipeline',
      help: 'Adds an opportunity to this pipeline for each new lead. Leave blank for no opportunity.',
      kind: 'choice',
    },
    {
      key: 'stage',
      label: 'Pipeline stage',
      help: 'Choose a stage of the pipeline above. Leave blank for its first stage.',
      kind: 'choice',
    },
  ],
  fields: [
    { key: 'firstName', label: 'First name', from: 'first_name' },
    { key: 'lastName', label: 'Last name', from: 'last_name' },
    { key: 'email', label: 'Email', from: 'email' },
    { key: 'phone', label: 'Phone', from: 'phone' },
    { key: 'address1', label: 'Street address', from: 'address' },
    { key: 'city', label: 'City', from: 'city' },
    { key: 'state', label: 'State', from: 'state' },
    { key: 'postalCode', label: 'Postal code', from: 'zip' },
    { key: 'companyName', label: 'Business name', from: 'company_name' },
    { key: 'website', label: 'Website', from: 'website' },
    { key: 'source', label: 'Contact source' },
  ],
  judgesEmail: 'email',
  hasOwnFields: true,

  async test(way) {
    const answer = await ask(way, 'GET', `/locations/${locationOf(way)}`);
    if (!isOk(answer)) {
      const said = words(answer) ?? `GoHighLevel returned ${answer.status}.`;
      return { isConnected: false, why: said + (scopeHint(answer) ?? '') };
    }
    const name = textAt(answer.json, 'location', 'name') ?? way.credentials.location ?? '';
    return { isConnected: true, account: name.trim() || 'Sub-account' };
  },

  async choices(way) {
    const tags = await ask(way, 'GET', `/locations/${locationOf(way)}/tags`);
    if (!isOk(tags)) throw new Stopped(judged(tags));
    const fields = await ask(way, 'GET', `/locations/${locationOf(way)}/customFields?model=contact`);
    if (!isOk(fields)) throw new Stopped(judged(fields));
    const found = await ask(way, 'GET', `/opportunities/pipelines?locationId=${locationOf(way)}`);
    // Without the scopes for opportunities there is nothing to choose, and everything else still works.
    const mayChoose = found.status !== 401 && found.status !== 403;
    if (mayChoose && !isOk(found)) throw new Stopped(judged(found));
    const pipelines = listAt(found.json, 'pipelines');
    return {
      // The tags of a contact are names, not IDs.
      tags: listAt(tags.json, 'tags').flatMap((tag): Choice[] => {
        const name = textAt(tag, 'name');
        return name ? [{ id: name, name }] : [];
      }),
      pipeline: pipelines.flatMap((pipeline) => choice(pipeline)),
      stage: pipelines.flatMap((pipeline) =>
        listAt(pipeline, 'stages').flatMap((stage) => choice(stage, `${textAt(pipeline, 'name') ?? ''}: `)),
      ),
      fields: listAt(fields.json, 'customFields').flatMap((field) =>
        FILES.has(textAt(field, 'dataType') ?? '') ? [] : choice(field),
      ),
    };
  },

  async deliver(way, request, remoteId) {
    const contact = contactOf(request.fields);
    if (!contact.email && !contact.phone)
      return {
        kind: 'final',
        why: 'GoHighLevel needs an email address or a phone number.',
        fix: 'Map the email address or the phone number of the lead.',
        status: null,
      };
    const saved = (remoteId && (await update(way, contact, remoteId))) || (await upsert(way, contact));
    let last = saved.answer;

    const tags = chosen(request.settings.tags);
    if (tags.length > 0) {
      // In the upsert, tags would replace all the tags that the contact has.
      last = await ask(way, 'POST', `/contacts/${encodeURIComponent(saved.id)}/tags`, { tags });
      if (!isOk(last)) return judged(last);
    }
    if (request.settings.pipeline && !remoteId) {
      const answer = await opportunity(way, request, saved);
      if (answer) last = answer;
    }
    const spent = last.headers['x-ratelimit-remaining'] === '0' || dayIsSpent(last);
    return {
      kind: 'delivered',
      remoteId: saved.id,
      status: saved.answer.status,
      ...(spent ? { afterMs: limitEnds(last) } : {}),
    };
  },

  // A contact says nothing of having bought, so it is those of won opportunities; we only ever add open ones.
  customers: {
    who: 'Contacts with a won opportunity',
    async list(way, after) {
      const query = new URLSearchParams({
        location_id: way.credentials.location ?? '',
        status: 'won',
        limit: String(SEARCH_PAGE),
      });
      const [at, id] = after?.split(' ') ?? [];
      if (at && id) {
        query.set('startAfter', at);
        query.set('startAfterId', id);
      }
      const answer = await ask(way, 'GET', `/opportunities/search?${query}`);
      if (!isOk(answer)) throw new Stopped(judged(answer));
      const found = listAt(answer.json, 'opportunities');
      const next = `${textAt(answer.json, 'meta', 'startAfter') ?? ''} ${textAt(answer.json, 'meta', 'startAfterId') ?? ''}`;
      return {
        customers: found.flatMap((opportunity): Customer[] => {
          const of = (key: string): string => textAt(opportunity, 'contact', key) ?? '';
          // Of an opportunity whose contact was deleted, nothing is known.
          return of('email') || of('phone')
            ? [{ name: of('name'), email: of('email'), phone: of('phone') }]
            : [];
        }),
        next: found.length === SEARCH_PAGE && /^\S+ \S+$/.test(next) && next !== after ? next : null,
      };
    },
  },

  async erase(way, remoteId) {
    const answer = await ask(way, 'DELETE', `/contacts/${encodeURIComponent(remoteId)}`);
    if (!isOk(answer) && !isGone(answer)) throw new Stopped(judged(answer));
  },
};

interface Saved {
  id: string;
  isNew: boolean;
  answer: Answer;
}

/** Custom fields that no text fits into. */
const FILES = new Set(['FILE_UPLOAD', 'SIGNATURE']);

const STANDARD = new Set(gohighlevel.fields.map(({ key }) => key));

/** The body of a contact: own fields go into a list, by their IDs. */
function contactOf(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const contact: Record<string, unknown> = {};
  const own: { id: string; field_value: string }[] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (STANDARD.has(key)) contact[key] = value;
    else own.push({ id: key, field_value: value });
  }
  return own.length > 0 ? { ...contact, customFields: own } : contact;
}

async function upsert(way: Way, contact: Record<string, unknown>): Promise<Saved> {
  const body = { ...contact, locationId: way.credentials.location };
  const answer = await ask(way, 'POST', '/contacts/upsert', body);
  if (!isOk(answer)) throw new Stopped(judged(answer));
  const id = textAt(answer.json, 'contact', 'id');
  if (id) return { id, isNew: at(answer.json, 'new') === true, answer };
  throw new Stopped({
    kind: 'retry',
    why: 'GoHighLevel returned no contact.',
    status: answer.status,
  });
}

/** Updates a contact; undefined if it was deleted there since. */
async function update(way: Way, contact: Record<string, unknown>, id: string): Promise<Saved | undefined> {
  // An update refuses the business name, which only an upsert takes.
  const { companyName: _, ...body } = contact;
  const answer = await ask(way, 'PUT', `/contacts/${encodeURIComponent(id)}`, body);
  if (isOk(answer)) return { id, isNew: false, answer };
  if (isGone(answer)) return undefined;
  const isDuplicate = /duplicated contact/i.test(words(answer) ?? '');
  throw new Stopped(
    judged(answer, isDuplicate ? { 400: 'Merge the two contacts in GoHighLevel, then resend.' } : {}),
  );
}

/**
 * Adds an opportunity unless the contact has an open one in that pipeline: an earlier attempt may have added it.
 * Returns the last answer.
 */
async function opportunity(way: Way, request: Request, saved: Saved): Promise<Answer | undefined> {
  const { pipeline = '', stage } = request.settings;
  const { firstName, lastName, email, phone } = request.fields;
  if (!saved.isNew) {
    const query = new URLSearchParams({
      location_id: way.credentials.location ?? '',
      contact_id: saved.id,
      pipeline_id: pipeline,
      status: 'open',
      limit: '1',
    });
    const found = await ask(way, 'GET', `/opportunities/search?${query}`);
    if (!isOk(found)) throw new Stopped(judged(found));
    if (listAt(found.json, 'opportunities').length > 0) return found;
  }
  const answer = await ask(way, 'POST', '/opportunities/', {
    pipelineId: pipeline,
    locationId: way.credentials.location,
    name: [firstName, lastName].filter(Boolean).join(' ') || email || phone || 'Lead',
    status: 'open',
    contactId: saved.id,
    ...(stage ? { pipelineStageId: stage } : {}),
  });
  // Some locations allow one opportunity for each contact: it has one already.
  const isDuplicate = textAt(answer.json, 'code') === 'OPPORTUNITY_NO_DUPLICATE';
  if (!isOk(answer) && !isDuplicate) {
    const fix = 'Choose the pipeline and a stage of that pipeline in the settings, then resend.';
    throw new Stopped(judged(answer, { 400: fix, 404: fix, 422: fix }));
  }
  return answer;
}

/** What a refusal means: a token without a scope, or of another location, is a matter of the connection. */
function judged(answer: Answer, hints?: Record<number, string>): Result {
  const result = refusal(answer, words(answer), hints);
  const { status } = answer;
  if (status === 401 || status === 403) {
    const said = 'why' in result ? result.why : '';
    return { kind: 'broken', why: said + (scopeHint(answer) ?? ''), status };
  }
  if (result.kind === 'retry' && status === 429) return { ...result, afterMs: limitEnds(answer) };
  return result;
}

function scopeHint(answer: Answer): string | undefined {
  const said = words(answer) ?? '';
  if (/\bscope\b/i.test(said))
    return ' Edit the private integration and give it the scopes listed on the connection page.';
  return answer.status === 403
    ? ' Check that the token and the location ID are of the same sub-account.'
    : undefined;
}

const HOUR_MS = 3_600_000;
const BURST_MS = 10_000;

const dayIsSpent = ({ headers }: Answer): boolean => headers['x-ratelimit-daily-remaining'] === '0';

/** When the limit of requests allows more: 100 each 10 seconds, and 200,000 a day whose end is not said. */
function limitEnds(answer: Answer): number {
  const asked = waitAsked(answer);
  if (asked) return asked;
  if (dayIsSpent(answer)) return HOUR_MS;
  const interval = Number(answer.headers['x-ratelimit-interval-milliseconds']);
  return interval > 0 && interval <= HOUR_MS ? interval : BURST_MS;
}

/** A contact that does not exist is a 400 in some calls. */
const isGone = (answer: Answer): boolean =>
  answer.status === 404 || (answer.status === 400 && /\bnot found\b/i.test(words(answer) ?? ''));

const locationOf = (way: Way): string => encodeURIComponent((way.credentials.location ?? '').toWellFormed());

function choice(entry: Record<string, unknown>, before = ''): Choice[] {
  const id = textAt(entry, 'id');
  return id ? [{ id, name: before + (textAt(entry, 'name') ?? id) }] : [];
}

const ask = (way: Way, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: unknown) =>
  way.http({
    method,
    url: way.base + path,
    headers: { authorization: `Bearer ${way.credentials.token}`, version: VERSION },
    ...(json === undefined ? {} : { json }),
  });

/** GoHighLevel's words: a text, or a list of them for values that it does not accept. */
function words(answer: Answer): string | undefined {
  const message = at(answer.json, 'message');
  if (!Array.isArray(message)) return textAt(answer.json, 'message');
  return message.filter((one) => typeof one === 'string').join(', ') || undefined;
}
