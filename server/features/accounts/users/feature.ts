import { defineFeature } from '../../../platform/feature.ts';
import { createUsers } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/users',
  about: 'The users of a company: profile, password, role, and what they may do.',
  tables: ['questionnaire', 'role', 'role_module', 'user_account'],
  reads: ['company'],
  create: (platform) => ({ users: createUsers(platform) }),
});
