import { randomInt } from 'node:crypto';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { dollarsOf, microsOf } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import * as store from './store.ts';

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const MONTH_MS = 30 * 86_400_000;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};
export const newZoneKey = (): string =>
  Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** What a site pastes where the ad of a zone appears. */
export const zoneTag = (origin: string, key: string): string =>
  `<script async src="${origin}/a/v1/tag.js" data-zone="${key}"></script>`;

/** The zones of house ads: where an agency's or a client's sites show them. */
export function createZones({ db, clock }: Platform, { audit, tenants }: { audit: Audit; tenants: Tenants }) {
  const shown = (ctx: Ctx, row: Awaited<ReturnType<typeof all>>[number]) => ({
    id: row.id,
    company_id: row.company_id,
    company_name: row.company_name,
    name: row.name,
    hosts: row.hosts,
    size: `${row.width}x${row.height}` as AdSize,
    cpm: dollarsOf(row.cpm_micros),
    tag: zoneTag(ctx.origin, row.key),
    impressions_30d: row.impressions,
    created_at: row.created_at.toISOString(),
  });
  async function all(tx: Tx, id?: string) {
    const rows = await store.zonesOf(tx, id);
    const counts = await store.shownIn(
      tx,
      rows.map((row) => row.id),
      new Date(clock.now().getTime() - MONTH_MS),
    );
    return rows.map((row) => ({ ...row, impressions: counts.get(row.id) ?? 0 }));
  }
  const one = async (tx: Tx, id: string) => (await all(tx, id))[0] ?? missing();

  return {
    list: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => (await all(tx)).map((row) => shown(ctx, row))),

    /** Creates a zone of an agency or a client. @throws Refusal 403, 404, 422 */
    create: (
      ctx: Ctx,
      given: { company_id?: string | undefined; name: string; hosts: string[]; size: AdSize; cpm: string },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const company = await tenants.company(tx, given.company_id ?? ctx.actor.companyId);
        if (!company?.agency_id) return missing();
        // What an agency's sites ask for its own ads is the agency's to say.
        if (ctx.actor.kind === 'client' && microsOf(given.cpm) > 0n)
          throw new Refusal('forbidden', 'cpm: the price is set by your agency.', {
            errors: { cpm: ['is set by the agency'] },
          });
        await boundedBy(tx, 'zones', company.id, 'name');
        const at = clock.now();
        const id = newId(at);
        const [width, height] = given.size.split('x').map(Number) as [number, number];
        const owner = { root_id: company.root_id, agency_id: company.agency_id, company_id: company.id };
        await store.insertZone(tx, {
          id,
          ...owner,
          key: newZoneKey(),
          name: given.name,
          hosts: given.hosts,
          width,
          height,
          cpm_micros: microsOf(given.cpm),
          created_at: at,
          updated_at: at,
        });
        await audit.record(tx, ctx, {
          action: 'zone.create',
          objectKind: 'ad_zone',
          objectId: id,
          description: `Created the ad zone ${given.name} (${given.size}) on ${given.hosts.join(', ')}`,
          owner,
        });
        return shown(ctx, await one(tx, id));
      }),

    /** @throws Refusal 403, 404 */
    update: (
      ctx: Ctx,
      {
        id,
        cpm,
        ...given
      }: { id: string; name?: string | undefined; hosts?: string[] | undefined; cpm?: string | undefined },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id);
        if (cpm !== undefined && !ctx.may('campaign.price'))
          throw refusalOf('cpm', 'is set by the agency', 'forbidden');
        const set = Object.fromEntries(
          Object.entries({ ...given, cpm_micros: cpm === undefined ? undefined : microsOf(cpm) }).filter(
            ([, value]) => value !== undefined,
          ),
        );
        await store.updateZone(tx, id, { ...set, updated_at: clock.now() });
        await audit.record(tx, ctx, {
          action: 'zone.update',
          objectKind: 'ad_zone',
          objectId: id,
          description: `Changed the ad zone ${given.name ?? row.name}`,
          owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
        });
        return shown(ctx, await one(tx, id));
      }),

    /** @throws Refusal 404 */
    remove: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = await one(tx, id);
        await store.updateZone(tx, id, { state: 'removed', updated_at: clock.now() });
        await audit.record(tx, ctx, {
          action: 'zone.remove',
          objectKind: 'ad_zone',
          objectId: id,
          description: `Removed the ad zone ${row.name}`,
          owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
        });
      }),
    insert: store.insertZone,
  };
}
