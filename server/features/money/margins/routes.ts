import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Margins } from './service.ts';

/** The routes of the feature. */
export function marginsRoutes(margins: Margins): Handlers<typeof contract.margins> {
  return {
    margins: (ctx) => margins.view(ctx),
    setMarginRule: async (ctx, { rule }) => ({
      result: 'success',
      message: messages.updated,
      data: await margins.choose(ctx, rule),
    }),
  };
}
