import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { KeywordThemes } from './themes.service.ts';

/** The calls of the feature. */
export function keywordThemesRoutes(themes: KeywordThemes): Handlers<typeof contract.keywordThemes> {
  return {
    list: async (ctx) => ({ data: await themes.list(ctx) }),
    async allow(ctx, given) {
      const id = await themes.allow(ctx, given);
      return { result: 'success', message: 'The theme is allowed.', id };
    },
    async revoke(ctx, { id }) {
      await themes.revoke(ctx, id);
      return { result: 'success', message: 'The theme is blocked again.' };
    },
  };
}
