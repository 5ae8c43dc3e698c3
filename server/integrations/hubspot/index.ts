import { Stopped } from '../attempt.ts';
import { type Answer, listAt, textAt } from '../http.ts';
import { type Choice, isOk, refusal, type Vendor, type Way } from '../port.ts';

const VERSION = '2026-03';
/** The most that a page of a search has. */
const SEARCH_PAGE = 200;

/**
 * HubSpot contacts by a private app's token, or by signing in. Contacts are upserted by email, so a repeated attempt is harmless and needs
 * no `find`.
 */
export const hubspot: Vendor = {
  id: 'hubspot',
  name: 'HubSpot',
  summary: 'Creates or updates a contact for each lead.',
  category: 'CRM',
  steps: [
    'In HubSpot, open Settings, Integrations, Private Apps, and create an app.',
    'Give it the scopes crm.objects.contacts.read, crm.objects.contacts.write and crm.schemas.contacts.read.',
    'Copy its access token.',
  ],
  isUnverified: true,
  noun: 'contact',
  base: 'https://api.hubapi.com',
  credentials: [
    {
      key: 'token',
      label: 'Access token',
      help: 'The token of a private app. It starts with pat-.',
      isSecret: true,
      placeholder: 'pat-na1-…',
    },
  ],
  oauth: {
    provider: 'HubSpot',
    signIn: 'https://app.hubspot.com/oauth/authorize',
    token: 'https://api.hubapi.com/oauth/2026-03/token',
    scopes: ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write', 'crm.schemas.contacts.read'],
    hasPkce: true,
    fills: 'token',
  },
  settings: [],
  fields: [
    { key: 'email', label: 'Email', from: 'email', isRequired: true },
    { key: 'firstname', label: 'First name', from: 'first_name' },
    { key: 'lastname', label: 'Last name', from: 'last_name' },
    { key: 'phone', label: 'Phone number', from: 'phone' },
    { key: 'mobilephone', label: 'Mobile phone number', from: 'phone2' },
    { key: 'address', label: 'Street address', from: 'address' },
    { key: 'city', label: 'City', from: 'city' },
    { key: 'state', label: 'State', from: 'state' },
    { key: 'zip', label: 'Postal code', from: 'zip' },
    { key: 'company', label: 'Company name', from: 'company_name' },
    { key: 'jobtitle', label: 'Job title', from: 'job_title' },
    { key: 'website', label: 'Website URL', from: 'website' },
  ],
  judgesEmail: 'email',
  hasOwnFields: true,

  async test(way) {
    const answer = await ask(way, 'GET', '/account-info/v3/details');
    if (!isOk(answer))
      return { isConnected: false, why: words(answer) ?? `HubSpot returned ${answer.status}.` };
    return { isConnected: true, account: `Account ${textAt(answer.json, 'portalId') ?? ''}`.trim() };
  },

  async choices(way) {
    const answer = await ask(way, 'GET', '/crm/v3/properties/contacts?archived=false');
    if (!isOk(answer)) throw new Stopped(refusal(answer, words(answer)));
    const standard = new Set(hubspot.fields.map((field) => field.key));
    return {
      fields: listAt(answer.json, 'results').flatMap((property): Choice[] => {
        const id = textAt(property, 'name');
        const isReadOnly = (property.modificationMetadata as { readOnlyValue?: unknown } | undefined)
          ?.readOnlyValue;
        if (!id || isReadOnly === true || property.hidden === true || standard.has(id)) return [];
        return [{ id, name: textAt(property, 'label') ?? id }];
      }),
    };
  },

  async deliver(way, request, remoteId) {
    if (remoteId) {
      const path = `/crm/objects/${VERSION}/contacts/${encodeURIComponent(remoteId)}`;
      const answer = await ask(way, 'PATCH', path, { properties: request.fields });
      if (isOk(answer)) return { kind: 'delivered', remoteId, status: answer.status };
      // Deleted there since: it becomes a new contact.
      if (answer.status !== 404) return refusal(answer, words(answer));
    }
    const answer = await ask(way, 'POST', `/crm/objects/${VERSION}/contacts/batch/upsert`, {
      inputs: [
        {
          idProperty: 'email',
          id: request.fields.email,
          properties: request.fields,
          objectWriteTraceId: request.leadId,
        },
      ],
    });
    if (!isOk(answer)) return refusal(answer, words(answer));
    const [contact] = listAt(answer.json, 'results');
    const id = textAt(contact, 'id');
    if (id) return { kind: 'delivered', remoteId: id, status: answer.status };
    // 207: the batch was accepted, our one contact was not.
    const [refused] = listAt(answer.json, 'errors');
    return {
      kind: 'final',
      why: `HubSpot did not accept the contact: ${textAt(refused, 'message')?.slice(0, 300) ?? 'no reason given'}`,
      fix: 'Check the field mapping of this destination.',
      status: answer.status,
    };
  },

  customers: {
    who: 'Contacts with the lifecycle stage Customer',
    // By ascending id instead of the search's own paging, which ends after 10,000.
    async list(way, after) {
      const answer = await ask(way, 'POST', `/crm/objects/${VERSION}/contacts/search`, {
        filterGroups: [
          {
            filters: [
              { propertyName: 'lifecyclestage', operator: 'EQ', value: 'customer' },
              ...(after === null ? [] : [{ propertyName: 'hs_object_id', operator: 'GT', value: after }]),
            ],
          },
        ],
        sorts: [{ propertyName: 'hs_object_id', direction: 'ASCENDING' }],
        properties: ['email', 'firstname', 'lastname', 'phone'],
        limit: SEARCH_PAGE,
      });
      if (!isOk(answer)) throw new Stopped(refusal(answer, words(answer)));
      const results = listAt(answer.json, 'results');
      const of = (contact: unknown, key: string): string => textAt(contact, 'properties', key) ?? '';
      const last = textAt(results.at(-1), 'id');
      return {
        customers: results.map((contact) => ({
          name: `${of(contact, 'firstname')} ${of(contact, 'lastname')}`.trim(),
          email: of(contact, 'email'),
          phone: of(contact, 'phone'),
        })),
        next: results.length === SEARCH_PAGE && last && last !== after ? last : null,
      };
    },
  },

  async erase(way, remoteId) {
    const path = `/crm/objects/${VERSION}/contacts/${encodeURIComponent(remoteId)}`;
    const answer = await ask(way, 'DELETE', path);
    if (!isOk(answer) && answer.status !== 404) throw new Stopped(refusal(answer, words(answer)));
  },
};

const ask = (way: Way, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, json?: unknown) =>
  way.http({
    method,
    url: way.base + path,
    headers: { authorization: `Bearer ${way.credentials.token}` },
    ...(json === undefined ? {} : { json }),
  });

const words = (answer: Answer): string | undefined => textAt(answer.json, 'message');
