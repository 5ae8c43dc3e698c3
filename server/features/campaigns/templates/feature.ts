import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { templatesRoutes } from './routes.ts';
import { createTemplates, type Templates } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/templates',
  about: 'Versioned templates of campaigns and of branding, pushed in stages and rolled back.',
  tables: ['template', 'template_push', 'template_target', 'template_version'],
  reads: ['campaign', 'company', 'user_account'],
  create: (platform, below: Parameters<typeof createTemplates>[1]) => ({
    templates: createTemplates(platform, below),
  }),
  http: ({ templates }: { templates: Templates }) => ({
    calls: [serve(contract.templates, templatesRoutes(templates))],
  }),
  work: async ({ templates }: { templates: Templates }) => void (await templates.start()),
  exports,
});
