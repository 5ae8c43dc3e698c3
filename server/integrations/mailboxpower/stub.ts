import type { Stub } from '../stub.ts';

const KEY = 'stub-mailbox-key';

/** A guess at MailBoxPower: contacts matched by name and address, and a key in a header. */
export function mailboxpowerStub(): Stub {
  const contacts = new Map<string, Record<string, string>>();
  let isRevoked = false;
  let next = 1;
  const nameOf = ({ first_name, last_name, street, city, state }: Record<string, string>) =>
    [first_name, last_name, street, city, state].join('|').toLowerCase();
  return {
    credentials: (base) => ({ address: `${base}/contacts`, key: KEY }),
    settings: { group: 'Website' },
    records: () => [...contacts].map(([id, fields]) => ({ id, fields })),
    remove: (id) => void contacts.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    handle({ method, headers, json }) {
      if (isRevoked || headers.apikey !== KEY) return { status: 401, json: { message: 'Invalid API key' } };
      if (method !== 'POST') return { status: 405, json: { message: 'Method not allowed' } };
      const { group: _, ...fields } = (json ?? {}) as Record<string, string>;
      if (fields.state && !/^[A-Z]{2}$/.test(fields.state))
        return { status: 422, json: { message: 'state is invalid' } };
      const known = [...contacts].find(([, one]) => nameOf(one) === nameOf(fields))?.[0];
      const id = known ?? String(next++);
      contacts.set(id, fields);
      return { status: 200, json: { id } };
    },
  };
}
