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
const LONGEST = 1_900;

const WRONG_URL = 'The URL must be one of an incoming webhook: https://hooks.slack.com/services/…';
/** Slack's one-word answers that mean the webhook itself no longer works. */
const GONE: Readonly<Record<string, string>> = {
  no_service: 'The webhook was turned off in Slack.',
  no_service_id: 'The webhook was turned off in Slack.',
  no_team: 'The Slack workspace no longer exists.',
  team_disabled: 'The Slack workspace was turned off.',
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
  ],
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

  // A message without text is refused only after the webhook has been found, so nothing is posted.
  async test(way) {
    const url = urlOf(way);
    if (!url) return { isConnected: false, why: WRONG_URL };
    const answer = await way.http({ method: 'POST', url, json: { text: '' } });
    if (isOk(answer) || /^(no_text|invalid_payload)/.test(answer.text))
      return { isConnected: true, account: 'Slack channel' };
    const result = judged(answer);
    return { isConnected: false, why: 'why' in result ? result.why : WRONG_URL };
  },

  async deliver(way, request) {
    const url = urlOf(way);
    if (!url)
      return { kind: 'final', why: WRONG_URL, fix: 'Paste the URL of the webhook again.', status: null };
    const fields = Object.entries(request.fields).map(([key, value]) => ({
      type: 'mrkdwn',
      text: `*${LABELS.get(key) ?? escaped(key)}*\n${escaped(value).slice(0, LONGEST)}`,
    }));
    const title = `New lead: ${request.fields.full_name ?? request.fields.email ?? 'Unnamed person'}`.slice(
      0,
      150,
    );
    const blocks: object[] = [{ type: 'header', text: { type: 'plain_text', text: title, emoji: false } }];
    // Slack takes ten fields a section.
    for (let at = 0; at < fields.length; at += 10)
      blocks.push({ type: 'section', fields: fields.slice(at, at + 10) });
    const answer = await way.http({ method: 'POST', url, json: { text: escaped(title), blocks } });
    return isOk(answer) ? { kind: 'delivered', status: answer.status } : judged(answer);
  },
};

/** Slack reads `<!channel>` and links out of these three characters. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function judged(answer: Answer): Result {
  const word = /^[a-z_]{1,60}/.exec(answer.text.trim())?.[0] ?? '';
  const why = GONE[word];
  if (why) return { kind: 'broken', why, status: answer.status };
  return refusal(answer, word || undefined);
}

function urlOf(way: Way): string | undefined {
  const url = way.credentials.url?.trim() ?? '';
  const start = `${way.base}/services/`;
  const path = url.startsWith(start) ? url.slice(start.length) : '';
  return path.length <= 200 && /^[A-Za-z0-9]+(?:\/[A-Za-z0-9]+)+$/.test(path) ? url : undefined;
}
