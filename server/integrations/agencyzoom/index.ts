import { createHash } from 'node:crypto';
import { Stopped } from '../attempt.ts';
import { type Answer, at, listAt, textAt } from '../http.ts';
import { type Choice, isOk, type Request, type Result, refusal, type Vendor, type Way } from '../port.ts';

/** A token is said to last about a day; programs renew it every hour. */
const LASTS_MS = 50 * 60_000;
const MOST_TOKENS = 1000;
/** The limit is a number of requests a minute, and no header tells when it ends. */
const LIMIT_MS = 60_000;
const PAGE = 100;
const MOST_PAGES = 5;
/** Tokens of this process, by a hash of the credentials that they were made with. */
const tokens = new Map<string, { token: string; until: number }>();

const NUMBERS = ['pipelineId', 'stageId', 'leadSourceId'];

/**
 * A lead in AgencyZoom's pipeline. AgencyZoom makes another lead of whatever is sent twice, so leads are looked for by
 * email first. It has no API keys: the connection signs in as a user.
 */
export const agencyzoom: Vendor = {
  id: 'agencyzoom',
  name: 'AgencyZoom',
  summary: 'Adds a lead to a pipeline.',
  category: 'CRM',
  steps: [
    'In AgencyZoom, add a user for this connection, so that you can end it without changing anyone’s password.',
    'AgencyZoom has no API keys. The user’s password is stored encrypted and used only to sign in.',
  ],
  isUnverified: true,
  noun: 'lead',
  base: 'https://api.agencyzoom.com',
  credentials: [
    {
      key: 'username',
      label: 'Email of the user',
      help: 'Preferably a separate user for this connection.',
      isSecret: false,
    },
    { key: 'password', label: 'Password', help: 'Stored encrypted and never shown.', isSecret: true },
  ],
  settings: [
    {
      key: 'pipelineId',
      label: 'Pipeline',
      help: 'Where new leads appear.',
      kind: 'choice',
      isRequired: true,
    },
    { key: 'stageId', label: 'Stage', help: 'A stage of that pipeline.', kind: 'choice', isRequired: true },
    {
      key: 'leadSourceId',
      label: 'Lead source',
      help: 'Where AgencyZoom says leads come from.',
      kind: 'choice',
      isRequired: true,
    },
    {
      key: 'assignTo',
      label: 'Assigned to',
      help: 'The employee who gets new leads.',
      kind: 'choice',
      isRequired: true,
    },
  ],
  fields: [
    { key: 'firstname', label: 'First name', from: 'first_name', isRequired: true },
    { key: 'lastname', label: 'Last name', from: 'last_name' },
    { key: 'email', label: 'Email', from: 'email', isRequired: true },
    { key: 'phone', label: 'Phone', from: 'phone' },
    { key: 'secondaryPhone', label: 'Secondary phone', from: 'phone2' },
    { key: 'streetAddress', label: 'Street address', from: 'address' },
    { key: 'city', label: 'City', from: 'city' },
    { key: 'state', label: 'State', from: 'state' },
    { key: 'zip', label: 'ZIP code', from: 'zip' },
    { key: 'notes', label: 'Notes', from: 'page_url' },
  ],
  judgesEmail: 'email',

  async test(way) {
    const answer = await ask(way, 'GET', '/pipelines-and-stages').catch((error: unknown) => {
      if (error instanceof Stopped) return error.result;
      throw error;
    });
    if ('kind' in answer)
      return { isConnected: false, why: 'why' in answer ? answer.why : 'AgencyZoom refused the sign-in.' };
    if (isOk(answer)) return { isConnected: true, account: way.credentials.username ?? 'AgencyZoom' };
    const result = judged(answer);
    return { isConnected: false, why: 'why' in result ? result.why : 'AgencyZoom refused the sign-in.' };
  },

  async choices(way) {
    const pipelines = listed(checked(await ask(way, 'GET', '/pipelines-and-stages')));
    return {
      pipelineId: pipelines.flatMap((one) => choiceOf(one)),
      // A stage means nothing without its pipeline.
      stageId: pipelines.flatMap((pipeline) =>
        listAt(pipeline, 'stages').flatMap((stage) =>
          choiceOf(stage, `${textAt(pipeline, 'name') ?? ''} / `),
        ),
      ),
      leadSourceId: listed(checked(await ask(way, 'GET', '/lead-sources'))).flatMap((one) => choiceOf(one)),
      assignTo: listed(checked(await ask(way, 'GET', '/employees'))).flatMap((one) => choiceOf(one)),
    };
  },

  async find(way, { fields }) {
    if (!fields.email) return null;
    const wanted = fields.email.toLowerCase();
    const newest = { sort: 'lastActivityDate', order: 'desc', pageSize: PAGE };
    // Whether the list is narrowed by email is not documented, so each lead of the latest pages is compared.
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer = checked(await ask(way, 'POST', '/leads/list', { ...newest, page, email: fields.email }));
      const leads = listed(answer);
      const lead = leads.find((one) => textAt(one, 'email')?.toLowerCase() === wanted);
      const id = textAt(lead, 'id');
      if (id) return id;
      if (leads.length < PAGE) return null;
    }
    return null;
  },

  async deliver(way, request, remoteId) {
    // There is always someone's lead to find before another one is made.
    const known = remoteId ?? (await agencyzoom.find!(way, request));
    if (known) {
      const answer = await ask(way, 'PUT', `/leads/${encodeURIComponent(known)}`, bodyOf(request, false));
      if (isOk(answer) && !refusedBy(answer))
        return { kind: 'delivered', remoteId: known, status: answer.status };
      if (answer.status !== 404) return judged(answer);
    }
    const answer = await ask(way, 'POST', '/leads/create', bodyOf(request, true));
    const id = textAt(answer.json, 'id');
    if (!isOk(answer) || refusedBy(answer) || !id) return judged(answer);
    return { kind: 'delivered', remoteId: id, status: answer.status };
  },
};

/** A lead that exists stays where people have moved it. */
function bodyOf({ fields, settings }: Request, isNew: boolean): Record<string, unknown> {
  if (!isNew) {
    // Notes would replace what people wrote since.
    const { notes: _, ...rest } = fields;
    return rest;
  }
  const numbers = Object.fromEntries(NUMBERS.map((key) => [key, Number(settings[key])]));
  return { ...fields, ...numbers, assignTo: settings.assignTo ?? '', country: 'USA' };
}

const choiceOf = (entry: unknown, before = ''): Choice[] => {
  const id = textAt(entry, 'id');
  const name =
    textAt(entry, 'name') ??
    [textAt(entry, 'firstname'), textAt(entry, 'lastname')].filter(Boolean).join(' ');
  return id ? [{ id, name: before + (name || id) }] : [];
};

/** The entries of a list, under whichever name they come. */
function listed({ json }: Answer): Record<string, unknown>[] {
  if (Array.isArray(json)) return listAt({ json }, 'json');
  for (const key of [
    'data',
    'results',
    'items',
    'leads',
    'alrLeads',
    'pipelines',
    'leadSources',
    'employees',
  ])
    if (Array.isArray(at(json, key))) return listAt(json, key);
  return [];
}

const refusedBy = ({ json }: Answer): boolean => at(json, 'result') === false;

function checked(answer: Answer): Answer {
  if (!isOk(answer)) throw new Stopped(judged(answer));
  return answer;
}

function judged(answer: Answer): Result {
  const said = words(answer);
  if (!isOk(answer)) {
    const result = refusal(answer, said);
    return result.kind === 'retry' && answer.status === 429 ? { afterMs: LIMIT_MS, ...result } : result;
  }
  if (refusedBy(answer))
    return {
      kind: 'final',
      why: `AgencyZoom refused the lead: ${said?.slice(0, 300) ?? 'no reason given'}`,
      fix: 'Check the settings and the field mapping of this destination.',
      status: answer.status,
    };
  return { kind: 'unknown', why: 'AgencyZoom did not say whether it took the lead.' };
}

/** AgencyZoom's words: what is wrong with each field, or one text under either of two names. */
function words({ json }: Answer): string | undefined {
  const fields = listAt(json, 'fieldErrors').flatMap((one) => {
    const error = textAt(one, 'error');
    const field = textAt(one, 'field');
    return error ? [field ? `${field}: ${error}` : error] : [];
  });
  return fields.join(', ') || (textAt(json, 'error') ?? textAt(json, 'message'));
}

/** Asks with a token, and once more with a new one if it is refused. */
async function ask(way: Way, method: 'GET' | 'POST' | 'PUT', path: string, json?: unknown): Promise<Answer> {
  const call = (token: string) =>
    way.http({
      method,
      url: `${way.base}/v1/api${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(json === undefined ? {} : { json }),
    });
  const token = await tokenOf(way);
  const answer = await call(token);
  if (answer.status !== 401) return answer;
  // Another call may have renewed it in the meantime, and its token is good.
  if (tokens.get(idOf(way))?.token === token) tokens.delete(idOf(way));
  return call(await tokenOf(way));
}

const idOf = ({ base, credentials }: Way): string =>
  createHash('sha256')
    .update(JSON.stringify([base, credentials.username, credentials.password]))
    .digest('base64');

async function tokenOf(way: Way): Promise<string> {
  const id = idOf(way);
  const now = way.now().getTime();
  const kept = tokens.get(id);
  if (kept && kept.until > now) return kept.token;
  const { username, password } = way.credentials;
  const answer = await way.http({
    method: 'POST',
    url: `${way.base}/v1/api/auth/login`,
    json: { username, password, version: 'api' },
  });
  const token = ['jwt', 'token', 'accessToken'].map((key) => textAt(answer.json, key)).find(Boolean);
  if (isOk(answer) && !token)
    throw new Stopped({ kind: 'retry', why: 'AgencyZoom returned no token.', status: answer.status });
  if (!isOk(answer) || !token) {
    const result = judged(answer);
    // A wrong password is 400 or 422 to some programs; a redirect says nothing about it.
    throw new Stopped(
      result.kind === 'final' && answer.status >= 400
        ? { kind: 'broken', why: result.why, status: answer.status }
        : result,
    );
  }
  if (tokens.size >= MOST_TOKENS) tokens.delete(tokens.keys().next().value!);
  tokens.set(id, { token, until: now + LASTS_MS });
  return token;
}
