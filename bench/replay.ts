import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '../server/platform/clock.ts';
import { newId } from '../server/platform/ids.ts';
import type { Result } from './import.ts';
import { fire } from './load.ts';
import { openStage } from './stage.ts';

const LOG = join(import.meta.dirname, '../server/test/data/traffic-apache-10k.log.gz');
const SITE = 'http://semicomplete.com';
const LINE = /^(\S+) \S+ \S+ \[[^\]]+\] "(?:\S+ (\S+)[^"]*)?" \d+ \S+ "([^"]*)" "([^"]*)"?$/;

/** A request from the log, as far as the pixel on that page would have reported it. */
interface Line {
  ip: string;
  path: string;
  referrer: string;
  userAgent: string;
}

/** The lines of the example log; throws on one that cannot be read. */
function readLog(): Line[] {
  const text = gunzipSync(readFileSync(LOG)).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, ip, path = '/', referrer = '', userAgent = ''] = LINE.exec(line) ?? [];
      if (!ip) throw new Error(`A line of the log cannot be read: ${line}`);
      return {
        ip,
        path,
        referrer: referrer === '-' ? '' : referrer,
        userAgent: userAgent === '-' ? '' : userAgent,
      };
    });
}

/**
 * Sends every request of a real server's log through POST /v as its own visit. Our count is the requests accounted for,
 * as a visit or as a dropped bot; none may be lost.
 */
export async function benchReplay(): Promise<Result> {
  const lines = readLog();
  const stage = await openStage();
  try {
    const { make } = stage;
    const { siteKey } = await make.campaign(await make.client(await make.agency(await make.root())), {
      siteUrl: SITE,
    });
    const server = await stage.start('app', { ROLES: 'ingest', TRUST_PROXY: 'loopback' });
    let at = 0;
    const began = performance.now();
    const fired = await fire({
      port: server.port,
      path: '/v',
      type: 'text/plain;charset=UTF-8',
      userAgent: '',
      next() {
        const line = lines[at++];
        if (!line) return undefined;
        const event = {
          i: newId(systemClock.now()),
          u: `${SITE}${line.path}`,
          ...(line.referrer ? { r: line.referrer } : {}),
        };
        return {
          body: JSON.stringify({ k: siteKey, e: [event] }),
          headers: `Origin: ${SITE}\r\nX-Forwarded-For: ${line.ip}\r\n${line.userAgent ? `User-Agent: ${line.userAgent}\r\n` : ''}`,
        };
      },
    });
    const took = (performance.now() - began) / 1000;
    await server.stop();
    const count = (reason: string) =>
      stage.number(`select coalesce(sum(count), 0) from campaign_refusal where reason like '${reason}'`);
    const rows = await stage.number('select count(*) from visit');
    const addresses = await stage.number('select count(distinct ip) from visit');
    const bots = await count('bot');
    const bad = await count('bad%');
    const lost = lines.length - rows - bots - bad;
    console.log(
      `replay: ${lines.length} requests in ${took.toFixed(1)} s: ${rows} visits from ${addresses} addresses, ${bots} bots dropped,` +
        ` ${bad} bad events, ${lost} lost; answers other than 204: ${JSON.stringify(fired.others)}`,
    );
    if (lost !== 0 || bad !== 0) throw new Error(`${lost} visits were lost and ${bad} called bad`);
    return {
      name: 'requests of a real log accounted for (visit or bot)',
      limit: lines.length,
      ours: rows + bots,
      ratio: (rows + bots) / lines.length,
      target: 1,
    };
  } finally {
    await stage.close();
  }
}
