import { Stopped } from '../attempt.ts';
import { type Answer, at, listAt, textAt } from '../http.ts';
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

/**
 * GoHighLevel contacts by a location's API key (API v1, out of support there). Its own document of the calls is gone:
 * these are the ones that public programs agree on, so what is unsure is asked instead of assumed.
 */
export const gohighlevelV1: Vendor = {
  id: 'gohighlevel-v1',
  name: 'GoHighLevel v1 (legacy)',
  summary: 'For location API keys that still work. Choose GoHighLevel for new connections.',
  category: 'CRM',
  steps: [
    'GoHighLevel has ended support for location API keys. They can stop working at any time, and new ones may not be available.',
    'To move, connect GoHighLevel: you create a private integration and enter its token and the location ID instead of the API key. Then choose the tags and map your custom fields again. Your contacts stay as they are.',
    'To keep using an API key for now, open Settings, Business Profile, in the sub-account and copy it.',
  ],
  isUnverified: true,
  noun: 'contact',
  base: 'https://rest.gohighlevel.com/v1',
  credentials: [
    {
      key: 'key',
      label: 'Location API key',
      help: 'The API key of the sub-account, not the one of the agency.',
      isSecret: true,
    },
  ],
  settings: [
    {
      key: 'tags',
      label: 'Tags',
      help: 'Added to each contact. Tags that a contact already has are kept.',
      kind: 'choices',
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
    // The smallest call that reads nothing about people.
    const answer = await ask(way, 'GET', '/custom-fields/');
    if (!isOk(answer))
      return { isConnected: false, why: words(answer) ?? `GoHighLevel returned ${answer.status}.` };
    return { isConnected: true, account: accountOf(way.credentials.key) };
  },

  async choices(way) {
    const tags = await ask(way, 'GET', '/tags/');
    if (!isOk(tags)) throw new Stopped(refusal(tags, words(tags)));
    const fields = await ask(way, 'GET', '/custom-fields/');
    if (!isOk(fields)) throw new Stopped(refusal(fields, words(fields)));
    return {
      // The tags of a contact are names, not IDs.
      tags: listAt(tags.json, 'tags').flatMap((tag): Choice[] => {
        const name = textAt(tag, 'name');
        return name ? [{ id: name, name }] : [];
      }),
      fields: listAt(fields.json, 'customFields').flatMap((field): Choice[] => {
        const id = textAt(field, 'id');
        return id ? [{ id, name: textAt(field, 'name') ?? id }] : [];
      }),
    };
  },

  async find(way, request) {
    for (const key of ['email', 'phone']) {
      const value = request.fields[key];
      if (!value) continue;
      const query = new URLSearchParams({ [key]: value });
      const answer = await ask(way, 'GET', `/contacts/lookup?${query}`);
      // A value that it does not accept belongs to no contact either.
      if (answer.status === 404 || answer.status === 400 || answer.status === 422) continue;
      if (!isOk(answer)) throw new Stopped(refusal(answer, words(answer)));
      const id = textAt(listAt(answer.json, 'contacts')[0], 'id') ?? textAt(answer.json, 'contact', 'id');
      if (id) return id;
    }
    return null;
  },

  async deliver(way, request, remoteId) {
    const contact = contactOf(request);
    if (!contact.email && !contact.phone)
      return {
        kind: 'final',
        why: 'GoHighLevel needs an email address or a phone number.',
        fix: 'Map the email address or the phone number of the lead.',
        status: null,
      };
    let id = remoteId;
    let answer: Answer | undefined;
    if (id) {
      answer = await ask(way, 'PUT', `/contacts/${encodeURIComponent(id)}`, contact);
      if (isGone(answer)) answer = undefined;
      else if (!isOk(answer)) return refusal(answer, words(answer));
    }
    if (!answer) {
      answer = await ask(way, 'POST', '/contacts/', contact);
      if (!isOk(answer)) return refusal(answer, words(answer));
      id = textAt(answer.json, 'contact', 'id') ?? textAt(answer.json, 'id') ?? null;
    }
    if (!id) return noContact(answer);

    const tags = chosen(request.settings.tags);
    if (tags.length > 0) {
      const tagged = await ask(way, 'POST', `/contacts/${encodeURIComponent(id)}/tags/`, { tags });
      if (!isOk(tagged)) return refusal(tagged, words(tagged));
    }
    return { kind: 'delivered', remoteId: id, status: answer.status };
  },

  async erase(way, remoteId) {
    const answer = await ask(way, 'DELETE', `/contacts/${encodeURIComponent(remoteId)}`);
    if (!isOk(answer) && !isGone(answer)) throw new Stopped(refusal(answer, words(answer)));
  },
};

const STANDARD = new Set(gohighlevelV1.fields.map(({ key }) => key));

/** The body of a contact: own fields go into an object, by their IDs. */
function contactOf({ fields }: Request): Record<string, unknown> {
  const own = Object.entries(fields).filter(([key]) => !STANDARD.has(key));
  const contact = Object.fromEntries(Object.entries(fields).filter(([key]) => STANDARD.has(key)));
  return own.length > 0 ? { ...contact, customField: Object.fromEntries(own) } : contact;
}

/** It was accepted, but as what is unknown: the next attempt asks for the contact before it sends anything. */
const noContact = ({ status }: Answer): Result => ({
  kind: 'unknown',
  why: `GoHighLevel returned ${status} without a contact.`,
});

const isGone = (answer: Answer): boolean =>
  answer.status === 404 || (answer.status === 400 && /\bnot found\b/i.test(words(answer) ?? ''));

/** The location that a key is for, which its middle part names; nothing else of it is kept. */
function accountOf(key = ''): string {
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {}
  const location = textAt(claims, 'location_id');
  return location && /^\w{1,64}$/.test(location) ? `Location ${location}` : 'Location of the API key';
}

const ask = (way: Way, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: unknown) =>
  way.http({
    method,
    url: way.base + path,
    headers: { authorization: `Bearer ${way.credentials.key}` },
    ...(json === undefined ? {} : { json }),
  });

/** GoHighLevel's words: `msg` or `message`, or a message by the name of the field that is wrong. */
function words({ json }: Answer): string | undefined {
  const said = textAt(json, 'msg') ?? textAt(json, 'message');
  if (said || typeof json !== 'object' || json === null) return said;
  const list = Object.keys(json).flatMap((key) => textAt(at(json, key), 'message') ?? []);
  return list.join(' ') || undefined;
}
