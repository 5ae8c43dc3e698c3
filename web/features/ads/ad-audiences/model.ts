import {
  AUDIENCE_KIND_NAMES,
  AUDIENCE_SOURCE_NAMES,
  type AudienceState,
} from '../../../../contract/ads/audience-rules.ts';
import type { Client } from '../../../../contract/index.ts';
import { num } from '../../../ui/format.ts';

export type Audience = Awaited<ReturnType<Client['audiences']['list']>>['data'][number];
export type AudienceReport = Awaited<ReturnType<Client['audiences']['get']>>;

export const STATES: Record<AudienceState, string> = {
  queued: 'Waiting',
  loading: 'Matching',
  held: 'On hold',
  ready: 'Ready',
  failed: 'Failed',
};
/** The states in which an audience changes by itself. */
export const isUnderWay = ({ state }: Pick<Audience, 'state'>): boolean =>
  state === 'queued' || state === 'loading';

/** What an audience is made of: 'Email addresses', 'Leads of a campaign'. */
export const sourceWords = ({ kind, source }: Audience): string =>
  kind ? AUDIENCE_KIND_NAMES[kind] : AUDIENCE_SOURCE_NAMES[source];

/** How much of a file has been read, 0 to 100. */
export const readShare = ({ rows_read, total_rows }: Audience): number =>
  total_rows > 0 ? Math.min(100, Math.round((rows_read / total_rows) * 100)) : 0;

export const rateWords = ({ match_rate }: Audience): string => (match_rate === null ? '—' : `${match_rate}%`);

/** A count of an audience. Those of small lists are not told. */
export const countWords = (count: number | null): string => (count === null ? '—' : num(count));
