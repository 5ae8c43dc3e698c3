import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Told } from '../agreements/index.ts';
import type { FactsReader, SetupParts } from './facts.service.ts';
import { missingOfProfile, type SetupPart } from './person.policy.ts';

type Document = Parameters<SetupParts['agreements']['versionOf']>[0];
type Step = Parameters<SetupParts['billing']['accounts']['sandboxAccount']>[1];

/** The setup steps that a person takes: finishing the profile, a card, an account, an agreement. */
export function createSetupChanges(
  { db }: Platform,
  { users, audit, billing, agreements, onboardingCharge }: SetupParts,
  facts: FactsReader,
) {
  const ownerOf = (ctx: Ctx) => {
    const { rootId, agencyId, companyId } = ctx.actor;
    return { root_id: rootId, agency_id: agencyId, company_id: companyId };
  };

  const billedOf = (ctx: Ctx) => {
    const owner = ownerOf(ctx);
    if (!owner.agency_id) throw new Refusal('forbidden', ownMessages.forbidden);
    return { ...owner, agency_id: owner.agency_id };
  };

  return {
    /**
     * Finishes the actor's own profile. Returns what the setup is still waiting for.
     * @throws Refusal 422 naming the missing profile fields, 404 for another person
     */
    async complete(ctx: Ctx, userId: string | undefined): Promise<SetupPart[]> {
      const { actor } = ctx;
      if (userId && userId !== actor.userId) throw new Refusal('not_found', ownMessages.notFound);
      return inScope(db.app, { rootId: actor.rootId }, async (tx) => {
        const { person, company } = await facts.within(tx, actor.userId);
        const missing = missingOfProfile(person, company);
        if (missing.length > 0) {
          throw new Refusal('invalid', `${missing[0]}: is required to complete the profile`, {
            errors: Object.fromEntries(missing.map((field) => [field, ['is required']])),
          });
        }
        if (await users.finishProfile(tx, actor.userId)) {
          await audit.record(tx, ctx, {
            action: 'profile.completed',
            objectKind: 'user',
            objectId: actor.userId,
            description: `${person.name} completed their profile`,
          });
        }
        const owner = ownerOf(ctx);
        if (actor.kind === 'agency' && owner.agency_id)
          await onboardingCharge.note(tx, { ...owner, agency_id: owner.agency_id }, ctx.clock.now());
        return facts.missingOf(await facts.within(tx, actor.userId));
      });
    },

    /**
     * Puts a test card on file for the actor's own company.
     * @throws Refusal 403 for replacing a card without confirmation, 409 if a provider is configured
     */
    async sandboxCard(ctx: Ctx, outcome: 'works' | 'declines') {
      const owner = billedOf(ctx);
      await billing.accounts.confirmReplacing(ctx, owner);
      const card = await billing.accounts.sandboxCard(owner, outcome);
      await inScope(db.app, ctx.scope, (tx) =>
        audit.record(tx, ctx, {
          action: 'card.saved',
          objectKind: 'card',
          objectId: card.id,
          description: `Added the sandbox card ending in ${card.last4}`,
        }),
      );
      return card;
    },

    /**
     * Moves the actor's agency's sandbox account one step forward.
     * @throws Refusal 409 if a provider is configured
     */
    async sandboxAccount(ctx: Ctx, step: Step) {
      const owner = billedOf(ctx);
      // Only owners can disconnect an account in use right away; anyone else's request goes through the waiting period.
      if (step === 'reset' && ctx.actor.grade === 'agency.administrator')
        throw new Refusal(
          'forbidden',
          'Only an owner can reset the account immediately. Disconnect it instead.',
        );
      const state = await billing.accounts.sandboxAccount(owner, step);
      await inScope(db.app, ctx.scope, (tx) =>
        audit.record(tx, ctx, {
          action: 'account.changed',
          objectKind: 'company',
          objectId: owner.company_id,
          description: `Set the sandbox account to '${state.status || 'none'}'`,
        }),
      );
      return state.status;
    },

    /**
     * Accepts a document for the actor's own company.
     * @throws Refusal 422 for a document that does not apply to such a company, or that costs something, 409 if it has
     * changed since the person read it
     */
    agree: (ctx: Ctx, document: Document, told: Told): Promise<string> =>
      agreements.agree(ctx, document, told),

    /** Returns whether the actor's own company has accepted the current version. */
    agreement: (ctx: Ctx, document: Document) => agreements.status(ctx, document),
  };
}
