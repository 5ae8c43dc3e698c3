import type { Client } from '../../../../contract/index.ts';
import { wire } from '../../../api/client.ts';
import { queryOf } from '../../../api/transport.ts';
import { formOf } from '../../../api/upload.ts';
import { num } from '../../../ui/format.ts';

type Progress = Awaited<ReturnType<Client['exclusions']['jobProgress']>>;
/** A file being processed. */
export type Job = Progress['running'][number];
/** A file as shown in the history. */
export type List = Progress['done'][number];
export type Level = List['level'];

/** The owner of the lists shown. */
export interface Place {
  level: Level;
  id: string;
  /** For a campaign: the client it belongs to. */
  clientId?: string;
  /** Lists of known customers instead of those that exclude. */
  use?: 'customers';
}

/** The states of an upload (spec calls 4). */
export type UploadState = 'initial' | 'saving' | 'success' | 'failed';

/** What a file of such a place may hold. */
export type Accepts = 'email' | 'all';

/**
 * Returns where a file is sent: with the specification's form for a client's or campaign's addresses, otherwise as is.
 */
export function requestOf(
  place: Place,
  accepts: Accepts,
  { ignoreAliases, country }: { ignoreAliases: boolean; country: string },
  file: File,
): { path: string; body: Blob | FormData } {
  const given = { file_name: file.name, ignore_aliases: ignoreAliases ? 'T' : 'F', country };
  if (place.level === 'root')
    return {
      path: `/tools/optout/upload${queryOf(wire.sent('inputs.rootExclusionUpload', given))}`,
      body: file,
    };
  const isSmall = place.level === 'client' || place.level === 'campaign';
  if (!isSmall || accepts === 'all' || place.use) {
    const which = { level: place.level, owner_id: place.id, use: place.use };
    return {
      path: `/exclusions/upload${queryOf(wire.sent('inputs.exclusionUpload', { ...which, ...given }))}`,
      body: file,
    };
  }
  const body = formOf('inputs.exclusionForm', {
    company_id: place.clientId ?? place.id,
    level: place.level,
    campaign_id: place.level === 'campaign' ? place.id : undefined,
    ignore_aliases: given.ignore_aliases,
    file,
  });
  return { path: '/tools/optout-client/upload', body };
}

/** Breaks down a list's entries by kind: '1,200 email addresses, 3 domains'. */
export function entriesWords(list: Pick<List, 'emails' | 'phones' | 'domains'>): string {
  const parts: [number, string, string][] = [
    [list.emails, 'email address', 'email addresses'],
    [list.phones, 'phone number', 'phone numbers'],
    [list.domains, 'domain', 'domains'],
  ];
  const words = parts.filter(([n]) => n > 0).map(([n, one, many]) => `${num(n)} ${n === 1 ? one : many}`);
  return words.join(', ') || 'None';
}

export const STATES: Record<List['state'], string> = {
  queued: 'Waiting',
  loading: 'Loading',
  held: 'On hold',
  active: 'Active',
  failed: 'Failed',
  removed: 'Undone',
};

/** The input of every call about a place's lists. */
export const listsOf = ({ id, level, use }: Place) => ({
  owner_id: id,
  level,
  use: use ?? ('exclude' as const),
});

/** Describes whom a place's lists exclude for, in a sentence; `isOwn`: they belong to the reader's own company. */
export function holdsWords(level: Level, isOwn: boolean): string {
  const whose: Record<Level, string> = {
    root: 'for any agency or client on your platform',
    agency: 'for any of your clients',
    client: isOwn ? 'for you in any campaign' : 'for this client in any campaign',
    campaign: 'for this campaign',
  };
  return `No one on these lists becomes a lead ${whose[level]}.`;
}
