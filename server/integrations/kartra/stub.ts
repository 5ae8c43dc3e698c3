import type { Stub, StubAnswer } from '../stub.ts';

const KEYS = { app_id: 'stub-app', api_key: 'stub-api-key', api_password: 'stub-password' };
const OWN_FIELD = 'page_visited';

/**
 * Kartra's inbound API: 200 for every outcome, create and edit apart, numbers for what went wrong. Commands are carried
 * out in order, so a lead is saved even if its list is gone. `remembers`: leads that were deleted are not forgotten.
 */
export function kartraStub({ remembers = false } = {}): Stub & { subscriptions: string[] } {
  const leads = new Map<string, Record<string, string>>();
  const deleted = new Set<string>();
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
    remove: (id) => {
      deleted.add(leads.get(id)?.email ?? '');
      leads.delete(id);
    },
    revoke: () => {
      isRevoked = true;
    },
    handle({ path, form }) {
      if (path !== '/api') return { status: 404, text: '<html>Not found</html>' };
      if (form.get('app_id') !== KEYS.app_id)
        return error('239', 'App Id is not valid. The app does not exists or is inactive');
      if (isRevoked || form.get('api_key') !== KEYS.api_key)
        return error('203', 'API key not valid. Please get an API key first');
      if (form.get('api_password') !== KEYS.api_password)
        return error('233', 'API password not valid. Please get an API password first');
      const asked = form.get('get_lead[email]');
      if (asked !== null) {
        const id = idOf(asked);
        return id
          ? { status: 200, json: { status: 'Success', lead_details: { id, ...leads.get(id) } } }
          : remembers && deleted.has(asked)
            ? error('245', 'Lead is deleted')
            : error('234', 'No lead found');
      }
      const command = form.get('actions[0][cmd]');
      if (command === 'retrieve_account_lists')
        return { status: 200, json: { status: 'Success', account_lists: ['Website leads', 'Newsletter'] } };
      if (command === 'retrieve_account_tags')
        return { status: 200, json: { status: 'Success', account_tags: ['visitor'] } };
      if (command === 'retrieve_custom_fields')
        return {
          status: 200,
          json: {
            status: 'Success',
            custom_fields: [
              { field_identifier: OWN_FIELD, field_type: 'input_field' },
              { field_identifier: 'plan', field_type: 'drop_down' },
            ],
          },
        };
      if (command !== 'create_lead' && command !== 'edit_lead') return error('254', "'cmd' is required");
      const email = form.get('lead[email]');
      if (!email || !/^[^\s@]+@[^\s@]+$/.test(email))
        return error('206', 'email or lead id is required. Nothing done');
      const known = idOf(email);
      const results: Record<string, unknown>[] = [];
      const failed = (cmd: string, type: string, message: string): StubAnswer => ({
        status: 200,
        json: {
          status: 'Error',
          message,
          type,
          actions: [...results, { [cmd]: { status: 'Error', type, message } }],
        },
      });
      if (command === 'create_lead' && known) return failed(command, '244', 'Lead already exists');
      if (command === 'edit_lead' && !known)
        return remembers && deleted.has(email)
          ? failed(command, '245', 'Lead is deleted')
          : failed(command, '243', 'No lead found');
      const id = known ?? String(next++);
      const fields: Record<string, string> = {};
      for (const [key, value] of form) {
        const name = /^lead\[([a-z_]+)\]$/.exec(key)?.[1];
        if (name) fields[name] = value;
        // Identifiers that the account does not have are ignored without a word.
        const index = /^lead\[custom_fields\]\[(\d+)\]\[field_value\]$/.exec(key)?.[1];
        const own = index && form.get(`lead[custom_fields][${index}][field_identifier]`);
        if (own === OWN_FIELD) fields[own] = value;
      }
      leads.set(id, { ...leads.get(id), ...fields });
      results.push({ [command]: { status: 'success', lead_details: { id, email } } });
      for (let index = 1; form.has(`actions[${index}][cmd]`); index++) {
        const cmd = form.get(`actions[${index}][cmd]`)!;
        const list = form.get(`actions[${index}][list_name]`);
        const tag = form.get(`actions[${index}][tag_name]`);
        if (cmd === 'subscribe_lead_to_list') {
          if (list !== 'Website leads') return failed(cmd, '231', 'List does not exist');
          subscriptions.push(`${email}: ${list}`);
        } else if (cmd === 'assign_tag') {
          if (tag !== 'visitor') return failed(cmd, '212', 'Tag does not exist');
        } else return failed(cmd, '262', 'App does not have permission to execute this CMD');
        results.push({ [cmd]: { status: 'Success', type: '101' } });
      }
      return { status: 200, json: { status: 'Success', actions: results } };
    },
  };
}
