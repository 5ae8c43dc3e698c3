import { Stopped } from '../attempt.ts';
import { type Answer, at, listAt, textAt } from '../http.ts';
import { type Choice, chosen, isOk, type Result, refusal, type Vendor, type Way } from '../port.ts';

const OWN = 'custom:';
const SECOND_MS = 1_000;

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
  noun: 'contact',
  base: 'https://api.sendgrid.com',
  credentials: [
    {
      key: 'api_key',
      label: 'API key',
      help: 'It starts with SG. and needs access to Marketing.',
      isSecret: true,
      placeholder: 'SG.…',
    },
  ],
  settings: [
    {
      key: 'lists',
      label: 'Lists',
      help: 'The lists that contacts are added to. None is fine.',
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
  hasOwnFields: true,

  async test(way) {
    const answer = await ask(way, 'GET', '/scopes');
    if (!isOk(answer)) {
      const result = judged(answer);
      return {
        isConnected: false,
        why: words(answer) ?? ('why' in result ? result.why : 'SendGrid refused the key.'),
      };
    }
    const scopes = at(answer.json, 'scopes');
    const isAllowed = Array.isArray(scopes) && scopes.some((scope) => String(scope).startsWith('marketing.'));
    if (!isAllowed)
      return { isConnected: false, why: 'The key has no access to Marketing. Edit it in SendGrid.' };
    return { isConnected: true, account: 'SendGrid Marketing' };
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

  async deliver(way, request) {
    const contact: Record<string, unknown> = {};
    const custom: Record<string, string> = {};
    for (const [key, value] of Object.entries(request.fields)) {
      if (key.startsWith(OWN)) custom[key.slice(OWN.length)] = value;
      else contact[key] = value;
    }
    const lists = chosen(request.settings.lists);
    const answer = await ask(way, 'PUT', '/marketing/contacts', {
      ...(lists.length > 0 ? { list_ids: lists } : {}),
      contacts: [{ ...contact, ...(Object.keys(custom).length > 0 ? { custom_fields: custom } : {}) }],
    });
    if (!isOk(answer)) return judged(answer);
    const email = request.fields.email ?? '';
    const job = textAt(answer.json, 'job_id');
    const state = job
      ? await ask(way, 'GET', `/marketing/contacts/imports/${encodeURIComponent(job)}`)
      : undefined;
    const refused =
      Number(at(state?.json, 'results', 'errored_count')) > 0 || textAt(state?.json, 'status') === 'failed';
    if (refused)
      return {
        kind: 'final',
        why: 'SendGrid accepted the contact and then could not save it.',
        fix: 'Check the email address and the custom fields of this destination.',
        status: answer.status,
      };
    return { kind: 'delivered', remoteId: email, status: answer.status };
  },

  async erase(way, remoteId) {
    const found = await ask(way, 'POST', '/marketing/contacts/search/emails', { emails: [remoteId] });
    if (found.status === 404) return;
    const id = textAt(checked(found).json, 'result', remoteId.toLowerCase(), 'contact', 'id');
    if (id) checked(await ask(way, 'DELETE', `/marketing/contacts?ids=${encodeURIComponent(id)}`));
  },
};

const ask = (way: Way, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: unknown) =>
  way.http({
    method,
    url: `${way.base}/v3${path}`,
    headers: { authorization: `Bearer ${way.credentials.api_key}` },
    ...(json === undefined ? {} : { json }),
  });

function checked(answer: Answer): Answer {
  if (!isOk(answer)) throw new Stopped(judged(answer));
  return answer;
}

/** SendGrid tells when its limit ends as an instant, in seconds since 1970, and has no Retry-After. */
function judged(answer: Answer): Result {
  const said = words(answer);
  const result = refusal(answer, said, {
    403: 'Give the key full access to Marketing in SendGrid, then resend.',
    451: 'The key belongs to another data region of SendGrid. Connect with a key of the global region.',
  });
  const wait = Number(answer.headers['x-ratelimit-reset']) * SECOND_MS - answer.at.getTime();
  return result.kind === 'retry' && answer.status === 429 && wait > 0
    ? { ...result, afterMs: Math.min(wait, 3_600_000) }
    : result;
}

const words = (answer: Answer): string | undefined => {
  const [first] = listAt(answer.json, 'errors');
  const field = textAt(first, 'field');
  const message = textAt(first, 'message');
  return message && field ? `${field}: ${message}` : message;
};
