import { READ_TO_END } from '../../../../contract/accounts/agreement-text.ts';
import { settingMenu } from '../../../../contract/accounts/permissions.ts';
import { ProfileForm } from '../../../../contract/accounts/profile.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { onWire } from '../../../platform/http/wire.ts';
import type { Setup } from './service.ts';

const done = (message: string) => ({ result: 'success' as const, message });

/** The endpoints of the feature. */
export function setupRoutes(setup: Setup): Handlers<typeof contract.setup> {
  return {
    user: (ctx) => setup.user(ctx),
    retrieveUserData: (ctx) => setup.userAndCheck(ctx),
    userById: (ctx, input) => setup.user(ctx, input.id),
    getUserData: (ctx, input) => setup.user(ctx, input.user_id),
    check: (ctx, input) => setup.check(ctx, input.id),
    onboarding: (ctx, input) => setup.onboarding(ctx, input.id),
    async complete(ctx, input) {
      // What is missing is refused as in the form that it is entered in.
      const missing = await onWire(ProfileForm, () => setup.complete(ctx, input.user_id));
      return { ...done(ownMessages.setupDone), setup_complete: missing.length === 0 ? 'T' : 'F', missing };
    },
    async sandboxCard(ctx, input) {
      return { ...done(ownMessages.sandboxCardSaved), card: await setup.sandboxCard(ctx, input.outcome) };
    },
    async sandboxAccount(ctx, input) {
      return {
        ...done(ownMessages.sandboxAccount),
        account_status: await setup.sandboxAccount(ctx, input.step),
      };
    },
    async agree(ctx, input) {
      const refuse = (field: string, message: string): never => {
        throw new Refusal('invalid', message, { errors: { [field]: [message] } });
      };
      if (input.agreed === 'F') refuse('agreed', messages.clickAgree);
      if (input.read_to_end === 'F') refuse('read_to_end', READ_TO_END);
      const version = await setup.agree(ctx, input.document_type, {
        textHash: input.text_hash,
        isReadToEnd: true,
        timeZone: input.time_zone,
        location: 'Agreements',
      });
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
    async list(ctx, { company_id, kind, role_id, user_id }) {
      const names = kind === 'getrole' ? await roles.list(ctx, company_id) : [];
      const rows =
        kind === 'getrolemodule'
          ? await roles.rows(ctx, { company_id, role_id, user_id })
          : ctx.actor.modules;
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
        settings_update: flag(may.settings_update),
        settings_create: flag(may.settings_create),
        settings_delete: flag(may.settings_delete),
      };
    },
    async add(ctx, input) {
      const id = await roles.add(ctx, input.company_id, input.role_name, input.modules);
      return { ...done(ownMessages.roleAdded), role_id: id };
    },
    async update(ctx, input) {
      await roles.update(ctx, input.role_id, input.role_name, input.modules);
      return done(ownMessages.roleUpdated);
    },
    async remove(ctx, input) {
      await roles.remove(ctx, input.role_id);
      return done(ownMessages.roleRemoved);
    },
    async assign(ctx, input) {
      await roles.assign(ctx, input.user_id, input.role_id);
      return done(ownMessages.roleGiven);
    },
  };
}
