import { Stopped } from '../attempt.ts';
import { type Answer, at, listAt, textAt } from '../http.ts';
import { type Choice, chosen, isOk, refusal, type Vendor, type Way } from '../port.ts';

/**
 * ClickFunnels 2.0 contacts by a workspace's token. Contacts are upserted by email, so a repeated attempt is harmless
 * and needs no `find`.
 */
export const clickfunnels: Vendor = {
  id: 'clickfunnels',
  name: 'ClickFunnels',
  summary: 'Creates or updates a contact in ClickFunnels 2.0 for each lead, with tags.',
  category: 'CRM',
  steps: [
    'In ClickFunnels 2.0, open Team Settings, Developer Portal, add a platform application, and copy its API access token.',
    'Copy the subdomain and the workspace ID from Workspace Settings.',
    'ClickFunnels Classic cannot receive contacts this way.',
  ],
  isUnverified: true,
  noun: 'contact',
  base: 'https://{subdomain}.myclickfunnels.com/api/v2',
  credentials: [
    {
      key: 'subdomain',
      label: 'Subdomain',
      help: 'The part before .myclickfunnels.com in the address of your workspace.',
      isSecret: false,
      placeholder: 'myworkspace',
    },
    {
      key: 'token',
      label: 'API access token',
      help: 'The token of a platform application of your team.',
      isSecret: true,
    },
    {
      key: 'workspace',
      label: 'Workspace ID',
      help: 'The workspace that contacts are added to. Its ID is in Workspace Settings.',
      isSecret: false,
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
    { key: 'email_address', label: 'Email', from: 'email', isRequired: true },
    { key: 'first_name', label: 'First name', from: 'first_name' },
    { key: 'last_name', label: 'Last name', from: 'last_name' },
    { key: 'phone_number', label: 'Phone number', from: 'phone' },
    { key: 'website_url', label: 'Website URL', from: 'website' },
    { key: 'linkedin_url', label: 'LinkedIn URL' },
    // ClickFunnels has no fields for these, so they become custom attributes.
    { key: 'street_address', label: 'Street address (custom attribute)', from: 'address' },
    { key: 'city', label: 'City (custom attribute)', from: 'city' },
    { key: 'state', label: 'State (custom attribute)', from: 'state' },
    { key: 'postal_code', label: 'Postal code (custom attribute)', from: 'zip' },
    { key: 'company_name', label: 'Company name (custom attribute)', from: 'company_name' },
    { key: 'job_title', label: 'Job title (custom attribute)', from: 'job_title' },
  ],
  judgesEmail: null,
  hasOwnFields: true,

  async test(way) {
    const answer = await ask(way, 'GET', `/workspaces/${workspaceOf(way)}`);
    if (answer.status === 404)
      return { isConnected: false, why: 'ClickFunnels has no workspace with this ID for this token.' };
    if (!isOk(answer))
      return { isConnected: false, why: words(answer) ?? `ClickFunnels returned ${answer.status}.` };
    const name = textAt(answer.json, 'name')?.trim();
    return { isConnected: true, account: name || `Workspace ${way.credentials.workspace}` };
  },

  async choices(way) {
    const tags = await pages(way, `/workspaces/${workspaceOf(way)}/contacts/tags`);
    // No call lists the custom attributes, so they are taken from the latest contacts.
    const path = `/workspaces/${workspaceOf(way)}/contacts?sort_order=desc`;
    const contacts = await ask(way, 'GET', path);
    if (!isOk(contacts)) throw new Stopped(refusal(contacts, words(contacts)));
    const attributes = new Set(
      listAt(contacts.json).flatMap((contact) => {
        const own = at(contact, 'custom_attributes');
        return typeof own === 'object' && own !== null ? Object.keys(own) : [];
      }),
    );
    const known = new Set(clickfunnels.fields.map(({ key }) => key));
    return {
      tags: tags.flatMap((tag): Choice[] => {
        const id = textAt(tag, 'id');
        return id ? [{ id, name: textAt(tag, 'name') ?? id }] : [];
      }),
      fields: [...attributes].filter((key) => key && !known.has(key)).map((key) => ({ id: key, name: key })),
    };
  },

  async deliver(way, request, remoteId) {
    const contact = contactOf(request.fields);
    let saved: Answer | undefined;
    if (remoteId) {
      saved = await ask(way, 'PUT', `/contacts/${encodeURIComponent(remoteId)}`, { contact });
      // Deleted there since: it becomes a new contact.
      if (saved.status === 404) saved = undefined;
    }
    saved ??= await ask(way, 'POST', `/workspaces/${workspaceOf(way)}/contacts/upsert`, { contact });
    if (!isOk(saved)) return refusal(saved, words(saved));
    const id = textAt(saved.json, 'id');
    if (!id) return { kind: 'retry', why: 'ClickFunnels returned no contact.', status: saved.status };

    // `tag_ids` with the contact would replace all the tags that it has.
    const applied = new Set(listAt(saved.json, 'tags').map((tag) => textAt(tag, 'id')));
    for (const tag of chosen(request.settings.tags)) {
      if (applied.has(tag) || !/^\d{1,15}$/.test(tag)) continue;
      const answer = await ask(way, 'POST', `/contacts/${encodeURIComponent(id)}/applied_tags`, {
        contacts_applied_tag: { tag_id: Number(tag) },
      });
      const isApplied = answer.status === 422 && /\balready\b/i.test(words(answer) ?? '');
      if (!isOk(answer) && !isApplied) {
        const fix = 'Choose the tags again in the settings of this destination, then resend.';
        return refusal(answer, words(answer), { 404: fix, 422: fix });
      }
    }
    return { kind: 'delivered', remoteId: id, status: saved.status };
  },

  async erase(way, remoteId) {
    const answer = await ask(way, 'DELETE', `/contacts/${encodeURIComponent(remoteId)}`);
    if (!isOk(answer) && answer.status !== 404) throw new Stopped(refusal(answer, words(answer)));
  },
};

const PROPERTIES = new Set([
  ...['email_address', 'first_name', 'last_name', 'phone_number', 'time_zone'],
  ...['website_url', 'linkedin_url', 'fb_url', 'twitter_url', 'instagram_url'],
]);

/** The body of a contact: what is no property of contacts becomes a custom attribute, which is made on the fly. */
function contactOf(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const own = Object.entries(fields).filter(([key]) => key && !PROPERTIES.has(key));
  const contact = Object.fromEntries(Object.entries(fields).filter(([key]) => PROPERTIES.has(key)));
  return own.length > 0 ? { ...contact, custom_attributes: Object.fromEntries(own) } : contact;
}

const MOST_PAGES = 25;

/** A list in pages of 20, at most 500 entries. */
async function pages(way: Way, path: string): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await ask(way, 'GET', after ? `${path}?after=${encodeURIComponent(after)}` : path);
    if (!isOk(answer)) throw new Stopped(refusal(answer, words(answer)));
    all.push(...listAt(answer.json));
    after = answer.headers['pagination-next'];
    if (!after) break;
  }
  return all;
}

const workspaceOf = (way: Way): string =>
  encodeURIComponent((way.credentials.workspace ?? '').toWellFormed());

/** ClickFunnels refuses requests without a User-Agent; `http` sends one. */
const ask = (way: Way, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: unknown) =>
  way.http({
    method,
    url: way.base + path,
    headers: { authorization: `Bearer ${way.credentials.token}` },
    ...(json === undefined ? {} : { json }),
  });

const words = (answer: Answer): string | undefined => textAt(answer.json, 'error');
