import { OWNER_ROLE } from '../../../../contract/accounts/staff.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { configMessages } from '../../../../contract/messages-config.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Limits } from '../../../platform/limits.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';
import type { Auth } from '../auth/index.ts';
import { type ModuleRight, readPhone, type Users } from '../users/index.ts';
import { confirmation } from './confirm.service.ts';
import { refuse, translate } from './policy.ts';
import * as policy from './staff.policy.ts';
import * as store from './staff.store.ts';
import { createTaken, INVITED_AGAIN } from './taken.service.ts';

export type { StaffRow } from './staff.store.ts';

/** The input for a user; undefined values stay unchanged, or get the defaults of new users. */
export interface StaffGiven {
  type: 'administrator' | 'sales';
  name: string | undefined;
  email: string | undefined;
  phone: { number: string; country: string; calling: string } | undefined;
  /** 'owner', the id of a role, '' for all that administrators may. */
  role: string | undefined;
  flags: Partial<Record<Flag, boolean>>;
  permissions: { name: string; active: boolean }[] | undefined;
  /** The current second factor: users can set only their own. */
  factor?: '' | 'email' | 'google' | undefined;
}
type Flag =
  | 'is_default_admin'
  | 'customer_care'
  | 'gets_notices'
  | 'mail_off'
  | 'campaigns_closed'
  | 'permission_active'
  | 'is_account_executive';

/** The flags in words, for the user log. */
export const FLAG_WORDS: Record<Flag, string> = {
  is_default_admin: 'default administrator',
  customer_care: 'customer care',
  gets_notices: 'notifications',
  mail_off: 'email turned off',
  campaigns_closed: 'adding campaigns disabled',
  permission_active: 'custom permissions',
  is_account_executive: 'account executive',
};

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

export type Staff = ReturnType<typeof createStaff>;

/** The people of a company: its owners and administrators, and a root's or agency's salespeople (spec product 2, 3, 6). */
export function createStaff(
  platform: Platform,
  { users, audit, auth, limits }: { users: Users; audit: Audit; auth: Auth; limits: Limits },
) {
  const { db, clock } = platform;
  const taken = createTaken(platform, { audit, limits });
  const { invites } = auth;

  const by = (ctx: Ctx): policy.Changer => ({
    userId: ctx.actor.userId,
    isOwner: ctx.actor.grade.endsWith('.owner'),
    modules: ctx.actor.modules,
  });
  /** @throws Refusal 404 for another company, and for salespeople of a client, which has none */
  function own(ctx: Ctx, companyId: string, type?: StaffGiven['type']): void {
    if (companyId !== ctx.actor.companyId || (type === 'sales' && ctx.actor.kind === 'client')) missing();
  }
  const found = async (tx: Tx, ctx: Ctx, id: string) =>
    (await store.person(tx, ctx.actor.companyId, id)) ?? missing();
  const typeOf = (row: store.StaffRow): StaffGiven['type'] =>
    row.role === 'sales' ? 'sales' : 'administrator';

  const phoneOf = (given: NonNullable<StaffGiven['phone']>) => {
    const phone = readPhone(given.number, given.country, given.calling);
    if (!phone) throw refuse('phone', messages.phoneInvalid);
    return phone;
  };

  /**
   * The role named by `given`, with what it allows.
   * @throws Refusal 422 for a role of another company, 403 for a broader one
   */
  async function roleOf(tx: Tx, ctx: Ctx, given: string | undefined, type: StaffGiven['type']) {
    if (type === 'sales') {
      if (given) throw refuse('role', 'is only for administrators');
      policy.mustGive(by(ctx), 'sales', null);
      return { role: 'sales' as const, id: null, name: 'sales' };
    }
    if (given === OWNER_ROLE) {
      policy.mustGive(by(ctx), 'owner', null);
      return { role: 'owner' as const, id: null, name: 'owner' };
    }
    const role = given ? await users.roles.byId(tx, given) : null;
    if (given && role?.company_id !== ctx.actor.companyId)
      throw refuse('role', 'is not a role of your company');
    const rights: ModuleRight[] | null = role ? await users.roles.rights(tx, role.id) : null;
    policy.mustGive(by(ctx), 'administrator', rights);
    return { role: 'administrator' as const, id: role?.id ?? null, name: role?.name ?? 'all permissions' };
  }

  /**
   * The flags that a user with this role can have.
   * @throws Refusal 422 naming the field
   */
  function fitting(role: store.StaffRow['role'], flags: StaffGiven['flags']): void {
    if (flags.is_default_admin && role === 'sales')
      throw refuse('is_default_admin', 'is only for administrators');
    if (flags.campaigns_closed && role !== 'administrator')
      throw refuse('campaigns_closed', 'is only for administrators');
    if (flags.is_account_executive && role !== 'sales')
      throw refuse('is_account_executive', 'is for salespeople only');
  }

  /**
   * Whether a user's personal permissions change.
   * @throws Refusal 403 for one's own, and for those that the actor cannot give
   */
  async function personal(
    tx: Tx,
    ctx: Ctx,
    who: store.StaffRow | null,
    { flags, permissions }: StaffGiven,
  ): Promise<boolean> {
    const had = who ? policy.activeOf(who) : [];
    const gets = policy.activeOf({
      permission_active: flags.permission_active ?? who?.permission_active ?? true,
      permissions: permissions ?? who?.permissions ?? [],
    });
    if (had.join() === gets.join()) return false;
    const held = policy.activeOf(await found(tx, ctx, ctx.actor.userId));
    policy.mustGivePersonal(by(ctx), held, { id: who?.id ?? null, had, gets });
    return true;
  }

  const record = (tx: Tx, ctx: Ctx, action: string, who: store.StaffRow, description: string) =>
    audit.record(tx, ctx, {
      action,
      objectKind: 'user',
      objectId: who.id,
      description,
      owner: { root_id: who.root_id, agency_id: who.agency_id, company_id: who.company_id },
    });

  /**
   * Makes a change to the users of the actor's own company, one change at a time, reporting failures under the names of
   * these calls.
   */
  function change<T>(ctx: Ctx, work: (tx: Tx, ask: () => void) => Promise<T>): Promise<T> {
    return taken(ctx, async (ask) => {
      try {
        return await inScope(db.app, ctx.scope, async (tx) => {
          await store.lockStaff(tx, ctx.actor.companyId);
          return work(tx, ask);
        });
      } catch (error) {
        throw translate(error, ownMessages.emailTaken);
      }
    });
  }

  /** The sender and host of invitations: those of the host where they are triggered. */
  const senderOf = (ctx: Ctx) => invites.sender(ctx, ctx.tenant.companyId);
  const invite = (tx: Tx, ctx: Ctx, sender: Awaited<ReturnType<typeof senderOf>>, who: store.StaffRow) =>
    invites.invite(tx, ctx, sender, who, ctx.tenant.host);

  return {
    /** Whether an id belongs to a user of the actor's own company, including removed ones. */
    isOwn: (ctx: Ctx, id: string): Promise<boolean> =>
      inScope(
        db.app,
        ctx.scope,
        async (tx) => (await users.byId(tx, id))?.company_id === ctx.actor.companyId,
      ),

    /**
     * A page of the users of the actor's own company.
     * @throws Refusal 403, 404
     */
    async list(ctx: Ctx, companyId: string, asked: store.StaffWanted & { page: number; per_page: number }) {
      ctx.need('person.read');
      own(ctx, companyId, asked.type);
      const range = { limit: asked.per_page, offset: (asked.page - 1) * asked.per_page };
      const { rows, total } = await inScope(db.app, ctx.scope, (tx) =>
        store.people(tx, companyId, asked, range),
      );
      return page(rows, total, asked);
    },

    /**
     * Adds a user to the actor's own company and invites them by email. The other owners are told of a new one.
     * @throws Refusal 403 for a role that allows more than the actor's own, and if the actor has not just confirmed who
     * they are, 404, 422 naming the field
     */
    async create(
      ctx: Ctx,
      companyId: string,
      given: StaffGiven & { name: string; email: string; phone: NonNullable<StaffGiven['phone']> },
    ) {
      own(ctx, companyId, given.type);
      policy.keepsFactor(given.factor, null);
      await ctx.mustBeConfirmed('access');
      const sender = await senderOf(ctx);
      return change(ctx, async (tx, ask) => {
        const role = await roleOf(tx, ctx, given.role, given.type);
        fitting(role.role, given.flags);
        await personal(tx, ctx, null, given);
        const { rootId: root_id, agencyId: agency_id } = ctx.actor;
        await boundedBy(tx, 'people', companyId, 'email');
        ask();
        const id = await users.create(tx, {
          company: { id: companyId, root_id, agency_id },
          role: role.role,
          email: given.email,
          name: given.name,
          phone: phoneOf(given.phone),
          ...(role.id ? { roleId: role.id } : {}),
        });
        if (given.flags.is_default_admin) await users.noDefault(tx, companyId);
        await users.set(tx, id, {
          ...given.flags,
          ...(given.permissions ? { permissions: JSON.stringify(given.permissions) } : {}),
        });
        const who = await found(tx, ctx, id);
        await invite(tx, ctx, sender, who);
        if (who.role === 'owner') await invites.tellOwners(tx, ctx, sender, who);
        await record(
          tx,
          ctx,
          'user.create',
          who,
          `Added ${who.name} (${who.email}), ${role.name}, and invited them`,
        );
        return found(tx, ctx, id);
      });
    },

    /**
     * Changes a user of the actor's own company.
     * @throws Refusal 403 for the actor's own role and rights, for owners if the actor is not one, for users with more rights, and
     * for another role, address, or permissions if the actor has not just confirmed who they are; 404; 409 if `version`
     * is not the newest or the last owner would go; 422 naming the field
     */
    async update(
      ctx: Ctx,
      companyId: string,
      id: string,
      given: StaffGiven & { version: number | undefined },
    ) {
      own(ctx, companyId, given.type);
      const sender = await senderOf(ctx);
      const holder = given.email === undefined ? null : await invites.holderOf(ctx, given.email);
      const confirm = confirmation(ctx);
      const done = await change(ctx, async (tx, ask) => {
        const who = await found(tx, ctx, id);
        if (typeOf(who) !== given.type) missing();
        policy.mustReach(by(ctx), who);
        policy.keepsFactor(given.factor, who.factor);
        if (given.version !== undefined && given.version !== who.version)
          throw new Refusal('conflict', configMessages.personStale);
        const had = who.role === 'owner' ? OWNER_ROLE : (who.role_id ?? '');
        const moves = given.role !== undefined && given.role !== had;
        const words: string[] = [];
        const values: Parameters<typeof users.set>[2] = {};
        let role = who.role;
        if (moves) {
          policy.mustKeep(by(ctx), who, await store.ownersBesides(tx, companyId, id));
          const next = await roleOf(tx, ctx, given.role, given.type);
          confirm();
          role = next.role;
          Object.assign(values, { role, role_id: next.id });
          words.push(`role: ${next.name}`);
        }
        fitting(role, given.flags);
        if (await personal(tx, ctx, who, given)) confirm();
        for (const [name, is] of Object.entries(given.flags) as [Flag, boolean][]) {
          if (who[name] === is) continue;
          if (name === 'campaigns_closed') {
            policy.mustLimitOther(by(ctx), who);
            confirm();
          }
          Object.assign(values, { [name]: is });
          words.push(`${FLAG_WORDS[name]}: ${is ? 'yes' : 'no'}`);
        }
        // An owner has no limits.
        if (role === 'owner' && who.campaigns_closed) values.campaigns_closed = false;
        if (values.is_default_admin) {
          if (who.disabled_at)
            throw refuse('is_default_admin', 'is only for users who have not been removed');
          await users.noDefault(tx, companyId);
        }
        if (given.permissions && JSON.stringify(given.permissions) !== JSON.stringify(who.permissions)) {
          values.permissions = JSON.stringify(given.permissions);
          const on = given.permissions.filter((one) => one.active).map((one) => one.name);
          words.push(`permissions: ${on.join(', ') || 'none'}`);
        }
        if (given.name !== undefined && given.name !== who.name) {
          values.name = given.name;
          words.push(`full name: ${given.name}`);
        }
        if (given.phone) {
          const phone = phoneOf(given.phone);
          if (phone.number !== who.phone || phone.country !== who.phone_country) words.push('phone number');
          Object.assign(values, {
            phone: phone.number,
            phone_country: phone.country,
            phone_calling: phone.calling,
          });
        }
        await users.set(tx, id, values);
        // A limit that is lifted is a right as well.
        if (values.campaigns_closed === false)
          policy.mustGive(by(ctx), role, (await found(tx, ctx, id)).rights, 'campaigns_closed');
        if (given.email !== undefined && given.email !== who.email) {
          if (id === ctx.actor.userId) throw refuse('email', 'can only be changed on your own profile page');
          confirm();
          ask();
          words.push(`email: ${given.email}`);
          if (holder) throw refuse('email', ownMessages.emailTaken);
          const waits = await invites.moveAddress(tx, ctx, sender, who, given.email, ctx.tenant.host);
          // Users who have not signed in yet get the invitation at the new address.
          if (!waits && !who.disabled_at) await invite(tx, ctx, sender, { ...who, email: given.email });
        }
        await record(tx, ctx, 'user.update', who, `Changed ${who.name}: ${words.join(', ') || 'nothing'}`);
        const after = await found(tx, ctx, id);
        if (role === 'owner' && who.role !== 'owner' && !who.disabled_at)
          await invites.tellOwners(tx, ctx, sender, after);
        return after;
      });
      invites.forget(id);
      return done;
    },

    /**
     * Removes a user: their sessions end immediately.
     * @throws Refusal 403, 404, 409 for the last owner
     */
    async remove(ctx: Ctx, companyId: string, id: string): Promise<void> {
      own(ctx, companyId);
      await change(ctx, async (tx) => {
        const who = await found(tx, ctx, id);
        own(ctx, companyId, typeOf(who));
        if (who.disabled_at) missing();
        policy.mustReach(by(ctx), who);
        policy.mustKeep(by(ctx), who, await store.ownersBesides(tx, companyId, id));
        await users.set(tx, id, { disabled_at: clock.now(), is_default_admin: false });
        await invites.shutOut(tx, id);
        await record(tx, ctx, 'user.remove', who, `Removed ${who.name} (${who.email})`);
      });
      invites.forget(id);
    },

    /**
     * Restores a removed user. The other owners are told of one.
     * @throws Refusal 403 if they have more rights than the actor, and if the actor has not just confirmed who they are,
     * 404
     */
    async restore(ctx: Ctx, companyId: string, id: string) {
      own(ctx, companyId);
      await ctx.mustBeConfirmed('access');
      const sender = await senderOf(ctx);
      const done = await change(ctx, async (tx) => {
        const who = await found(tx, ctx, id);
        own(ctx, companyId, typeOf(who));
        if (!who.disabled_at) missing();
        policy.mustReach(by(ctx), who);
        if (who.role_id && !(await users.roles.byId(tx, who.role_id)))
          throw refuse('role', 'has been removed. Choose another role, then restore the user');
        await boundedBy(tx, 'people', companyId, 'id');
        await users.set(tx, id, { disabled_at: null });
        if (who.role === 'owner') await invites.tellOwners(tx, ctx, sender, who);
        await record(tx, ctx, 'user.restore', who, `Restored ${who.name} (${who.email})`);
        return found(tx, ctx, id);
      });
      invites.forget(id);
      return done;
    },

    /**
     * Sends users of the actor's own company another invitation, except those who have already signed in or are
     * removed.
     * @throws Refusal 404 if one of them is not in the actor's own company, 429; then none are sent
     */
    async resend(ctx: Ctx, companyId: string, ids: readonly string[]) {
      own(ctx, companyId);
      const sender = await senderOf(ctx);
      await limits.take(INVITED_AGAIN, ctx.actor.trueActor?.userId ?? ctx.actor.userId);
      return change(ctx, async (tx) => {
        const counts = { sent: 0, signedIn: 0, removed: 0 };
        const names: string[] = [];
        let last: store.StaffRow | undefined;
        for (const id of new Set(ids)) {
          const who = await found(tx, ctx, id);
          own(ctx, companyId, typeOf(who));
          last = who;
          if (who.disabled_at) counts.removed++;
          else if (who.has_password) counts.signedIn++;
          else {
            policy.mustReach(by(ctx), who);
            await invite(tx, ctx, sender, who);
            counts.sent++;
            names.push(who.name);
          }
        }
        const words = configMessages.invitationsSent(counts.sent, counts.signedIn, counts.removed);
        await record(
          tx,
          ctx,
          'user.invite',
          last!,
          `Sent invitations: ${words}${names.length > 0 ? ` (${names.join(', ').slice(0, 800)})` : ''}`,
        );
        return { ...counts, words };
      });
    },
  };
}
