import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { privacyPlain, privacyRoutes } from './routes.ts';
import { createPrivacy, type Privacy } from './service.ts';

export const feature = defineFeature({
  name: 'audience/privacy',
  about: 'The privacy desk: what people ask about their own data, its deadlines, and its fulfillment.',
  tables: ['privacy_certificate', 'privacy_event', 'privacy_request', 'privacy_warning'],
  reads: ['company', 'user_account'],
  create: (platform, below: Parameters<typeof createPrivacy>[1]) => ({
    privacy: createPrivacy(platform, below),
  }),
  http: ({ privacy }: { privacy: Privacy }) => ({
    calls: [serve(contract.privacy, privacyRoutes(privacy))],
    plain: privacyPlain(privacy),
  }),
  work: async ({ privacy }: { privacy: Privacy }) => void (await privacy.start()),
  exports,
});
