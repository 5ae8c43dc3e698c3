import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Sites, sitesOf } from '../../../../contract/campaigns/site-hosts.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { isDatabaseAway } from '../../../platform/db/away.ts';
import { onceAMinute } from '../../../platform/disk.ts';
import type { Log } from '../../../platform/platform.ts';
import { replaceFile } from '../../../platform/spool.ts';
import type { Site } from '../campaigns/index.ts';

/** How long what is known about a site key counts. */
const SITE_MS = 5_000;
const MOST_CACHED = 100_000;
/** How long the database may take to answer before the copy is used instead, and how often it is asked then. */
const LOOK_UP_MS = 1_000;
const PROBE_MS = 2_000;
/** How often the copy is made, and how many sites are read at a time for it. */
const COPY_MS = 60_000;
const COPY_STEP = 5_000;

/** A site, with its hosts as they are compared. */
export type KnownSite = Site & { sites: Sites };

const known = (row: Site): KnownSite => ({
  ...row,
  sites: sitesOf({ siteUrl: row.site_url, thankYouUrl: row.thank_you_url, others: row.site_hosts }),
});

/** How sites are found. */
interface Sources {
  byKey: (key: string) => Promise<Site | undefined>;
  after: (key: string, most: number) => Promise<(Site & { site_key: string })[]>;
}

/**
 * What the ingest knows about site keys: asked from the database, for five seconds. With `file`, a copy of all sites is
 * kept there, and used while the database does not answer.
 */
export function createSites({ byKey, after }: Sources, log: Log, file?: string) {
  const cache = new Map<string, { site: Promise<KnownSite | undefined>; until: number }>();
  let copy = new Map<string, Site>();
  let written = '';
  let isAway = false;
  let probeAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function ask(key: string): Promise<KnownSite | undefined> {
    const site = byKey(key).then((row) => row && known(row));
    if (cache.size > MOST_CACHED) cache.clear();
    cache.set(key, { site, until: performance.now() + SITE_MS });
    site.catch(() => cache.delete(key));
    return site;
  }

  /** As the copy has it. @throws Refusal 503 for a site that is not in it: it may be a new one */
  function fromCopy(key: string): KnownSite {
    const site = copy.get(key);
    if (!site) throw new Refusal('unavailable', ownMessages.unavailable, { retryAfter: 2 });
    return known(site);
  }

  /** Asks in the background, as long as the database does not answer. */
  function probe(key: string): void {
    const now = performance.now();
    if (now < probeAt) return;
    probeAt = now + PROBE_MS;
    byKey(key).then(
      () => {
        isAway = false;
      },
      () => {},
    );
  }

  /** Makes the copy anew. */
  async function refresh(to: string): Promise<void> {
    const rows: (Site & { site_key: string })[] = [];
    for (let last = ''; ; ) {
      const step = await after(last, COPY_STEP);
      rows.push(...step);
      if (step.length < COPY_STEP) break;
      last = step.at(-1)!.site_key;
    }
    copy = new Map(rows.map(({ site_key, ...site }) => [site_key, site]));
    const text = JSON.stringify([...copy]);
    if (text !== written) await replaceFile(to, text);
    written = text;
  }

  return {
    /** The site of a key that was asked for a moment ago, without asking anyone; for what must cost nothing. */
    cached: (key: string): Promise<KnownSite | undefined> | undefined => cache.get(key)?.site,

    async of(key: string): Promise<KnownSite | undefined> {
      const one = cache.get(key);
      const fresh = one && one.until > performance.now() ? one.site : undefined;
      if (!file) return fresh ?? ask(key);
      if (isAway && !fresh) {
        probe(key);
        return fromCopy(key);
      }
      let late: NodeJS.Timeout | undefined;
      try {
        return await Promise.race([
          fresh ?? ask(key),
          new Promise<never>((_, fail) => {
            late = setTimeout(
              () => fail(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
              LOOK_UP_MS,
            );
          }),
        ]);
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        isAway = true;
        cache.delete(key);
        return fromCopy(key);
      } finally {
        clearTimeout(late);
      }
    },

    /** Forgets what was asked. */
    forget: (): void => cache.clear(),

    /** Reads the copy, and keeps it up to date until `stop`. */
    async start(): Promise<void> {
      if (!file) return;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const text = await readFile(file, 'utf8').catch(() => '[]');
      copy = new Map(JSON.parse(text) as [string, Site][]);
      const again = async (): Promise<void> => {
        try {
          await refresh(file);
        } catch (error) {
          if (onceAMinute('sites')) log.warn({ err: error }, 'the copy of the sites could not be renewed');
        }
      };
      await again();
      timer = setInterval(() => void again(), COPY_MS);
      timer.unref();
    },

    stop: (): void => clearInterval(timer),
  };
}
