import { Stopped } from '../attempt.ts';
import { type Answer, at, listAt, textAt } from '../http.ts';
import { type Choice, isOk, type Request, type Result, refusal, type Vendor, type Way } from '../port.ts';

/** Kartra answers 200 to everything; what happened is this number. */
const CODES = {
  exists: '244',
  /** Commands say 243, the question for a lead says 234, and either says 245 for one that was deleted. */
  missing: ['234', '243', '245'],
  deleted: '245',
  /** Missing or wrong keys, accounts and apps that are inactive, an address or a command that the app may not use. */
  keys: ['202', '203', '204', '233', '238', '239', '240', '242', '262'],
  lists: ['207', '231'],
  tags: ['211', '212'],
};
/** Custom fields that take the number of an option instead of text. */
const OPTIONS = new Set(['drop_down', 'radio_button', 'checkbox']);
const OWN = 'custom:';

/**
 * A lead in Kartra. There is no upsert: it is created, and edited when it exists. Leads are found by email, which is also
 * what an attempt whose response was lost is asked after by.
 */
export const kartra: Vendor = {
  id: 'kartra',
  name: 'Kartra',
  summary: 'Creates or updates a lead, and adds it to a list or a tag.',
  category: 'Email',
  steps: [
    'In Kartra, open My Integrations, API, and copy your API key and API password.',
    'Under My Integrations, API, My Apps, create an app and copy its App ID.',
  ],
  isUnverified: true,
  noun: 'lead',
  base: 'https://app.kartra.com',
  credentials: [
    { key: 'app_id', label: 'App ID', help: 'The ID of the app that you created for this.', isSecret: false },
    { key: 'api_key', label: 'API key', help: 'From My Integrations, API.', isSecret: true },
    { key: 'api_password', label: 'API password', help: 'From My Integrations, API.', isSecret: true },
  ],
  settings: [
    { key: 'list', label: 'List', help: 'Leads are subscribed to it. Optional.', kind: 'choice' },
    { key: 'tag', label: 'Tag', help: 'Added to leads. Optional.', kind: 'choice' },
  ],
  fields: [
    { key: 'email', label: 'Email', from: 'email', isRequired: true },
    { key: 'first_name', label: 'First name', from: 'first_name' },
    { key: 'last_name', label: 'Last name', from: 'last_name' },
    { key: 'phone', label: 'Phone number', from: 'phone' },
    { key: 'address', label: 'Street address', from: 'address' },
    { key: 'city', label: 'City', from: 'city' },
    { key: 'state', label: 'State', from: 'state' },
    { key: 'zip', label: 'ZIP code', from: 'zip' },
    { key: 'company', label: 'Company name', from: 'company_name' },
    { key: 'website', label: 'Website', from: 'website' },
  ],
  judgesEmail: 'email',
  hasOwnFields: true,

  async test(way) {
    const answer = await ask(way, { 'get_lead[email]': 'nobody@example.com' });
    // Only whoever may ask learns that there is no such lead.
    const isKnown = isSuccess(answer) || isMissing(answer);
    if (isKnown) return { isConnected: true, account: `Kartra app ${way.credentials.app_id}` };
    const result = judged(answer);
    return { isConnected: false, why: 'why' in result ? result.why : 'Kartra refused the keys.' };
  },

  async choices(way) {
    const listed = async (command: string): Promise<Answer> => {
      const answer = await ask(way, { 'actions[0][cmd]': command });
      if (!isSuccess(answer)) throw new Stopped(judged(answer));
      return answer;
    };
    const names = async (command: string, key: string): Promise<Choice[]> => {
      const found = at((await listed(command)).json, key);
      return (Array.isArray(found) ? found : []).flatMap((name): Choice[] =>
        typeof name === 'string' && name ? [{ id: name, name }] : [],
      );
    };
    const custom = await listed('retrieve_custom_fields');
    return {
      list: await names('retrieve_account_lists', 'account_lists'),
      tag: await names('retrieve_account_tags', 'account_tags'),
      fields: listAt(custom.json, 'custom_fields').flatMap((field): Choice[] => {
        const id = textAt(field, 'field_identifier');
        return id && !OPTIONS.has(textAt(field, 'field_type') ?? '') ? [{ id: OWN + id, name: id }] : [];
      }),
    };
  },

  async find(way, request) {
    const email = request.fields.email;
    if (!email) return null;
    const answer = await ask(way, { 'get_lead[email]': email });
    if (isSuccess(answer)) return textAt(answer.json, 'lead_details', 'id') ?? null;
    if (isMissing(answer)) return null;
    throw new Stopped(judged(answer));
  },

  async deliver(way, request, remoteId) {
    let answer = await send(way, request, remoteId ? 'edit_lead' : 'create_lead');
    if (!remoteId && codeOf(answer) === CODES.exists) answer = await send(way, request, 'edit_lead');
    // Deleted there since.
    else if (remoteId && isMissing(answer)) answer = await send(way, request, 'create_lead');
    if (!isSuccess(answer)) return judged(answer);
    const id = actionsOf(answer)
      .map((action) => textAt(action, 'lead_details', 'id'))
      .find(Boolean);
    return { kind: 'delivered', remoteId: id ?? remoteId ?? request.fields.email!, status: answer.status };
  },
};

/** One call that creates or edits the lead, then subscribes and tags it. */
function send(
  way: Way,
  { fields, settings }: Request,
  command: 'create_lead' | 'edit_lead',
): Promise<Answer> {
  const form: Record<string, string> = {};
  let custom = 0;
  for (const [key, value] of Object.entries(fields)) {
    if (!key.startsWith(OWN)) form[`lead[${key}]`] = value;
    else {
      form[`lead[custom_fields][${custom}][field_identifier]`] = key.slice(OWN.length);
      form[`lead[custom_fields][${custom++}][field_value]`] = value;
    }
  }
  // The lead's own command must come first.
  const actions: Record<string, string>[] = [{ cmd: command }];
  if (settings.list) actions.push({ cmd: 'subscribe_lead_to_list', list_name: settings.list });
  if (settings.tag) actions.push({ cmd: 'assign_tag', tag_name: settings.tag });
  for (const [index, action] of actions.entries())
    for (const [key, value] of Object.entries(action)) form[`actions[${index}][${key}]`] = value;
  return ask(way, form);
}

const ask = (way: Way, form: Record<string, string>): Promise<Answer> => {
  const { app_id = '', api_key = '', api_password = '' } = way.credentials;
  return way.http({
    method: 'POST',
    url: `${way.base}/api`,
    form: new URLSearchParams({ app_id, api_key, api_password, ...form }),
  });
};

/** The result of each command, whatever its name. */
const actionsOf = ({ json }: Answer): unknown[] =>
  listAt(json, 'actions').flatMap((action) => Object.values(action));

const isError = (value: unknown): boolean => /^error$/i.test(textAt(value, 'status') ?? '');
const isSuccess = (answer: Answer): boolean =>
  isOk(answer) &&
  /^success$/i.test(textAt(answer.json, 'status') ?? '') &&
  !actionsOf(answer).some((action) => isError(action));

/** Kartra knows no such lead. */
const isMissing = (answer: Answer): boolean => isOk(answer) && CODES.missing.includes(codeOf(answer) ?? '');

/** The number of what went wrong: of the whole call, or of the first command that failed. */
const codeOf = (answer: Answer): string | undefined =>
  textAt(actionsOf(answer).find(isError), 'type') ?? textAt(answer.json, 'type');

function judged(answer: Answer): Result {
  if (!isOk(answer)) return refusal(answer, textAt(answer.json, 'message'));
  const { status } = answer;
  const code = codeOf(answer) ?? '';
  const said = textAt(actionsOf(answer).find(isError), 'message') ?? textAt(answer.json, 'message');
  const why = `Kartra refused it: ${said?.slice(0, 300) ?? 'no reason given'}`;
  if (CODES.keys.includes(code)) return { kind: 'broken', why, status };
  // A page instead of an answer: something in between.
  if (!/^(success|error)$/i.test(textAt(answer.json, 'status') ?? '')) return { kind: 'unknown', why };
  return { kind: 'final', why, fix: fixOf(code), status };
}

/** What to change in Kartra or here, by the number of what went wrong. */
function fixOf(code: string): string {
  if (CODES.lists.includes(code))
    return 'The list no longer exists in Kartra. Choose another one in the settings of this destination.';
  if (CODES.tags.includes(code))
    return 'The tag no longer exists in Kartra. Choose another one in the settings of this destination.';
  if (code === CODES.deleted) return 'The lead was deleted in Kartra. Restore it there, then resend.';
  return 'Check the settings and the field mapping of this destination.';
}
