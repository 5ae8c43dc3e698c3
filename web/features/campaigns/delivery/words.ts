import type { Client } from '../../../../contract/index.ts';

/** A webhook of a campaign. */
export type Webhook = Awaited<ReturnType<Client['delivery']['list']>>['data'][number];

/** Whether a destination is the user's to change: one through an agency's connection is not its client's. */
export const isHeld = (hook: Pick<Webhook, 'connection_id' | 'connection_state'>): boolean =>
  hook.connection_id === null || hook.connection_state !== null;

/** One message to a webhook, with its attempts. */
export type DeliveryRow = Awaited<ReturnType<Client['delivery']['log']>>['data'][number];

export type Tries = Awaited<ReturnType<Client['delivery']['one']>>['tries'];
export type Exchange = Tries[number]['exchanges'][number];
/** A delivery among those of all destinations. */
export type DeskRow = Awaited<ReturnType<Client['delivery']['desk']>>['data'][number];
export type Destination = Awaited<ReturnType<Client['delivery']['destinations']>>['data'][number];

/** A body as it is best read: JSON in lines, a form one field a line. */
export function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return /^[^\s=&]+=[^&]*(&|$)/.test(body) ? body.replaceAll('&', '\n') : body;
  }
}

/** Returns why a webhook is disabled, in words; empty if it is enabled, or if a person disabled it. */
export function disabledWords(hook: Pick<Webhook, 'state' | 'state_reason'>): string {
  if (hook.state === 'enabled' || hook.state_reason === 'person' || !hook.state_reason) return '';
  return hook.state_reason === 'gone'
    ? 'The address returned 410 Gone, which means it accepts nothing more. Correct it, then enable the webhook.'
    : hook.state_reason;
}

/** Returns who a delivery is about. */
export function aboutWords(row: Pick<DeliveryRow, 'lead_name' | 'lead_id'> & { is_test?: boolean }): string {
  return row.lead_name ?? (row.lead_id ? 'Unnamed person' : row.is_test ? 'Test lead' : 'Erased person');
}

/** Milliseconds in words: '85 ms', '2.3 s'. */
export function durationWords(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Returns why a text cannot be a webhook's address, in words; null if it can. The server checks more closely. */
export function webhookFault(text: string): string | null {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return 'Enter an address that starts with https://';
  return text.trim().length > 2048 ? 'Use up to 2,048 characters' : null;
}
