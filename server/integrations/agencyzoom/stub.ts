import { at, textAt } from '../http.ts';
import type { Stub, StubAnswer } from '../stub.ts';

const USER = { username: 'leads@agency.example', password: 'stub-password' };

const PAGE = 100;

export interface AgencyzoomStub extends Stub {
  /** Ends all tokens. */
  expire(): void;
  /** Adds leads of the agency's own, which are none of the records. */
  fill(count: number): void;
}

/**
 * AgencyZoom: signing in as a user, leads that repeat when they are sent twice, two shapes of errors, pages from 0 of at
 * most 100 leads that are narrowed by no email, and stages in one of two lists of pipelines only. `tokenKey`: the name
 * of the token, on which programs disagree.
 */
export function agencyzoomStub({ tokenKey = 'jwt' } = {}): AgencyzoomStub {
  const leads = new Map<string, Record<string, string>>();
  let isRevoked = false;
  let serial = 1;
  let next = 7001;
  let others = 0;
  const problem = (status: number, message: string): StubAnswer => ({
    status,
    json: { name: 'Unauthorized', message, code: 0, status },
  });
  return {
    credentials: () => USER,
    settings: { pipelineId: '11', stageId: '21', leadSourceId: '31', assignTo: '41' },
    records: () => [...leads].map(([id, fields]) => ({ id, fields })),
    remove: (id) => void leads.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    expire: () => {
      serial++;
    },
    fill: (count) => {
      others += count;
    },
    handle({ method, path, headers, json }) {
      if (path === '/v1/api/auth/login') {
        if (
          isRevoked ||
          textAt(json, 'username') !== USER.username ||
          textAt(json, 'password') !== USER.password
        )
          return problem(401, 'Invalid username or password');
        return { status: 200, json: { [tokenKey]: `jwt-${serial}` } };
      }
      if (isRevoked || headers.authorization !== `Bearer jwt-${serial}`)
        return problem(401, 'Your request was made with invalid credentials.');
      if (path === '/v1/api/pipelines') return { status: 200, json: [{ id: 11, name: 'Personal lines' }] };
      if (path === '/v1/api/pipelines-and-stages')
        return {
          status: 200,
          json: [
            {
              id: 11,
              name: 'Personal lines',
              stages: [
                { id: 21, name: 'New' },
                { id: 22, name: 'Quoted' },
              ],
            },
          ],
        };
      if (path === '/v1/api/lead-sources')
        return { status: 200, json: { leadSources: [{ id: 31, name: 'Website' }] } };
      if (path === '/v1/api/employees')
        return { status: 200, json: { employees: [{ id: '41', firstname: 'Sam', lastname: 'Park' }] } };
      if (path === '/v1/api/leads/list') {
        const page = Number(at(json, 'page'));
        const size = Number(at(json, 'pageSize'));
        if (!(size <= PAGE)) return { status: 400, json: { error: 'Invalid page size' } };
        const all = [
          ...Array.from({ length: others }, (_, index) => ({
            id: index + 1,
            email: `${index}@agency.example`,
          })),
          ...[...leads].map(([id, one]) => ({ id: Number(id), ...one })),
        ];
        const shown = all.slice(page * size, (page + 1) * size);
        return { status: 200, json: { totalCount: all.length, page, pageSize: size, leads: shown } };
      }
      const id = /^\/v1\/api\/leads\/(\d+)$/.exec(path)?.[1];
      const { pipelineId, stageId, leadSourceId, assignTo, country, ...fields } = (json ?? {}) as Record<
        string,
        string
      >;
      if (fields.email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(fields.email))
        return {
          status: 400,
          json: { error: 'Validation failed', fieldErrors: [{ field: 'email', error: 'is invalid' }] },
        };
      if (id && method === 'PUT') {
        if (!leads.has(id)) return problem(404, 'Lead not found');
        leads.set(id, { ...leads.get(id), ...fields });
        return { status: 200, json: { message: 'Updated', id: Number(id), result: true } };
      }
      if (path === '/v1/api/leads/create') {
        const isWhole =
          [pipelineId, stageId, leadSourceId].every((one) => typeof one === 'number') && assignTo && country;
        if (!isWhole || !fields.firstname)
          return { status: 200, json: { result: false, message: 'Missing required fields' } };
        leads.set(String(next), fields);
        return {
          status: 201,
          json: { message: 'Created', id: next++, result: at(json, 'email') !== undefined },
        };
      }
      return problem(404, 'Not found');
    },
  };
}
