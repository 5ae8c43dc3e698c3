import { settingMenu } from '../../../../contract/accounts/permissions.ts';
import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Setup } from './service.ts';

const done = (message: string) => ({ result: 'success' as const, message });

/** The endpoints of the feature. */
export function setupRoutes(setup: Setup): Handlers<typeof contract.setup> {
  return {
    user: (ctx) => setup.user(ctx),
    retrieveUserData: (ctx) => setup.userAndCheck(ctx),
    userById: (ctx, input) => setup.user(ctx, input.id),
    getUserData: (ctx, input) => setup.user(ctx, input.usrID),
    check: (ctx, input) => setup.check(ctx, input.id),
    onboarding: (ctx, input) => setup.onboarding(ctx, input.id),
    async complete(ctx, input) {
      const missing = await setup.complete(ctx, input.usrID);
      return { ...done(ownMessages.setupDone), setupcomplete: missing.length === 0 ? 'T' : 'F', missing };
    },
    async sandboxCard(ctx, input) {
      return { ...done(ownMessages.sandboxCardSaved), card: await setup.sandboxCard(ctx, input.outcome) };
    },
    async sandboxAccount(ctx, input) {
      return { ...done(ownMessages.sandboxAccount), status_acc: await setup.sandboxAccount(ctx, input.step) };
    },
    async agree(ctx, input) {
      const version = await setup.agree(ctx, input.document_type);
      return { ...done(ownMessages.agreed), status: 'T', version };
    },
    async agreement(ctx, input) {
      const { accepted, version } = await setup.agreement(ctx, input.document_type);
      return { status: accepted ? 'T' : 'F', version };
    },
  };
}

/** The endpoints for roles. */
export function rolesRoutes({ roles }: Setup): Handlers<typeof contract.roles> {
  return {
    async list(ctx, { companyID, getType, roleID, usrID }) {
      const names = getType === 'getrole' ? await roles.list(ctx, companyID) : [];
      const rows =
        getType === 'getrolemodule' ? await roles.rows(ctx, { companyID, roleID, usrID }) : ctx.actor.modules;
      const may = settingMenu(rows);
      const flag = (value: boolean) => (value ? 'T' : 'F') as 'T' | 'F';
      return {
        roles: names.map(({ id, name, people, created_at }) => ({
          id,
          role_name: name,
          people,
          created_at: created_at.toISOString(),
        })),
        user_type: rows ? 'R' : 'F',
        data: rows ?? [],
        settingMenuShow_update: flag(may.settingMenuShow_update),
        settingMenuShow_create: flag(may.settingMenuShow_create),
        settingMenuShow_delete: flag(may.settingMenuShow_delete),
      };
    },
    async add(ctx, input) {
      const id = await roles.add(ctx, input.companyID, input.roleName, input.roleModule);
      return { ...done(ownMessages.roleAdded), roleID: id };
    },
    async update(ctx, input) {
      await roles.update(ctx, input.roleID, input.roleName, input.roleModule);
      return done(ownMessages.roleUpdated);
    },
    async remove(ctx, input) {
      await roles.remove(ctx, input.roleID);
      return done(ownMessages.roleRemoved);
    },
    async assign(ctx, input) {
      await roles.assign(ctx, input.usrID, input.roleID);
      return done(ownMessages.roleGiven);
    },
  };
}
