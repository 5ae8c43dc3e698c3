import { at, textAt } from '../http.ts';
import type { Stub, StubAnswer } from '../stub.ts';

const TOKEN = 'stub-token-AVJrj0ZMJ';
const WORKSPACE = '42000';
const PAGE = 20;
const PROPERTIES = [
  ...['email_address', 'first_name', 'last_name', 'phone_number', 'time_zone'],
  ...['website_url', 'linkedin_url', 'fb_url', 'twitter_url', 'instagram_url'],
];

export interface ClickfunnelsStub extends Stub {
  tags(id: string): number[];
  /** Applies a tag, as a person there would. */
  tag(id: string, tag: number): void;
}

/**
 * ClickFunnels 2.0's contacts of one workspace: upsert by email, `tag_ids` replace all tags, custom attributes are made
 * on the fly in snake case, lists come in pages of 20, and requests without a User-Agent are refused.
 */
export function clickfunnelsStub(): ClickfunnelsStub {
  const contacts = new Map<string, { fields: Record<string, string>; tags: number[] }>();
  const tags = Array.from({ length: 25 }, (_, index) => ({ id: index + 1, name: `Tag ${index + 1}` }));
  let isRevoked = false;
  let next = 24359;

  const problem = (status: number, error: string): StubAnswer => ({ status, json: { error } });
  const missing = () => problem(404, 'Not found: Record missing');

  function shown(id: string): Record<string, unknown> {
    const { fields = {}, tags = [] } = contacts.get(id) ?? {};
    return { id: Number(id), ...split(fields), tags: tags.map((id) => ({ id, name: `Tag ${id}` })) };
  }
  const split = (fields: Record<string, string>): Record<string, unknown> => ({
    ...Object.fromEntries(Object.entries(fields).filter(([key]) => PROPERTIES.includes(key))),
    custom_attributes: Object.fromEntries(
      Object.entries(fields).filter(([key]) => !PROPERTIES.includes(key)),
    ),
  });

  /** Stores a contact; with `isUpsert`, empty values change nothing. */
  function save(id: string, json: unknown, isUpsert: boolean): StubAnswer | undefined {
    const {
      custom_attributes: own,
      tag_ids: ids,
      ...given
    } = (at(json, 'contact') ?? {}) as Record<string, unknown>;
    const fields: Record<string, string> = {};
    for (const [key, value] of Object.entries(given)) {
      if (!PROPERTIES.includes(key)) continue;
      if (value || !isUpsert) fields[key] = String(value ?? '');
    }
    for (const [key, value] of Object.entries((own ?? {}) as Record<string, string>)) {
      if (!key) return problem(400, 'Bad request: custom attribute keys must not be empty');
      const snake = key
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '_')
        .replace(/^_|_$/g, '');
      if (PROPERTIES.includes(snake)) return problem(400, `Bad request: ${key} is a default property`);
      fields[snake] = value;
    }
    if (fields.email_address && !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(fields.email_address))
      return problem(422, 'Email address is invalid');
    const before = contacts.get(id);
    const replaced = Array.isArray(ids) && (ids.length > 0 || !isUpsert) ? ids.map(Number) : undefined;
    contacts.set(id, { fields: { ...before?.fields, ...fields }, tags: replaced ?? before?.tags ?? [] });
    return undefined;
  }

  function upsert(json: unknown): StubAnswer {
    const email = textAt(json, 'contact', 'email_address')?.toLowerCase();
    const known = [...contacts].find(([, { fields }]) => fields.email_address?.toLowerCase() === email)?.[0];
    const id = known ?? String(next++);
    return save(id, json, true) ?? { status: known ? 200 : 201, json: shown(id) };
  }

  return {
    credentials: () => ({ subdomain: 'springfield', token: TOKEN, workspace: WORKSPACE }),
    settings: { tags: '["3","25"]' },
    records: () =>
      [...contacts].map(([id, { fields, tags }]) => ({ id, fields: { ...fields, tags: tags.join(', ') } })),
    remove: (id) => void contacts.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    tags: (id) => contacts.get(id)?.tags ?? [],
    tag: (id, tag) => void contacts.get(id)?.tags.push(tag),
    handle({ method, path, query, headers, json }) {
      if (!headers['user-agent']) return problem(403, 'A User-Agent header is required');
      if (isRevoked || headers.authorization !== `Bearer ${TOKEN}`)
        return problem(401, 'API key missing or invalid');
      const [, workspace, rest] = /^\/workspaces\/(\w+)(\/.*)?$/.exec(path) ?? [];
      if (workspace !== undefined) {
        if (workspace !== WORKSPACE) return missing();
        if (method === 'GET' && !rest)
          return { status: 200, json: { id: Number(WORKSPACE), name: 'Springfield Roofing' } };
        if (method === 'GET' && rest === '/contacts/tags') {
          const left = tags.filter(({ id }) => id > Number(query.get('after') ?? 0));
          const page = left.slice(0, PAGE);
          const more: Record<string, string> =
            left.length > PAGE ? { 'pagination-next': String(page.at(-1)!.id) } : {};
          return { status: 200, headers: more, json: page };
        }
        // One contact of a form, which is no lead and so none of the records, has a custom attribute.
        if (method === 'GET' && rest === '/contacts')
          return { status: 200, json: [{ id: 1, custom_attributes: { favorite_food: 'Taco', city: 'X' } }] };
        return method === 'POST' && rest === '/contacts/upsert' ? upsert(json) : missing();
      }
      const [, id = '', applied] = /^\/contacts\/(\d+)(\/applied_tags)?$/.exec(path) ?? [];
      const contact = contacts.get(id);
      if (!contact) return missing();
      if (applied) {
        const tag = Number(textAt(json, 'contacts_applied_tag', 'tag_id'));
        if (!tags.some(({ id }) => id === tag)) return missing();
        if (contact.tags.includes(tag)) return problem(422, 'Tag has already been taken');
        contact.tags.push(tag);
        return { status: 201, json: { id: next++, contact_id: Number(id), tag_id: tag } };
      }
      if (method === 'DELETE') {
        contacts.delete(id);
        return { status: 204 };
      }
      return save(id, json, false) ?? { status: 200, json: shown(id) };
    },
  };
}
