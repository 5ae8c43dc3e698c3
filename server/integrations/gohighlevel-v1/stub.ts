import { at, textAt } from '../http.ts';
import type { Stub, StubAnswer } from '../stub.ts';

/** A key as they are there: its middle part names the location. */
const KEY = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"location_id":"ve9EPM428h8vShlRW1KT","version":1}').toString('base64url')}.c3R1Yg`;
const OWN_FIELD = 'MgobCB14YMVKuE4Ka8p1';

/**
 * GoHighLevel's contacts by a location's API key, as far as public programs agree on it. `matches`: creating a contact
 * finds one with the same email or phone; programs disagree on that.
 */
export function gohighlevelV1Stub({ matches = true } = {}): Stub & { tags(id: string): string[] } {
  const contacts = new Map<string, { fields: Record<string, string>; tags: string[] }>();
  let isRevoked = false;
  let next = 1;

  const find = (key: string, value: string | null | undefined) =>
    value ? [...contacts].find(([, { fields }]) => fields[key] === value)?.[0] : undefined;
  const read = (json: unknown): Record<string, string> => {
    const { customField, tags: _, ...rest } = (json ?? {}) as Record<string, unknown>;
    return { ...(rest as Record<string, string>), ...(customField as Record<string, string> | undefined) };
  };
  const shown = (id: string) => ({ id, ...contacts.get(id)?.fields, tags: contacts.get(id)?.tags });
  const wrongEmail = (email: string | null | undefined): StubAnswer | undefined =>
    email && !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(email)
      ? { status: 422, json: { email: { message: 'The email address is invalid.', rule: 'invalid' } } }
      : undefined;
  const tagsOf = (json: unknown): string[] | undefined => {
    const tags = at(json, 'tags');
    return Array.isArray(tags) ? tags.map(String) : undefined;
  };

  return {
    credentials: () => ({ key: KEY }),
    settings: { tags: '["website lead"]' },
    records: () =>
      [...contacts].map(([id, { fields, tags }]) => ({ id, fields: { ...fields, tags: tags.join(', ') } })),
    remove: (id) => void contacts.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    tags: (id) => contacts.get(id)?.tags ?? [],
    handle({ method, path, query, headers, json }) {
      if (isRevoked || headers.authorization !== `Bearer ${KEY}`)
        return { status: 401, json: { msg: 'Api key is invalid.' } };
      if (method === 'GET' && path === '/custom-fields/')
        return { status: 200, json: { customFields: [{ id: OWN_FIELD, name: 'Lead score' }] } };
      if (method === 'GET' && path === '/tags/')
        return { status: 200, json: { tags: [{ id: 't1', name: 'website lead' }] } };
      if (method === 'GET' && path === '/contacts/lookup') {
        const wrong = wrongEmail(query.get('email'));
        if (wrong) return wrong;
        const id = find('email', query.get('email')) ?? find('phone', query.get('phone'));
        return id
          ? { status: 200, json: { contacts: [shown(id)] } }
          : { status: 404, json: { msg: 'Not found' } };
      }
      if (method === 'POST' && path === '/contacts/') {
        const given = read(json);
        const wrong = wrongEmail(given.email);
        if (wrong) return wrong;
        const known = matches ? (find('email', given.email) ?? find('phone', given.phone)) : undefined;
        const id = known ?? `contact${next++}`;
        const before = contacts.get(id);
        contacts.set(id, {
          fields: { ...before?.fields, ...given },
          tags: tagsOf(json) ?? before?.tags ?? [],
        });
        return { status: 200, json: { contact: shown(id) } };
      }
      const [, id = '', rest] = /^\/contacts\/(\w+)(\/tags\/)?$/.exec(path) ?? [];
      const contact = contacts.get(id);
      if (!contact) return { status: 404, json: { msg: 'The contact was not found.' } };
      if (rest) contact.tags = [...new Set([...contact.tags, ...(tagsOf(json) ?? [])])];
      else if (method === 'DELETE') contacts.delete(id);
      else if (method === 'PUT') {
        const wrong = wrongEmail(textAt(json, 'email'));
        if (wrong) return wrong;
        Object.assign(contact.fields, read(json));
        contact.tags = tagsOf(json) ?? contact.tags;
      }
      return { status: 200, json: { contact: shown(id) } };
    },
  };
}
