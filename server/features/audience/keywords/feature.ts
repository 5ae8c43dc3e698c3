import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { keywordThemesRoutes } from './routes.ts';
import { createKeywordThemes, type KeywordThemes } from './themes.service.ts';

export const feature = defineFeature({
  name: 'audience/keywords',
  about: 'Keywords and places in one form each, so that the same search is always the same; blocked themes.',
  tables: ['keyword_allowance'],
  reads: ['company', 'user_account'],
  create: (platform, below: Parameters<typeof createKeywordThemes>[1]) => ({
    keywordThemes: createKeywordThemes(platform, below),
  }),
  http: ({ keywordThemes }: { keywordThemes: KeywordThemes }) => ({
    calls: [serve(contract.keywordThemes, keywordThemesRoutes(keywordThemes))],
  }),
  exports,
});
