import { type Answer, textAt } from '../http.ts';
import {
  type Announcement,
  isOk,
  type Result,
  refusal,
  type TargetField,
  type Vendor,
  type Way,
} from '../port.ts';

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
const WRONG_URL = 'The URL must be for a Teams workflow.';
const GONE =
  'The workflow was turned off or deleted in Teams. Turn it on, or paste the URL of another workflow.';
/** Codes of workflows that no longer run, some of them with 400. */
const GONE_CODES =
  /^(WorkflowTriggerIsNotEnabled|WorkflowDisabled|WorkflowNotFound|WorkflowTriggerNotFound)$/;
const LONGEST = 1000;
/** Where Microsoft serves workflows; the tenant is a part of the host. */
const HOSTS = ['.logic.azure.com', '.api.powerplatform.com', '.webhook.office.com'];

/** A card in a channel for each lead, by a workflow. A message cannot be asked for, so a lost one may repeat. */
export const teams: Vendor = {
  id: 'teams',
  name: 'Microsoft Teams',
  summary: 'Posts a card to a channel for each lead.',
  category: 'Chat',
  steps: [
    'In Teams, open the menu of the channel, choose Workflows, and “Send webhook alerts to a channel”.',
    'Copy the URL that the workflow shows at the end.',
    'Connecting posts one short message to the channel, because Teams has no other way to test it.',
  ],
  isUnverified: true,
  noun: 'message',
  base: 'https://prod.logic.azure.com',
  credentials: [
    {
      key: 'url',
      label: 'Workflow URL',
      help: 'Keep it private: anyone who has it can post to the channel.',
      isSecret: true,
      placeholder: 'https://….logic.azure.com/workflows/…',
    },
  ],
  settings: [],
  fields: FIELDS.map(([key, label]): TargetField => ({ key, label, from: key })),
  judgesEmail: null,

  // No call leaves the channel alone, so a test is one short message; the steps say so.
  async test(way) {
    const url = urlOf(way);
    if (!url) return { isConnected: false, why: WRONG_URL };
    const answer = await way.http({
      method: 'POST',
      url,
      json: card('Connected. New leads appear here.', []),
    });
    const result = judged(answer);
    if (result.kind === 'delivered') return { isConnected: true, account: 'Teams channel' };
    return { isConnected: false, why: result.why };
  },

  async deliver(way, request) {
    const url = urlOf(way);
    if (!url)
      return { kind: 'final', why: WRONG_URL, fix: 'Paste the URL of the workflow again.', status: null };
    const title = `New lead: ${request.fields.full_name ?? request.fields.email ?? request.fields.company_name ?? 'Unnamed person'}`;
    const facts = Object.entries(request.fields).map(([key, value]) => ({
      title: LABELS.get(key) ?? key,
      value: plain(value),
    }));
    return judged(await way.http({ method: 'POST', url, json: card(title, facts) }));
  },

  async announce(way, { title, lines, link }) {
    const url = urlOf(way);
    if (!url)
      return { kind: 'final', why: WRONG_URL, fix: 'Paste the URL of the workflow again.', status: null };
    return judged(await way.http({ method: 'POST', url, json: card(title, [], lines, link) }));
  },
};

/** Teams' own status in the text of a 200, which webhooks at webhook.office.com return for every outcome. */
function judged(answer: Answer): Result {
  const inner = /^"?Webhook message delivery failed\b.{0,200}?\bHTTP error (\d{3})\b/s.exec(answer.text)?.[1];
  const told = inner === undefined ? answer : { ...answer, status: Number(inner) };
  if (isOk(told)) return { kind: 'delivered', status: answer.status };
  const code = textAt(told.json, 'error', 'code');
  // The URL is all there is to sign in with.
  if ([401, 403, 404, 410].includes(told.status) || GONE_CODES.test(code ?? ''))
    return { kind: 'broken', why: GONE, status: told.status };
  return refusal(told, code);
}

/** A message with one Adaptive Card, as workflows take it. */
const card = (
  title: string,
  facts: { title: string; value: string }[],
  lines: readonly string[] = [],
  link?: Announcement['link'],
) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          { type: 'TextBlock', size: 'Medium', weight: 'Bolder', wrap: true, text: plain(title) },
          ...(facts.length > 0 ? [{ type: 'FactSet', facts }] : []),
          ...lines.map((line) => ({ type: 'TextBlock', wrap: true, text: plain(line) })),
        ],
        ...(link ? { actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }] } : {}),
      },
    },
  ],
});

/** Cards read links, lists and emphasis out of Markdown; a backslash takes its marks for text. */
const plain = (text: string): string =>
  [...text.toWellFormed()]
    .slice(0, LONGEST)
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/[\\[\]()*_#~`>!|]/g, '\\$&')
    .replace(/^ ?(?:([-+])|(\d{1,9})\.)/, (_, sign?: string, number?: string) =>
      sign ? `\\${sign}` : `${number}\\.`,
    );

function urlOf(way: Way): string | undefined {
  const text = way.credentials.url?.trim() ?? '';
  if (text.length > 2000 || !URL.canParse(text)) return undefined;
  if (text.startsWith(`${way.base}/`)) return text;
  const { protocol, hostname, port, username } = new URL(text);
  const isTheirs = HOSTS.some((host) => hostname.endsWith(host));
  return protocol === 'https:' && isTheirs && !port && !username ? text : undefined;
}
