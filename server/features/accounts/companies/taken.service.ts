import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { AskFirst, inScope } from '../../../platform/db/scope.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../audit/index.ts';

/** How often a user may learn that an email address has an account, in any company. */
const TAKEN: LimitRule = { name: 'address.taken', max: 20, base: 3600, cap: 3600, window: 3600 };

/** How many new addresses a user may enter for others: each of them may get an email. */
const ENTERED: LimitRule = { name: 'address.entered', max: 300, base: 3600, cap: 3600, window: 3600 };
/** How often a user may send invitations again; one call may send a hundred. */
export const INVITED_AGAIN: LimitRule = {
  name: 'invite.again',
  max: 60,
  base: 3600,
  cap: 3600,
  window: 3600,
};

const isTaken = (error: unknown): boolean =>
  error instanceof Refusal && (error.errors.email ?? []).includes(ownMessages.emailTaken);

/** Limits and logs what users learn by entering the email addresses of strangers. */
export function createTaken({ db }: Platform, { audit, limits }: { audit: Audit; limits: Limits }) {
  /**
   * Runs a change whose transaction calls `ask` before it deals with an address that is new to the account. Counted
   * before the answer is known: a user who is paused learns nothing. Only addresses that are taken stay counted.
   * @throws Refusal 429
   */
  return async <T>(ctx: Ctx, work: (ask: () => void) => Promise<T>): Promise<T> => {
    const { actor } = ctx;
    const subject = actor.trueActor?.userId ?? actor.userId;
    let isCounted = false;
    const ask = (): void => {
      if (isCounted) return;
      throw new AskFirst('address', async () => {
        await limits.take(ENTERED, subject);
        await limits.take(TAKEN, subject);
        isCounted = true;
      });
    };
    const giveBack = async () => {
      if (isCounted) await limits.giveBack(TAKEN, subject);
    };
    try {
      const done = await work(ask);
      await giveBack();
      return done;
    } catch (error) {
      if (!isTaken(error)) await giveBack();
      else
        await inScope(db.app, ctx.scope, (tx) =>
          audit.record(tx, ctx, {
            action: 'account.taken',
            objectKind: 'user',
            objectId: subject,
            description: 'Entered an email address that another account uses',
          }),
        );
      throw error;
    }
  };
}
