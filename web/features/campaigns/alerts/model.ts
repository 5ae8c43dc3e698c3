import { type AlertRules, NEW_ALERT } from '../../../../contract/campaigns/alert-rules.ts';
import type { Client } from '../../../../contract/index.ts';

export type Alert = Awaited<ReturnType<Client['alerts']['list']>>['data'][number];

/** An alert as its form has it: numbers may be empty while they are typed. */
export interface AlertValues
  extends Omit<AlertRules, 'min_score' | 'per_hour' | 'cooldown_hours' | 'most_per_hour' | 'webhook_url'> {
  min_score: number | string;
  per_hour: number | string;
  cooldown_hours: number | string;
  most_per_hour: number | string;
  webhook_url: string;
}

/** The values of an alert, or of a new one, for the form. */
export function valuesOf(alert: Partial<AlertRules> = {}): AlertValues {
  const { webhook_url, per_hour, ...rules } = { ...NEW_ALERT, name: '', ...alert };
  const { name, state, campaign_id, trigger, min_score, pages, fit, user_ids, connection_ids } = rules;
  return {
    name,
    state,
    campaign_id,
    trigger,
    min_score,
    pages,
    fit,
    per_hour: per_hour ?? 10,
    user_ids,
    connection_ids,
    webhook_url: webhook_url ?? '',
    cooldown_hours: rules.cooldown_hours,
    hours: rules.hours,
    most_per_hour: rules.most_per_hour,
  };
}

/** The form's values as the calls take them. */
export function rulesOf(values: AlertValues): AlertRules {
  return {
    ...values,
    name: values.name.trim(),
    min_score: Number(values.min_score),
    per_hour: values.trigger === 'number' ? Number(values.per_hour) : null,
    cooldown_hours: Number(values.cooldown_hours),
    most_per_hour: Number(values.most_per_hour),
    webhook_url: values.webhook_url.trim() || null,
  };
}

const whole = (least: number, most: number) => (value: number | string) =>
  value !== '' && Number.isInteger(Number(value)) && Number(value) >= least && Number(value) <= most
    ? null
    : `Enter a whole number from ${least} to ${most}`;

/** What the form checks itself; the server has the final say. */
export const ALERT_FAULTS = {
  name: (value: string) => (value.trim() ? null : 'Enter a name'),
  min_score: whole(0, 100),
  per_hour: (value: number | string, all: AlertValues) =>
    all.trigger === 'number' ? whole(1, 10_000)(value) : null,
  cooldown_hours: whole(1, 720),
  most_per_hour: whole(1, 60),
};
