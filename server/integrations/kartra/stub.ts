import type { Stub, StubAnswer } from '../stub.ts';

const KEYS = { app_id: 'stub-app', api_key: 'stub-api-key', api_password: 'stub-password' };
const OWN_FIELD = 'page_visited';

/** Kartra's inbound API: 200 for every outcome, create and edit apart, commands in order, numbers for what went wrong. */
export function kartraStub(): Stub & { subscriptions: string[] } {
  const leads = new Map<string, Record<string, string>>();
  const subscriptions: string[] = [];
  let isRevoked = false;
  let next = 9001;
  const error = (type: string, message: string): StubAnswer => ({
    status: 200,
    json: { status: 'Error', message, type },
  });
  const idOf = (email: string | null) => [...leads].find(([, fields]) => fields.email === email)?.[0];

  return {
    subscriptions,
    credentials: () => KEYS,
    settings: { list: 'Website leads', tag: 'visitor' },
    records: () => [...leads].map(([id, fields]) => ({ id, fields })),
    remove: (id) => void leads.delete(id),
    revoke: () => {
      isRevoked = true;
    },
    handle({ path, form }) {
      if (path !== '/api') return { status: 404, text: '<html>Not found</html>' };
      if (form.get('app_id') !== KEYS.app_id) return error('239', 'App is not registered');
      if (isRevoked || form.get('api_key') !== KEYS.api_key || form.get('api_password') !== KEYS.api_password)
        return error('203', 'Invalid API credentials');
      const asked = form.get('get_lead[email]');
      if (asked !== null) {
        const id = idOf(asked);
        return id
          ? { status: 200, json: { status: 'Success', lead_details: { id, ...leads.get(id) } } }
          : error('243', 'No lead found');
      }
      const command = form.get('actions[0][cmd]');
      if (command === 'retrieve_account_lists')
        return { status: 200, json: { status: 'Success', account_lists: ['Website leads', 'Newsletter'] } };
      if (command === 'retrieve_account_tags')
        return { status: 200, json: { status: 'Success', account_tags: ['visitor'] } };
      if (command === 'retrieve_custom_fields')
        return { status: 200, json: { status: 'Success', custom_fields: [{ field_identifier: OWN_FIELD }] } };
      if (command !== 'create_lead' && command !== 'edit_lead') return error('224', 'Unknown command');
      const email = form.get('lead[email]');
      if (!email || !/^[^\s@]+@[^\s@]+$/.test(email)) return error('218', 'Email is not valid');
      const known = idOf(email);
      const outcome = (type: string, message: string): StubAnswer => ({
        status: 200,
        json: {
          status: 'Error',
          message,
          type,
          actions: [{ [command]: { status: 'Error', type, message } }],
        },
      });
      if (command === 'create_lead' && known) return outcome('244', 'Lead already exists');
      if (command === 'edit_lead' && !known) return outcome('243', 'No lead found');
      const list = form.get('actions[1][list_name]');
      if (list !== null && list !== 'Website leads') return error('231', 'List not found');
      const id = known ?? String(next++);
      const fields: Record<string, string> = {};
      for (const [key, value] of form) {
        const name = /^lead\[([a-z_]+)\]$/.exec(key)?.[1];
        if (name) fields[name] = value;
      }
      leads.set(id, { ...leads.get(id), ...fields });
      if (list) subscriptions.push(`${email}: ${list}`);
      const lead_details = { id, email };
      return {
        status: 200,
        json: { status: 'Success', actions: [{ [command]: { status: 'success', lead_details } }] },
      };
    },
  };
}
