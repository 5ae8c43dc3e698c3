import type { Answer } from '../http.ts';
import { isOk, type Result, refusal, type TargetField, type Vendor, type Way } from '../port.ts';

const FIELDS: readonly (readonly [key: string, label: string])[] = [
  ['full_name', 'Name'],
  ['company_name', 'Company'],
  ['job_title', 'Job title'],
  ['email', 'Email'],
  ['phone', 'Phone number'],
  ['city', 'City'],
  ['state', 'State'],
  ['page_url', 'Page visited'],
  ['campaign_name', 'Campaign'],
];
const LABELS = new Map(FIELDS);
/** Slack takes 2000 characters in a field and 150 in a header, counted after escaping. */
const LONGEST = 1_900;
const LONGEST_TITLE = 150;
/** Of an announcement; ten of them fit into a section, which takes 3000 characters. */
const LONGEST_LINE = 280;

const WRONG_URL = 'The URL must be for an incoming webhook: https://hooks.slack.com/services/…';
/** Slack's one-word answers that mean the webhook itself no longer works. */
const GONE: Readonly<Record<string, string>> = {
  no_service: 'The webhook was turned off in Slack.',
  no_service_id: 'The webhook was turned off in Slack.',
  no_active_hooks: 'The webhook was turned off in Slack.',
  no_team: 'The Slack workspace no longer exists.',
  team_disabled: 'The Slack workspace was turned off.',
  invalid_team: 'The Slack workspace no longer exists.',
  invalid_token: 'Slack does not know this webhook.',
  channel_not_found: 'The channel no longer exists.',
  channel_is_archived: 'The channel was archived.',
  action_prohibited: 'A workspace administrator does not allow this webhook to post.',
  posting_to_general_channel_denied: 'A workspace administrator does not allow posting to this channel.',
};

/** A card in a channel for each lead, by an incoming webhook. A message cannot be asked for, so a lost one may repeat. */
export const slack: Vendor = {
  id: 'slack',
  name: 'Slack',
  summary: 'Posts a card to a channel for each lead.',
  category: 'Chat',
  steps: [
    'In Slack, create an app for your workspace and turn on Incoming Webhooks.',
    'Add a webhook to the channel that should see leads, and copy its URL.',
    'Connecting posts nothing to the channel.',
  ],
  isUnverified: true,
  noun: 'message',
  base: 'https://hooks.slack.com',
  credentials: [
    {
      key: 'url',
      label: 'Webhook URL',
      help: 'Keep it private: anyone who has it can post to the channel.',
      isSecret: true,
      placeholder: 'https://hooks.slack.com/services/…',
    },
  ],
  settings: [],
  fields: FIELDS.map(([key, label]): TargetField => ({ key, label, from: key })),
  judgesEmail: null,

  // There is no call that only asks, but a message without text is refused after the webhook has been found.
  async test(way) {
    const url = urlOf(way);
    if (!url) return { isConnected: false, why: WRONG_URL };
    const answer = await way.http({ method: 'POST', url, json: { text: '' } });
    if (isOk(answer) || EMPTY.has(wordOf(answer))) return { isConnected: true, account: 'Slack channel' };
    const result = judged(answer);
    return { isConnected: false, why: 'why' in result ? result.why : WRONG_URL };
  },

  async deliver(way, request) {
    const url = urlOf(way);
    if (!url)
      return { kind: 'final', why: WRONG_URL, fix: 'Paste the URL of the webhook again.', status: null };
    const fields = Object.entries(request.fields).map(([key, value]) => ({
      type: 'mrkdwn',
      text: `*${LABELS.get(key) ?? escaped(key)}*\n${escaped(value, LONGEST)}`,
      // Without it, Slack makes mentions and links of plain words.
      verbatim: true,
    }));
    const name =
      request.fields.full_name ?? request.fields.email ?? request.fields.company_name ?? 'Unnamed person';
    const title = titleOf(`New lead: ${name}`);
    const blocks = [header(title)];
    // Slack takes ten fields a section.
    for (let at = 0; at < fields.length; at += 10)
      blocks.push({ type: 'section', fields: fields.slice(at, at + 10) });
    return post(way, url, title, blocks);
  },

  async announce(way, { title: text, lines, link }) {
    const url = urlOf(way);
    if (!url)
      return { kind: 'final', why: WRONG_URL, fix: 'Paste the URL of the webhook again.', status: null };
    const title = titleOf(text);
    const said = lines.map((line) => escaped(line.replace(/\s+/g, ' '), LONGEST_LINE)).join('\n');
    return post(way, url, title, [
      header(title),
      ...(said ? [{ type: 'section', text: { type: 'mrkdwn', text: said, verbatim: true } }] : []),
      { type: 'section', text: { type: 'mrkdwn', text: `<${escaped(link.url)}|${escaped(link.label)}>` } },
    ]);
  },
};

const titleOf = (text: string): string => shortened(text.replace(/\s+/g, ' '), LONGEST_TITLE, (part) => part);
const header = (title: string): object => ({
  type: 'header',
  text: { type: 'plain_text', text: title, emoji: false },
});

async function post(way: Way, url: string, title: string, blocks: object[]): Promise<Result> {
  const json = { text: escaped(title, LONGEST), blocks, unfurl_links: false };
  const answer = await way.http({ method: 'POST', url, json });
  return isOk(answer) ? { kind: 'delivered', status: answer.status } : judged(answer);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Slack reads `<!channel>` and links out of these three characters. */
const escaped = (text: string, longest = LONGEST): string =>
  shortened(text, longest, (part) => ESCAPES[part] ?? part);

/** Cuts between whole characters: half an escape would show, and half a character is refused. */
function shortened(text: string, longest: number, write: (character: string) => string): string {
  let all = '';
  for (const character of text.toWellFormed()) {
    const next = write(character);
    if (all.length + next.length >= longest) return `${all}…`;
    all += next;
  }
  return all;
}

/** What Slack says to a message without text, at a webhook that works. */
const EMPTY = new Set(['no_text', 'invalid_payload', 'missing_text_or_fallback_or_attachments']);

const wordOf = (answer: Answer): string => /^[a-z_]{1,60}/.exec(answer.text.trim())?.[0] ?? '';

function judged(answer: Answer): Result {
  const word = wordOf(answer);
  const { status } = answer;
  // The URL is all there is to sign in with, so one that leads nowhere is a matter of the connection.
  const isRefused = status === 401 || status === 403 || status === 404 || status === 410;
  const why =
    GONE[word] ??
    (isRefused ? `Slack no longer accepts messages at this URL (${word || status}).` : undefined);
  if (why) return { kind: 'broken', why: `${why} Paste the URL of a webhook that works.`, status };
  return refusal(answer, word || undefined);
}

function urlOf(way: Way): string | undefined {
  const url = way.credentials.url?.trim() ?? '';
  const start = `${way.base}/services/`;
  const path = url.startsWith(start) ? url.slice(start.length) : '';
  return path.length <= 200 && /^[A-Za-z0-9]+(?:\/[A-Za-z0-9]+)+$/.test(path) ? url : undefined;
}
