import { isOk, refusal, type TargetField, type Vendor, type Way } from '../port.ts';

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
const WRONG_URL = 'The URL must be one of a Teams workflow.';
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
    'Connecting posts one short message to the channel, because Teams has no other way to try it.',
  ],
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

  async test(way) {
    const url = urlOf(way);
    if (!url) return { isConnected: false, why: WRONG_URL };
    const answer = await way.http({
      method: 'POST',
      url,
      json: card('Connected. New leads appear here.', []),
    });
    if (isOk(answer)) return { isConnected: true, account: 'Teams channel' };
    return {
      isConnected: false,
      why: `Teams returned ${answer.status}. The workflow may have been deleted.`,
    };
  },

  async deliver(way, request) {
    const url = urlOf(way);
    if (!url)
      return { kind: 'final', why: WRONG_URL, fix: 'Paste the URL of the workflow again.', status: null };
    const title = `New lead: ${request.fields.full_name ?? request.fields.email ?? 'Unnamed person'}`;
    const facts = Object.entries(request.fields).map(([key, value]) => ({
      title: LABELS.get(key) ?? key,
      value: plain(value),
    }));
    const answer = await way.http({ method: 'POST', url, json: card(title, facts) });
    if (isOk(answer)) return { kind: 'delivered', status: answer.status };
    // The URL is all there is to sign in with.
    if ([401, 403, 404, 410].includes(answer.status))
      return {
        kind: 'broken',
        why: 'The workflow was turned off or deleted in Teams.',
        status: answer.status,
      };
    return refusal(answer, undefined);
  },
};

/** A message with one Adaptive Card, as workflows take it. */
const card = (title: string, facts: { title: string; value: string }[]) => ({
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
        ],
      },
    },
  ],
});

/** Cards read links and emphasis out of Markdown; a backslash takes its marks for text. */
const plain = (text: string): string => text.slice(0, 1000).replace(/[\\[\]()*_#~`>!|]/g, '\\$&');

function urlOf(way: Way): string | undefined {
  const text = way.credentials.url?.trim() ?? '';
  if (text.length > 2000 || !URL.canParse(text)) return undefined;
  if (text.startsWith(`${way.base}/`)) return text;
  const { protocol, hostname, port, username } = new URL(text);
  const isTheirs = HOSTS.some((host) => hostname.endsWith(host));
  return protocol === 'https:' && isTheirs && !port && !username ? text : undefined;
}
