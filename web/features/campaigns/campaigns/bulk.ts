import { wordsOf } from '../../../api/errors.ts';
import { num } from '../../../ui/format.ts';
import { actionsOf, type CampaignAction, type CampaignRow } from './model.ts';

/** The result of performing one action on many items. */
export interface Summary<Item> {
  done: Item[];
  failed: { item: Item; words: string }[];
}

/**
 * Performs one action on each item, one after the other. A failure does not stop the rest, but three failures in a row
 * without a response do (the connection is down).
 * @param onProgress how many have been tried so far
 */
export async function forEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  onProgress: (tried: number) => void = () => undefined,
): Promise<Summary<Item>> {
  const summary: Summary<Item> = { done: [], failed: [] };
  let unanswered = 0;
  for (const [at, item] of items.entries()) {
    if (unanswered >= 3) {
      summary.failed.push({ item, words: 'Not tried because the server is not responding.' });
      continue;
    }
    try {
      await act(item);
      summary.done.push(item);
      unanswered = 0;
    } catch (error) {
      summary.failed.push({ item, words: wordsOf(error) });
      unanswered = (error as { status?: number }).status === 0 ? unanswered + 1 : 0;
    }
    onProgress(at + 1);
  }
  return summary;
}

/** '1 campaign', '3 campaigns'. */
export function campaignsWords(count: number): string {
  return `${num(count)} ${count === 1 ? 'campaign' : 'campaigns'}`;
}

const DONE = {
  activate: 'active',
  pause: 'paused',
  archive: 'archived',
  restore: 'restored and paused',
} as const;

/** Returns the campaigns that an action can be performed on in their current state. */
export const bulkOf = (kind: CampaignAction, campaigns: readonly CampaignRow[]): CampaignRow[] =>
  campaigns.filter(({ status }) => actionsOf(status).includes(kind));

/** Says what has been done, in a sentence: '2 campaigns are archived'. */
export const bulkSentence = (kind: keyof typeof DONE, count: number): string =>
  `${campaignsWords(count)} ${count === 1 ? 'is' : 'are'} ${DONE[kind]}`;
