import type { contract } from '../../../contract/index.ts';
import { ownMessages } from '../../../contract/messages.ts';
import type { Handlers } from '../../platform/http/routes.ts';
import type { Setup } from './service.ts';

const done = (message: string) => ({ result: 'success' as const, message });

/** The calls of the feature. */
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
