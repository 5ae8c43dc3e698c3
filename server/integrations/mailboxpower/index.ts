import type { Answer } from '../http.ts';
import { at, textAt } from '../http.ts';
import { isOk, type Result, refusal, type Vendor, type Way } from '../port.ts';

/**
 * MailBoxPower publishes no description of its API, so everything that its support tells a client is entered: address,
 * path and the header of the key. It is said to match contacts by name and address, so a repeated one is an update.
 */
export const mailboxpower: Vendor = {
  id: 'mailboxpower',
  name: 'MailBoxPower',
  summary: 'Adds or updates a contact for mailings.',
  category: 'Direct mail',
  steps: [
    'MailBoxPower publishes no description of its API. Ask its support for the address that creates contacts, and for your key.',
    'Enter what they tell you, then send a test lead and look for it in MailBoxPower.',
  ],
  isUnverified: true,
  noun: 'contact',
  base: '{address}',
  credentials: [
    {
      key: 'address',
      label: 'Address',
      help: 'The address that creates contacts. It starts with https://.',
      isSecret: false,
      placeholder: 'https://api.mailboxpower.com/v1/contacts',
    },
    {
      key: 'header',
      label: 'Header of the key',
      help: 'The name of the header that the key is sent in. Blank uses APIKEY.',
      isSecret: false,
      isOptional: true,
      placeholder: 'APIKEY',
    },
    { key: 'key', label: 'API key', help: 'From MailBoxPower’s support or your account.', isSecret: true },
  ],
  settings: [
    {
      key: 'group',
      label: 'Group',
      help: 'Sent as “group” with every contact. Leave blank for no group.',
      kind: 'text',
    },
  ],
  fields: [
    { key: 'first_name', label: 'First name', from: 'first_name', isRequired: true },
    { key: 'last_name', label: 'Last name', from: 'last_name', isRequired: true },
    { key: 'street', label: 'Street address', from: 'address', isRequired: true },
    { key: 'city', label: 'City', from: 'city', isRequired: true },
    { key: 'state', label: 'State', from: 'state', isRequired: true },
    { key: 'zip', label: 'ZIP code', from: 'zip' },
    { key: 'email', label: 'Email', from: 'email' },
    { key: 'phone', label: 'Phone number', from: 'phone' },
    { key: 'company', label: 'Company name', from: 'company_name' },
  ],
  judgesEmail: null,

  // Only reading is harmless; an address that cannot be read but refuses no key counts as connected.
  async test(way) {
    if (!isHeader(headerOf(way))) return { isConnected: false, why: 'The name of the header is not valid.' };
    const answer = await way.http({ url: way.base, headers: keyed(way) });
    if (isOk(answer) || answer.status === 404 || answer.status === 405)
      return { isConnected: true, account: URL.parse(way.base)?.hostname ?? 'MailBoxPower' };
    const result = judged(answer);
    return { isConnected: false, why: 'why' in result ? result.why : 'MailBoxPower refused the key.' };
  },

  async deliver(way, { fields, settings }) {
    if (!isHeader(headerOf(way)))
      return {
        kind: 'final',
        why: 'The name of the header is not valid.',
        fix: 'Correct the header of the key in the connection, then resend.',
        status: null,
      };
    const answer = await way.http({
      method: 'POST',
      url: way.base,
      headers: keyed(way),
      json: { ...fields, ...(settings.group ? { group: settings.group } : {}) },
    });
    if (!isOk(answer)) return judged(answer);
    const id =
      textAt(answer.json, 'id') ?? textAt(answer.json, 'contact', 'id') ?? textAt(answer.json, 'data', 'id');
    return { kind: 'delivered', status: answer.status, ...(id ? { remoteId: id } : {}) };
  },
};

const headerOf = ({ credentials }: Way): string => credentials.header?.trim() || 'APIKEY';
/** Headers that a request needs for itself. */
const TAKEN =
  /^(host|accept|content-length|content-type|user-agent|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*)$/i;
const isHeader = (name: string): boolean => /^[A-Za-z0-9-]{1,60}$/.test(name) && !TAKEN.test(name);
const keyed = (way: Way): Record<string, string> => ({ [headerOf(way)]: way.credentials.key ?? '' });

function judged(answer: Answer): Result {
  const said =
    textAt(answer.json, 'message') ??
    textAt(answer.json, 'error') ??
    textAt(at(answer.json, 'error'), 'message');
  if (answer.status === 403)
    return {
      kind: 'broken',
      why: `MailBoxPower refused the key${said ? `: ${said.slice(0, 300)}` : '.'}`,
      status: 403,
    };
  return refusal(answer, said);
}
