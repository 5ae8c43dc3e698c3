import { defineFeature } from '../../../platform/feature.ts';

export const feature = defineFeature({
  name: 'audience/keywords',
  about: 'Keywords and places in one form each, so that the same search is always the same.',
  tables: [],
  reads: [],
  create: () => ({}),
});
