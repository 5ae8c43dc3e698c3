import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { profileRoutes } from './profile.routes.ts';
import { rolesRoutes, setupRoutes } from './routes.ts';
import { createSetup, type Setup } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/setup',
  about: 'Setting up an account: profile, questionnaire, roles, and what is still missing.',
  tables: [],
  reads: [],
  create: (platform, below: Parameters<typeof createSetup>[1]) => ({ setup: createSetup(platform, below) }),
  http({ setup }: { setup: Setup }) {
    const { handlers, plain } = profileRoutes(setup);
    return {
      calls: [
        serve(contract.setup, setupRoutes(setup)),
        serve(contract.profile, handlers),
        serve(contract.roles, rolesRoutes(setup)),
      ],
      plain,
    };
  },
  exports,
});
