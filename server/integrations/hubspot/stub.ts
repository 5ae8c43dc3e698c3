import { at, listAt, textAt } from '../http.ts';
import { createOAuthStub } from '../oauth-stub.ts';
import type { Stub, StubAnswer } from '../stub.ts';
import { hubspot } from './index.ts';

/** HubSpot's contacts: upsert by email in batches, unknown properties refused, updates by id. */
export function hubspotStub(): Stub {
  const contacts = new Map<string, Record<string, string>>();
  const properties = [
    ...['email', 'firstname', 'lastname', 'phone', 'mobilephone', 'address', 'city', 'state', 'zip'],
    ...['company', 'jobtitle', 'website', 'lead_score', 'lifecyclestage'],
  ];
  const signIn = createOAuthStub(hubspot.oauth!);
  let isRevoked = false;
  let next = 501;

  const problem = (status: number, category: string, message: string): StubAnswer => ({
    status,
    json: { status: 'error', message, category, correlationId: '0b5d0c3e-0000-4000-8000-000000000000' },
  });
  const objection = (given: Record<string, string>): string | undefined => {
    const unknown = Object.keys(given).find((key) => !properties.includes(key));
    if (unknown) return `Property "${unknown}" does not exist`;
    return given.email && !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(given.email)
      ? `Email address ${given.email} is invalid`
      : undefined;
  };

  /** Filters of one group, all of which hold; in the order of ids, which HubSpot compares as numbers. */
  function search(asked: unknown): StubAnswer {
    const filters = listAt(asked, 'filterGroups', 0, 'filters');
    const wanted = at(asked, 'properties') as string[];
    const limit = Number(at(asked, 'limit') ?? 10);
    if (limit > 200) return problem(400, 'VALIDATION_ERROR', 'limit must be at most 200');
    const meets = (id: string, contact: Record<string, string>): boolean =>
      filters.every((filter) => {
        const name = textAt(filter, 'propertyName')!;
        const value = textAt(filter, 'value')!;
        const own = name === 'hs_object_id' ? id : (contact[name] ?? '');
        return filter.operator === 'GT' ? Number(own) > Number(value) : own === value;
      });
    const found = [...contacts]
      .filter(([id, contact]) => meets(id, contact))
      .sort(([a], [b]) => Number(a) - Number(b));
    return {
      status: 200,
      json: {
        total: found.length,
        results: found.slice(0, limit).map(([id, contact]) => ({
          id,
          properties: Object.fromEntries(wanted.map((key) => [key, contact[key] ?? null])),
        })),
        ...(found.length > limit ? { paging: { next: { after: String(limit) } } } : {}),
      },
    };
  }

  return {
    credentials: () => ({ token: 'pat-na1-stub' }),
    settings: {},
    addCustomer({ name, email, phone }) {
      const [firstname = '', lastname = ''] = name.split(' ');
      contacts.set(String(next++), { firstname, lastname, email, phone, lifecyclestage: 'customer' });
    },
    records: () => [...contacts].map(([id, fields]) => ({ id, fields })),
    remove: (id) => void contacts.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    signIn,
    handle({ method, path, headers, json }) {
      const isKey = !isRevoked && headers.authorization === 'Bearer pat-na1-stub';
      if (!isKey && !signIn.accepts({ headers }))
        return problem(401, 'INVALID_AUTHENTICATION', 'Authentication credentials not found or expired.');
      if (method === 'GET' && path === '/account-info/v3/details')
        return { status: 200, json: { portalId: 4417, accountType: 'STANDARD', timeZone: 'US/Eastern' } };
      if (method === 'GET' && path === '/crm/v3/properties/contacts')
        return {
          status: 200,
          json: {
            results: properties.map((name) => ({
              name,
              label: name === 'lead_score' ? 'Lead score' : name,
              hidden: false,
              modificationMetadata: { readOnlyValue: false },
            })),
          },
        };
      const one = /^\/crm\/objects\/2026-03\/contacts\/(\d+)$/.exec(path);
      if (one) {
        const contact = contacts.get(one[1]!);
        if (!contact) return problem(404, 'OBJECT_NOT_FOUND', 'resource not found');
        if (method === 'DELETE') {
          contacts.delete(one[1]!);
          return { status: 204 };
        }
        const given = at(json, 'properties') as Record<string, string>;
        const wrong = objection(given);
        if (wrong) return problem(400, 'VALIDATION_ERROR', wrong);
        Object.assign(contact, given);
        return { status: 200, json: { id: one[1], properties: contact } };
      }
      if (method === 'POST' && path === '/crm/objects/2026-03/contacts/search') return search(json);
      if (method === 'POST' && path === '/crm/objects/2026-03/contacts/batch/upsert') {
        const [input] = listAt(json, 'inputs');
        const given = at(input, 'properties') as Record<string, string>;
        const wrong = objection(given);
        if (wrong) return problem(400, 'VALIDATION_ERROR', wrong);
        const email = textAt(input, 'id');
        const known = [...contacts].find(([, contact]) => contact.email === email)?.[0];
        const id = known ?? String(next++);
        contacts.set(id, { ...contacts.get(id), ...given });
        return {
          status: 200,
          json: { status: 'COMPLETE', results: [{ id, new: !known, properties: contacts.get(id) }] },
        };
      }
      return problem(404, 'NOT_FOUND', 'no such call');
    },
  };
}
