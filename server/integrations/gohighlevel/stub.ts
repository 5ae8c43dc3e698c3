import { at, listAt, textAt } from '../http.ts';
import { createOAuthStub } from '../oauth-stub.ts';
import type { Stub, StubAnswer } from '../stub.ts';
import { gohighlevel } from './index.ts';

export interface GohighlevelStubOptions {
  /** The order of the location's setting "Allow duplicate contact". */
  order?: readonly ('email' | 'phone')[];
  /** A contact may have several opportunities. */
  allowsDuplicateOpportunities?: boolean;
  /** Scopes that the token lacks. */
  lacking?: readonly string[];
  /** Requests that the limit still allows; endless if missing. */
  remaining?: number;
}

export interface GohighlevelStub extends Stub {
  /** The names of a contact's tags. */
  tags(id: string): string[];
  /** Adds a tag, as a person there would. */
  tag(id: string, name: string): void;
  opportunities(): { contactId: string; pipelineId: string; pipelineStageId: string; name: string }[];
}

const TOKEN = 'pit-stub-token';
const LOCATION = 've9EPM428h8vShlRW1KT';
const PIPELINE = {
  id: 'VDm7RPYC2GLUvdpKmBfC',
  name: 'Sales',
  stages: [
    { id: '7915dedc-8f18-44d5-8bc3-77c04e994a10', name: 'New lead' },
    { id: 'e93ba61a-53b3-45e7-985a-c7732dbcdb69', name: 'Called' },
  ],
};
const OWN_FIELD = {
  id: '3sv6UEo51C9Bmpo1cKTq',
  name: 'Lead score',
  fieldKey: 'contact.lead_score',
  dataType: 'TEXT',
};
const UPDATED = [
  'firstName',
  'lastName',
  'name',
  'email',
  'phone',
  'address1',
  'city',
  'state',
  'postalCode',
];
const UPDATE = [...UPDATED, 'website', 'timezone', 'source', 'country', 'customFields', 'tags', 'assignedTo'];
const UPSERT = [...UPDATE, 'locationId', 'companyName', 'gender', 'createNewIfDuplicateAllowed'];

/**
 * GoHighLevel's contacts, tags and opportunities of one location: an upsert matches in the location's order and ignores
 * the other field, `tags` in it replace all tags, and unknown properties are refused.
 */
export function gohighlevelStub(options: GohighlevelStubOptions = {}): GohighlevelStub {
  const { order = ['email', 'phone'], lacking = [], allowsDuplicateOpportunities = false } = options;
  const contacts = new Map<string, { fields: Record<string, string>; tags: string[] }>();
  const opportunities = new Map<string, ReturnType<GohighlevelStub['opportunities']>[number]>();
  const won = new Set<ReturnType<GohighlevelStub['opportunities']>[number]>();
  let remaining = options.remaining ?? Number.POSITIVE_INFINITY;
  let isRevoked = false;
  let next = 1;

  const problem = (statusCode: number, message: string | string[], more: object = {}): StubAnswer => ({
    status: statusCode,
    json: { statusCode, message, error: 'Error', traceId: '0b5d0c3e-0000-4000-8000-000000000000', ...more },
  });
  const found = (key: 'email' | 'phone', value: string | undefined, besides?: string) =>
    value === undefined
      ? undefined
      : [...contacts].find(
          ([id, { fields }]) => id !== besides && fields[key]?.toLowerCase() === value.toLowerCase(),
        )?.[0];

  /** The texts of a body, own fields among them; a list of what is wrong if something is. */
  function read(json: unknown, allowed: readonly string[]): Record<string, string> | string[] {
    const wrong: string[] = [];
    const fields: Record<string, string> = {};
    for (const [key, value] of Object.entries((json ?? {}) as Record<string, unknown>)) {
      if (!allowed.includes(key)) wrong.push(`property ${key} should not exist`);
      else if (typeof value === 'string' && key !== 'locationId') fields[key] = value;
    }
    for (const field of listAt(json, 'customFields')) {
      const id = textAt(field, 'id') ?? '';
      if (id === OWN_FIELD.id) fields[id] = textAt(field, 'field_value') ?? '';
      else wrong.push(`customFields: ${id} does not exist`);
    }
    if (fields.email !== undefined && !/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(fields.email))
      wrong.push('email must be an email');
    return wrong.length > 0 ? wrong : fields;
  }
  const tagsOf = (json: unknown) => {
    const list = at(json, 'tags');
    return Array.isArray(list) ? list.map((tag) => String(tag).toLowerCase()) : undefined;
  };

  function upsert(json: unknown): StubAnswer {
    const given = read(json, UPSERT);
    if (Array.isArray(given)) return problem(422, given);
    const [first, second] = order;
    const byFirst = first && found(first, given[first]);
    const bySecond = second && found(second, given[second]);
    // Two contacts match: the first field decides, and the second one is ignored.
    if (byFirst && bySecond && byFirst !== bySecond) delete given[second];
    const known = byFirst ?? bySecond;
    const id = known ?? `contact${next++}`;
    const before = contacts.get(id);
    contacts.set(id, {
      fields: { ...before?.fields, ...given },
      tags: tagsOf(json) ?? before?.tags ?? [],
    });
    return {
      status: known ? 200 : 201,
      json: { new: !known, contact: { id, locationId: LOCATION }, traceId: 't' },
    };
  }

  function one(method: string, id: string, json: unknown): StubAnswer {
    const contact = contacts.get(id);
    if (!contact) return problem(400, `Contact with id ${id} not found`);
    if (method === 'DELETE') {
      contacts.delete(id);
      return { status: 200, json: { succeded: true } };
    }
    if (method !== 'PUT') return { status: 200, json: { contact: { id, ...contact.fields } } };
    const given = read(json, UPDATE);
    if (Array.isArray(given)) return problem(422, given);
    const other = order.find((key) => found(key, given[key], id));
    if (other)
      return problem(400, 'This location does not allow duplicated contacts.', {
        meta: { contactId: found(other, given[other], id), matchingField: other },
      });
    Object.assign(contact.fields, given);
    contact.tags = tagsOf(json) ?? contact.tags;
    return { status: 200, json: { succeded: true, contact: { id } } };
  }

  function opportunity(json: unknown): StubAnswer {
    const missing = ['pipelineId', 'locationId', 'name', 'status', 'contactId'].filter(
      (key) => !textAt(json, key),
    );
    if (missing.length > 0)
      return problem(
        422,
        missing.map((key) => `${key} should not be empty`),
      );
    const contactId = textAt(json, 'contactId')!;
    const stage = textAt(json, 'pipelineStageId') ?? PIPELINE.stages[0]!.id;
    if (textAt(json, 'pipelineId') !== PIPELINE.id) return problem(400, 'The pipeline id is invalid.');
    if (!PIPELINE.stages.some(({ id }) => id === stage))
      return problem(400, 'The pipeline stage id is invalid.');
    if (!contacts.has(contactId)) return problem(400, `Contact with id ${contactId} not found`);
    const existing = [...opportunities].find(([, one]) => one.contactId === contactId)?.[0];
    if (existing && !allowsDuplicateOpportunities)
      return problem(400, 'Can not create duplicate opportunity for the contact.', {
        code: 'OPPORTUNITY_NO_DUPLICATE',
        meta: { existingId: existing },
      });
    const id = `opportunity${next++}`;
    opportunities.set(id, {
      contactId,
      pipelineId: PIPELINE.id,
      pipelineStageId: stage,
      name: textAt(json, 'name')!,
    });
    return { status: 201, json: { opportunity: { id, contactId } } };
  }

  const scopeOf = (method: string, path: string): string => {
    const mode = method === 'GET' ? 'readonly' : 'write';
    if (path.endsWith('/customFields')) return `locations/customFields.${mode}`;
    if (/^\/locations\/[^/]+\/tags$/.test(path)) return `locations/tags.${mode}`;
    return `${path.split('/')[1]}.${mode}`;
  };

  function answer(method: string, path: string, query: URLSearchParams, json: unknown): StubAnswer {
    const place = /^\/locations\/([^/]+)(\/\w+)?$/.exec(path);
    const given =
      place?.[1] ?? query.get('locationId') ?? query.get('location_id') ?? textAt(json, 'locationId');
    if (given !== undefined && given !== LOCATION)
      return problem(403, 'The token does not have access to this location.');
    if (lacking.includes(scopeOf(method, path)))
      return problem(401, 'The token is not authorized for this scope.');
    if (place && method === 'GET') {
      if (place[2] === '/tags')
        return {
          status: 200,
          json: {
            tags: ['website lead', 'hot'].map((name) => ({ id: `tag-${name}`, name, locationId: LOCATION })),
          },
        };
      if (place[2] === '/customFields')
        return {
          status: 200,
          json: { customFields: [OWN_FIELD, { ...OWN_FIELD, id: 'file', dataType: 'FILE_UPLOAD' }] },
        };
      return { status: 200, json: { location: { id: LOCATION, name: 'Springfield Roofing' } } };
    }
    if (method === 'POST' && path === '/contacts/upsert') {
      if (textAt(json, 'locationId')) return upsert(json);
      return problem(422, ['locationId should not be empty']);
    }
    if (method === 'GET' && path === '/opportunities/pipelines')
      return { status: 200, json: { pipelines: [PIPELINE] } };
    if (method === 'GET' && path === '/opportunities/search') {
      const [of, status] = [query.get('contact_id'), query.get('status') ?? 'all'];
      const limit = Number(query.get('limit') ?? 20);
      if (!(limit >= 1 && limit <= 100)) return problem(422, ['limit must not be greater than 100']);
      const all = [...opportunities].filter(
        ([, one]) =>
          (of === null || one.contactId === of) &&
          (status === 'all' || (won.has(one) ? 'won' : 'open') === status),
      );
      const from = 1 + all.findIndex(([id]) => id === query.get('startAfterId'));
      const list = all.slice(from, from + limit);
      const last = list.at(-1)?.[0];
      return {
        status: 200,
        json: {
          opportunities: list.map(([id, entry]) => {
            const { name, email, phone } = contacts.get(entry.contactId)?.fields ?? {};
            const contact = { id: entry.contactId, name, email, phone, tags: [] };
            return { id, ...entry, status: won.has(entry) ? 'won' : 'open', contact };
          }),
          meta: { total: all.length, ...(last ? { startAfterId: last, startAfter: 1625203104328 } : {}) },
        },
      };
    }
    if (method === 'POST' && path === '/opportunities/') return opportunity(json);
    const tagged = /^\/contacts\/([^/]+)\/tags$/.exec(path);
    if (tagged && method === 'POST') {
      const contact = contacts.get(tagged[1]!);
      if (!contact) return problem(400, `Contact with id ${tagged[1]} not found`);
      contact.tags = [...new Set([...contact.tags, ...(tagsOf(json) ?? [])])];
      return { status: 201, json: { tags: contact.tags } };
    }
    const single = /^\/contacts\/([^/]+)$/.exec(path);
    return single ? one(method, single[1]!, json) : problem(404, 'Cannot find the path');
  }

  const signIn = createOAuthStub(gohighlevel.oauth!, {
    rotates: true,
    more: { locationId: LOCATION, userType: 'Location' },
  });

  return {
    credentials: () => ({ token: TOKEN, location: LOCATION }),
    settings: {
      tags: '["website lead"]',
      pipeline: PIPELINE.id,
      stage: PIPELINE.stages[1]!.id,
    },
    records: () =>
      [...contacts].map(([id, { fields, tags }]) => ({
        id,
        fields: {
          ...fields,
          tags: tags.join(', '),
          opportunities: String(
            [...opportunities.values()].filter(({ contactId }) => contactId === id).length,
          ),
        },
      })),
    addCustomer({ name, email, phone }) {
      const contactId = `contact${next++}`;
      contacts.set(contactId, { fields: { name, email, phone }, tags: [] });
      const opportunity = {
        contactId,
        pipelineId: PIPELINE.id,
        pipelineStageId: PIPELINE.stages[1]!.id,
        name: 'Roof',
      };
      opportunities.set(`opportunity${next++}`, opportunity);
      won.add(opportunity);
    },
    remove: (id) => void contacts.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    signIn,
    tags: (id) => contacts.get(id)?.tags ?? [],
    tag: (id, name) => void contacts.get(id)?.tags.push(name),
    opportunities: () => [...opportunities.values()],
    handle({ method, path, query, headers, json }) {
      const isKey = !isRevoked && headers.authorization === `Bearer ${TOKEN}`;
      if (!isKey && !signIn.accepts({ headers })) return problem(401, 'Invalid Private Integration token');
      if (headers.version !== '2021-07-28') return problem(400, 'version header is invalid');
      if (remaining <= 0) return { ...problem(429, 'Too Many Requests'), headers: limits(0) };
      remaining--;
      return { ...answer(method, path, query, json), headers: limits(remaining) };
    },
  };
}

const limits = (remaining: number): Record<string, string> => ({
  'x-ratelimit-max': '100',
  'x-ratelimit-remaining': String(Math.min(remaining, 99)),
  'x-ratelimit-interval-milliseconds': '10000',
  'x-ratelimit-limit-daily': '200000',
  'x-ratelimit-daily-remaining': '150000',
});
