import { idTime } from '../../../platform/ids.ts';
import type { Refused, Taken } from './log.ts';

type Event = [
  id: string,
  visitorId: string | null,
  hashKind: 1 | 2 | 3 | null,
  hash: string | null,
  url: string | null,
  referrer: string | null,
  title: string | null,
  event: string,
  gpc: 0 | 1,
];
type Counted = [campaignId: string, reason: string, host: string | null, count: number];

/** What one request brought, as it is in the spool: what its visits share is there once. */
interface Record {
  at: number;
  of?: [rootId: string, agencyId: string, companyId: string, campaignId: string, userAgent: string | null];
  ip?: string;
  v?: Event[];
  r?: Counted[];
}

/** Writes what a request brought for the spool. All its visits are of one campaign and one browser. */
export function encodeTaken({ at, visits, refused }: Taken): Buffer {
  const [first] = visits;
  const ip = visits.find((one) => one.ip)?.ip;
  const record: Record = {
    at: at.getTime(),
    ...(first
      ? { of: [first.rootId, first.agencyId, first.companyId, first.campaignId, first.userAgent] }
      : {}),
    ...(ip ? { ip } : {}),
    ...(first
      ? {
          v: visits.map((one) => [
            one.id,
            one.visitorId,
            one.hashKind,
            one.hash?.toString('hex') ?? null,
            one.url,
            one.referrer,
            one.title,
            one.event,
            one.gpc ? 1 : 0,
          ]),
        }
      : {}),
    ...(refused.length > 0
      ? {
          r: refused.map(({ campaignId, reason, host = null, count = 1 }) => [
            campaignId,
            reason,
            host,
            count,
          ]),
        }
      : {}),
  };
  return Buffer.from(JSON.stringify(record));
}

/** Reads what `encodeTaken` has written. */
export function decodeTaken(payload: Buffer): Taken {
  const { at, of, ip, v = [], r = [] } = JSON.parse(payload.toString()) as Record;
  const taken = new Date(at);
  return {
    at: taken,
    visits: of
      ? v.map(([id, visitorId, hashKind, hash, url, referrer, title, event, gpc]) => ({
          id,
          day: new Date(idTime(id)).toISOString().slice(0, 10),
          visitorId,
          hashKind,
          hash: hash === null ? null : Buffer.from(hash, 'hex'),
          url,
          referrer,
          title,
          event,
          gpc: gpc === 1,
          rootId: of[0],
          agencyId: of[1],
          companyId: of[2],
          campaignId: of[3],
          at: taken,
          // Under a privacy signal, the address is not kept.
          ip: gpc === 1 ? null : (ip ?? null),
          userAgent: of[4],
        }))
      : [],
    refused: r.map(([campaignId, reason, host, count]): Refused => ({ campaignId, reason, host, count })),
  };
}
