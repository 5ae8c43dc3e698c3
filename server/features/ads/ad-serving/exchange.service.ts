import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { newToken } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Bidder } from './bidder.service.ts';
import * as store from './store.ts';

const MOST_EXCHANGES = 50;

/** Where an exchange posts its bid requests. */
export const bidEndpoint = (origin: string, key: string): string => `${origin}/a/v1/rtb/bid/${key}`;

/** The exchanges that may ask the bidder for bids: each has a key, of which only a hash is kept. */
export function createExchanges(
  { db, clock }: Platform,
  { audit, tenants, bidder }: { audit: Audit; tenants: Tenants; bidder: Bidder },
) {
  const shown = ({ id, name, created_at }: { id: string; name: string; created_at: Date }) => ({
    id,
    name,
    created_at: created_at.toISOString(),
  });
  return {
    list: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => (await store.exchangesOf(tx, ctx.actor.companyId)).map(shown)),

    /** Creates an exchange. The endpoint contains its key and is told only now. @throws Refusal 409 */
    create: (ctx: Ctx, { name }: { name: string }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const root = await tenants.company(tx, ctx.actor.companyId);
        if (!root) throw new Refusal('not_found', ownMessages.notFound);
        if ((await store.exchangesOf(tx, root.id)).length >= MOST_EXCHANGES)
          throw new Refusal('conflict', `There can be up to ${MOST_EXCHANGES} exchanges.`);
        const at = clock.now();
        const { token, hash } = newToken();
        const owner = { root_id: root.id, agency_id: null, company_id: root.id };
        const row = { id: newId(at), name, created_at: at };
        await store.insertExchange(tx, { ...row, ...owner, key_hash: hash, updated_at: at });
        await audit.record(tx, ctx, {
          action: 'exchange.create',
          objectKind: 'ad_exchange',
          objectId: row.id,
          description: `Created the exchange ${name}, which may ask for bids`,
          owner,
        });
        return { ...shown(row), endpoint: bidEndpoint(ctx.origin, token) };
      }),

    /** @throws Refusal 404 */
    async remove(ctx: Ctx, id: string): Promise<void> {
      await inScope(db.app, ctx.scope, async (tx) => {
        const rootId = ctx.actor.companyId;
        const name = await store.removeExchange(tx, { rootId, id, at: clock.now() });
        if (name === undefined) throw new Refusal('not_found', ownMessages.notFound);
        await audit.record(tx, ctx, {
          action: 'exchange.remove',
          objectKind: 'ad_exchange',
          objectId: id,
          description: `Removed the exchange ${name}`,
          owner: { root_id: rootId, agency_id: null, company_id: rootId },
        });
      });
      bidder.forget();
    },
    insert: store.insertExchange,
  };
}
