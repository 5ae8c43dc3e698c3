import type { Ctx } from '../../../platform/ctx.ts';
import { AskFirst } from '../../../platform/db/scope.ts';

/**
 * What to call in the middle of a transaction, once it is known that the change gives someone a way in or more rights:
 * the user must have confirmed who they are. Asked outside the transaction, because code that holds one connection must
 * not wait for another.
 */
export function confirmation(ctx: Ctx): () => void {
  let isConfirmed = false;
  return () => {
    if (isConfirmed) return;
    throw new AskFirst('confirm', async () => {
      await ctx.mustBeConfirmed('access');
      isConfirmed = true;
    });
  };
}
