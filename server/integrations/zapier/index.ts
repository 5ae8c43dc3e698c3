import type { Answer } from '../http.ts';
import {
  isOk,
  type Request,
  type Result,
  refusal,
  type TargetField,
  type Vendor,
  type Way,
} from '../port.ts';

/** The words of the screens for a hook that takes nothing anymore. */
const GONE = 'The Zap was turned off or deleted. Turn it on, or paste the URL of another catch hook.';
const WRONG_URL = 'The URL must be for a catch hook: https://hooks.zapier.com/hooks/catch/…';

const FIELDS: readonly (readonly [key: string, label: string])[] = [
  ['first_name', 'First name'],
  ['last_name', 'Last name'],
  ['full_name', 'Full name'],
  ['email', 'Email'],
  ['phone', 'Phone number'],
  ['phone2', 'Second phone number'],
  ['address', 'Street address'],
  ['city', 'City'],
  ['state', 'State'],
  ['zip', 'ZIP code'],
  ['company_name', 'Company name'],
  ['job_title', 'Job title'],
  ['website', 'Website'],
  ['campaign_id', 'Campaign ID'],
  ['campaign_name', 'Campaign name'],
  ['campaign_type', 'Campaign type'],
  ['page_url', 'Page visited'],
  ['referrer', 'Referrer'],
  ['match_type', 'Match type'],
  ['confidence', 'Match confidence'],
  ['created_at', 'Time of the lead'],
  ['phone_dnc', 'On a do-not-call list'],
  ['phone_dnc_checked_at', 'Do-not-call lists checked'],
  ['phone2_dnc', 'Second phone on a do-not-call list'],
];

/**
 * A Zap that starts with a catch hook. Zapier starts it for every request and nothing can be asked, so a lead whose
 * response was lost may start it twice: `id` is the same then, and the Zap can look it up.
 */
export const zapier: Vendor = {
  id: 'zapier',
  name: 'Zapier',
  summary: 'Starts a Zap for each lead.',
  category: 'Automation',
  steps: [
    'In Zapier, create a Zap with the trigger Webhooks by Zapier, Catch Hook, and copy its URL.',
    'Connecting sends one test record. It has test set to true, and shows Zapier the fields of a lead. Add a filter to the Zap that stops when test is true.',
    'If a response from Zapier is lost, a lead is sent again with the same id. Let the Zap look up the id before it adds anything.',
  ],
  isUnverified: true,
  noun: 'Zap run',
  base: 'https://hooks.zapier.com',
  credentials: [
    {
      key: 'url',
      label: 'Catch hook URL',
      help: 'The URL that Zapier shows for the trigger. Keep it private: anyone who has it can start the Zap.',
      isSecret: true,
      placeholder: 'https://hooks.zapier.com/hooks/catch/…',
    },
  ],
  settings: [],
  fields: FIELDS.map(([key, label]): TargetField => ({ key, label, from: key })),
  judgesEmail: null,

  // A catch hook takes GET, POST and PUT alike, and has no call that leaves the Zap alone. So a test is a marked record,
  // with every field in it: Zapier shows them for mapping once it has seen them.
  async test(way) {
    const hook = hookOf(way);
    if (!hook) return { isConnected: false, why: WRONG_URL };
    const sample = Object.fromEntries(FIELDS.map(([key, label]) => [key, `Test ${label.toLowerCase()}`]));
    const answer = await way.http({
      method: 'POST',
      url: hook.url,
      json: { ...sample, email: 'test.lead@example.com', id: 'test', test: true },
    });
    if (isOk(answer)) return { isConnected: true, account: `Catch hook …${hook.end}` };
    const result = judged(answer);
    return { isConnected: false, why: 'why' in result ? result.why : GONE };
  },

  async deliver(way, request) {
    const hook = hookOf(way);
    if (!hook)
      return { kind: 'final', why: WRONG_URL, fix: 'Paste the URL of the catch hook again.', status: null };
    const answer = await way.http({ method: 'POST', url: hook.url, json: bodyOf(request) });
    // Its own words are of no use, and can be turned off there: any success counts.
    return isOk(answer) ? { kind: 'delivered', status: answer.status } : judged(answer);
  },
};

/** One flat object, `id` being our id of the lead whatever is mapped. */
const bodyOf = ({ fields, leadId }: Request) => ({ ...fields, id: leadId, test: false });

function judged(answer: Answer): Result {
  const { status } = answer;
  // The URL is all there is to sign in with, so one that leads nowhere is a matter of the connection.
  if (status === 410 || status === 404 || status === 401 || status === 403)
    return { kind: 'broken', why: GONE, status };
  return refusal(answer, undefined);
}

/** The hook's address and how it ends; undefined if it is not one of Zapier's. */
function hookOf(way: Way): { url: string; end: string } | undefined {
  const url = way.credentials.url?.trim() ?? '';
  const start = `${way.base}/hooks/catch/`;
  const path = url.startsWith(start) ? url.slice(start.length).replace(/\/$/, '') : '';
  // Only these characters: no dots, no queries, nothing that leads elsewhere on that host.
  if (path.length > 200 || !/^[\w-]+(?:\/[\w-]+)+$/.test(path)) return undefined;
  return { url: `${start}${path}/`, end: path.slice(-3) };
}
