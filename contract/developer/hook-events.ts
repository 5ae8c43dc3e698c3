import type { ApiScope } from './developer-rules.ts';

// The events that webhooks of the developer API send. No schema here, so that none is sent to the browser.

interface EventType {
  /** What happened, as a sentence without its end. */
  title: string;
  /** What `data` is: the item, as the API returns it when the event is sent. */
  data: 'lead' | 'campaign' | 'client' | 'exclusion_list' | 'keyword_count' | 'wallet';
  /** What a key needs to receive it. */
  scope: ApiScope;
  /** The names of the change in the user log that cause it; none: another part of the product reports it. */
  actions: readonly string[];
}

export const HOOK_EVENTS = {
  'lead.accepted': {
    title: 'A campaign found a lead',
    data: 'lead',
    scope: 'leads.read',
    actions: [],
  },
  'lead.returned': {
    title: 'The person behind a lead came back to the site at least half an hour after they were last seen',
    data: 'lead',
    scope: 'leads.read',
    actions: [],
  },
  'lead.refunded': {
    title: 'A lead was refunded',
    data: 'lead',
    scope: 'leads.read',
    actions: ['lead.refund'],
  },
  'lead.return_opened': {
    title: 'A client returned a lead for a refund',
    data: 'lead',
    scope: 'leads.read',
    actions: ['return.open'],
  },
  'lead.return_declined': {
    title: 'The return of a lead was declined. An approved return sends lead.refunded instead',
    data: 'lead',
    scope: 'leads.read',
    actions: ['return.decline'],
  },
  'campaign.created': {
    title: 'A campaign was created',
    data: 'campaign',
    scope: 'campaigns.read',
    actions: ['campaign.create'],
  },
  'campaign.updated': {
    title: 'The settings of a campaign changed',
    data: 'campaign',
    scope: 'campaigns.read',
    actions: ['campaign.update'],
  },
  'campaign.paused': {
    title: 'A campaign was paused by someone or because it cannot continue',
    data: 'campaign',
    scope: 'campaigns.read',
    actions: ['campaign.pause', 'campaign.paused'],
  },
  'campaign.resumed': {
    title: 'A campaign was activated or resumed',
    data: 'campaign',
    scope: 'campaigns.read',
    actions: ['campaign.activate', 'campaign.resumed'],
  },
  'client.created': {
    title: 'A client was created',
    data: 'client',
    scope: 'clients.read',
    actions: ['company.create'],
  },
  'client.updated': {
    title: 'A client changed',
    data: 'client',
    scope: 'clients.read',
    actions: ['company.update'],
  },
  'exclusion_list.loaded': {
    title: 'An exclusion list was loaded, or could not be',
    data: 'exclusion_list',
    scope: 'exclusions.read',
    actions: ['exclusion.active', 'exclusion.fail'],
  },
  'exclusion_list.removed': {
    title: 'An exclusion list was removed',
    data: 'exclusion_list',
    scope: 'exclusions.read',
    actions: ['exclusion.undo'],
  },
  'keyword_count.finished': {
    title: 'A keyword count is done, or failed',
    data: 'keyword_count',
    scope: 'keywords.read',
    actions: [],
  },
  'wallet.low': {
    title: 'The Data Wallet is running low, or almost empty',
    data: 'wallet',
    scope: 'wallet.read',
    actions: [],
  },
  'wallet.top_up_failed': {
    title: 'An automatic top-up of the Data Wallet failed',
    data: 'wallet',
    scope: 'wallet.read',
    actions: [],
  },
} as const satisfies Record<string, EventType>;

export type HookEvent = keyof typeof HOOK_EVENTS;
export const HOOK_EVENT_NAMES = Object.keys(HOOK_EVENTS) as [HookEvent, ...HookEvent[]];
/** All events, also those that are added later. */
export const ALL_EVENTS = '*';

/** How many endpoints an agency can have. */
export const MOST_HOOKS = 16;
export const HOOK_STATES = ['enabled', 'disabled'] as const;
export const MESSAGE_STATES = ['pending', 'delivered', 'failed'] as const;
/** How long the previous secret of an endpoint also signs. */
export const HOOK_OVERLAP_HOURS = 24;
