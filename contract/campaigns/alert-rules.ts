// No schema here, because screens use it as well.

/** What an alert waits for, with the words of the screens. */
export const ALERT_TRIGGERS = {
  lead: 'A new lead comes in',
  return: 'Someone comes back to the site',
  lead_or_return: 'A new lead comes in, or someone comes back',
  number: 'Many leads come in within an hour',
  customer: 'A known customer is on the site',
} as const;
export type AlertTrigger = keyof typeof ALERT_TRIGGERS;

/** What happened, as messages put it. `seen`: on a page that the alert asks for, in the course of a visit. */
export const ALERT_KINDS = {
  new: 'New lead',
  returned: 'Back on the site',
  seen: 'On the site now',
  number: 'Many leads',
  customer: 'Customer on the site',
} as const;
export type AlertKind = keyof typeof ALERT_KINDS;

export const ALERT_FITS = { any: 'Anyone', fits: 'Only people who fit the campaign’s filter' } as const;
/** `removed` ones are kept for their log. */
export const ALERT_STATES = ['on', 'off'] as const;
/** How a message goes out: to a user's email address, to a chat, or to a webhook. */
export const ALERT_WAYS = ['mail', 'chat', 'webhook'] as const;
export type AlertWay = (typeof ALERT_WAYS)[number];

/** Triggers that report leads one by one, so that their score and fit count. */
export const tellsOfLeads = (trigger: AlertTrigger): boolean => trigger !== 'customer';

export const MOST_ALERT_PAGES = 20;
export const MOST_ALERT_USERS = 20;
export const MOST_ALERT_CHATS = 5;
/** The maximum hours until an alert may report the same person again: 30 days. */
export const LONGEST_COOLDOWN = 720;
/** The maximum single messages of an alert in an hour; anything more is combined. */
export const MOST_PER_HOUR = 60;

/** What an alert is set to. */
export interface AlertRules {
  name: string;
  state: (typeof ALERT_STATES)[number];
  /** null: all campaigns of the client. */
  campaign_id: string | null;
  trigger: AlertTrigger;
  /** 0: any, also leads without a score. Customers are no leads: they have no score, and no filter to fit. */
  min_score: number;
  /** Parts of addresses, any of which must have been viewed; empty: any page. */
  pages: string[];
  fit: keyof typeof ALERT_FITS;
  /** Only of the trigger `number`: from how many leads in an hour on. */
  per_hour: number | null;
  user_ids: string[];
  connection_ids: string[];
  webhook_url: string | null;
  cooldown_hours: number;
  hours: { days: number[]; from: string; to: string } | null;
  most_per_hour: number;
}

/** What an alert begins with. */
export const NEW_ALERT: Omit<AlertRules, 'name'> = {
  state: 'on',
  campaign_id: null,
  trigger: 'lead',
  min_score: 60,
  pages: [],
  fit: 'any',
  per_hour: null,
  user_ids: [],
  connection_ids: [],
  webhook_url: null,
  cooldown_hours: 24,
  hours: null,
  most_per_hour: 10,
};

/** What triggers an alert, in words: 'Someone comes back to the site · score 60 and up · on pricing'. */
export function alertWords(
  rules: Pick<AlertRules, 'trigger' | 'min_score' | 'pages' | 'fit' | 'per_hour'>,
): string {
  const { trigger, min_score, pages, fit, per_hour } = rules;
  return [
    trigger === 'number' ? `${per_hour} or more leads come in within an hour` : ALERT_TRIGGERS[trigger],
    ...(min_score > 0 ? [`score ${min_score} and up`] : []),
    ...(pages.length > 0
      ? [`on ${pages.slice(0, 3).join(', ')}${pages.length > 3 ? ' and others' : ''}`]
      : []),
    ...(fit === 'fits' ? ['fits the filter'] : []),
  ].join(' · ');
}
