import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { EventHub } from '../../../platform/events.ts';
import { locate } from '../../../platform/geo.ts';
import { newId } from '../../../platform/ids.ts';
import { hashOfDetail } from './chain.policy.ts';
import { insertLog, whoIs } from './store.ts';

/** How a change is recorded. `description` is for people and may name them; it is stored erasably. */
export interface AuditEntry {
  action: string;
  objectKind: string;
  objectId: string;
  description: string;
  /** The company it happened to, if not the actor's own. */
  owner?: Owner;
  /** The user being viewed, when the actor does not say so: at the start and end of a view. */
  viewedAs?: { userId: string; name: string; companyName: string };
}

export interface Audit {
  /**
   * Writes the one row of a change, inside the transaction that makes it. In view mode the row's actor is the true one,
   * and the row says as whom they acted (BEY-12); the detail names both, but not the true actor's company, because the
   * row is in the log of the company viewed. The row also says if a program had signed the actor in.
   */
  record(tx: Tx, ctx: Ctx, entry: AuditEntry): Promise<void>;
  /** The same for what the system does on its own (a campaign paused because of an empty balance). */
  recordSystem(tx: Tx, at: Date, owner: Owner, entry: Omit<AuditEntry, 'owner'>): Promise<void>;
  /**
   * The same for what is attempted or done before anyone is signed in, with the address and place it came from.
   * `userId`: the user who has been verified; null while no one has. Returns the row's id.
   */
  recordEntry(
    tx: Tx,
    ctx: Ctx,
    owner: Owner,
    userId: string | null,
    entry: Omit<AuditEntry, 'owner' | 'viewedAs'>,
  ): Promise<string>;
}

/** The user log: append-only rows of ids, with personal data stored beside them (spec product 3, User log row). */
export function createAudit(events: EventHub): Audit {
  async function write(
    tx: Tx,
    at: Date,
    owner: Owner,
    entry: AuditEntry,
    who: {
      actorId: string | null;
      viewedAsId: string | null;
      via: 'sso' | null;
      requestId: string | null;
      name: string;
      typeUser: string;
      ip: string | null;
      companyName: string;
    },
  ): Promise<string> {
    const id = newId(at);
    const detail = {
      name: who.name,
      type_user: who.typeUser,
      user_ip: who.ip,
      location: locate(who.ip),
      description: entry.description.slice(0, 2000).toWellFormed(), // as it will be stored: its hash must fit
      company_name: who.companyName,
    };
    await insertLog(
      tx,
      {
        id,
        ...owner,
        actor_id: who.actorId,
        viewed_as_id: who.viewedAsId,
        via: who.via,
        action: entry.action,
        object_kind: entry.objectKind,
        object_id: entry.objectId,
        request_id: who.requestId,
        detail_hash: hashOfDetail(detail),
        created_at: at,
      },
      detail,
    );
    const { action, objectId } = entry;
    await events.emit(tx, 'log.written', { action, objectId, owner, at });
    return id;
  }
  return {
    async record(tx, ctx, entry) {
      const { actor } = ctx;
      const own: Owner = { root_id: actor.rootId, agency_id: actor.agencyId, company_id: actor.companyId };
      const who = await whoIs(tx, actor.userId);
      const self = { userId: actor.userId, name: who?.name ?? '', companyName: who?.company_name ?? '' };
      const acts = actor.trueActor ?? { ...self, grade: actor.grade };
      const viewed = entry.viewedAs ?? (actor.trueActor ? self : null);
      const via = actor.via ?? null;
      await write(tx, ctx.clock.now(), entry.owner ?? own, entry, {
        actorId: acts.userId,
        viewedAsId: viewed?.userId ?? null,
        via,
        requestId: ctx.requestId,
        name: `${acts.name}${viewed ? ` as ${viewed.name}` : ''}${via ? ' by single sign-on' : ''}`,
        typeUser: acts.grade,
        ip: ctx.ip || null, // A job that works for someone has no address.
        companyName: (viewed ?? self).companyName,
      });
      ctx.note(tx, entry);
    },
    async recordSystem(tx, at, owner, entry) {
      await write(tx, at, owner, entry, {
        actorId: null,
        viewedAsId: null,
        via: null,
        requestId: null,
        name: 'System',
        typeUser: 'system',
        ip: null,
        companyName: '',
      });
    },
    async recordEntry(tx, ctx, owner, userId, entry) {
      const who = userId ? await whoIs(tx, userId) : undefined;
      return write(tx, ctx.clock.now(), owner, entry, {
        actorId: userId,
        viewedAsId: null,
        via: null,
        requestId: ctx.requestId,
        name: who?.name ?? '',
        typeUser: who ? `${who.kind}.${who.role}` : '',
        ip: ctx.ip || null, // A job that works for someone has no address.
        companyName: who?.company_name ?? '',
      });
    },
  };
}
