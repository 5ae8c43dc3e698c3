import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { viewsRoutes } from './routes.ts';
import { createViews, type Views } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/views',
  about: 'How users look at lists: columns, density, and views saved by name.',
  tables: ['list_look', 'list_view'],
  reads: ['user_account'],
  create: (platform, below: Parameters<typeof createViews>[1]) => ({ views: createViews(platform, below) }),
  http: ({ views }: { views: Views }) => ({ calls: [serve(contract.views, viewsRoutes(views))] }),
});
