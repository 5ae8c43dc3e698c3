import { at, listAt, textAt } from '../http.ts';
import type { Stub, StubAnswer } from '../stub.ts';

const KEY = 'SG.stub-key';
const LIST = '7c4d8e2a-0000-4000-8000-000000000001';

/**
 * SendGrid's marketing contacts: an upsert by email that is accepted first, jobs, lists and custom fields, of which one
 * takes numbers only.
 */
export function sendgridStub({ scopes = ['marketing.read'] } = {}): Stub {
  const contacts = new Map<string, Record<string, string>>();
  const jobs = new Map<string, boolean>();
  let isRevoked = false;
  let next = 1;
  const problem = (status: number, message: string, field: string | null = null): StubAnswer => ({
    status,
    json: { errors: [{ message, field }] },
  });
  const idOf = (email: string) => `contact-${email}`;
  return {
    credentials: () => ({ api_key: KEY }),
    settings: { lists: JSON.stringify([LIST]) },
    records: () => [...contacts].map(([id, fields]) => ({ id, fields })),
    remove: (id) => void contacts.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    handle({ method, path, query, headers, json }) {
      if (isRevoked || headers.authorization !== `Bearer ${KEY}`)
        return problem(401, 'The provided authorization grant is invalid, expired, or revoked');
      if (!headers.accept) return problem(406, 'Not Acceptable');
      if (path === '/v3/scopes') return { status: 200, json: { scopes } };
      if (path === '/v3/marketing/lists')
        return { status: 200, json: { result: [{ id: LIST, name: 'Leads', contact_count: contacts.size }] } };
      if (path === '/v3/marketing/field_definitions')
        return {
          status: 200,
          json: {
            custom_fields: [
              { id: 'e1_T', name: 'page', field_type: 'Text' },
              { id: 'e2_N', name: 'score', field_type: 'Number' },
            ],
          },
        };
      const job = /^\/v3\/marketing\/contacts\/imports\/(.+)/.exec(path)?.[1];
      if (job)
        return {
          status: 200,
          json: { id: job, status: 'completed', results: { errored_count: jobs.get(job) ? 1 : 0 } },
        };
      if (path === '/v3/marketing/contacts/search/emails') {
        const email = String((at(json, 'emails') as unknown[])[0]).toLowerCase();
        if (!contacts.has(email)) return problem(404, 'No contacts found');
        return { status: 200, json: { result: { [email]: { contact: { id: idOf(email), email } } } } };
      }
      if (path === '/v3/marketing/contacts' && method === 'DELETE') {
        for (const email of contacts.keys()) if (idOf(email) === query.get('ids')) contacts.delete(email);
        return { status: 202, json: { job_id: 'delete' } };
      }
      if (path === '/v3/marketing/contacts' && method === 'PUT') {
        const lists = at(json, 'list_ids');
        if (Array.isArray(lists) && lists.some((id) => id !== LIST))
          return problem(400, 'list not found', 'list_ids');
        const all = listAt(json, 'contacts');
        for (const [index, contact] of all.entries()) {
          const score = at(contact, 'custom_fields', 'e2_N');
          if (score !== undefined && typeof score !== 'number')
            return problem(400, 'value must be a number', `contacts[${index}].custom_fields.e2_N`);
        }
        const id = `job-${next++}`;
        jobs.set(id, false);
        for (const contact of all) {
          const { custom_fields: custom, ...fields } = contact as Record<string, string>;
          const email = textAt(contact, 'email')?.toLowerCase();
          if (!email || !/^[^\s@]+@[^\s@]+$/.test(email)) jobs.set(id, true);
          else contacts.set(email, { ...contacts.get(email), ...fields, ...(custom as object | undefined) });
        }
        return { status: 202, json: { job_id: id } };
      }
      return problem(404, 'not found');
    },
  };
}
