import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { marketingRoutes } from './marketing.routes.ts';
import { documentsRoutes } from './routes.ts';
import { type Agreements, createAgreements } from './service.ts';

/** What an agreement costs is known to features above. */
interface Above {
  minimumSpend: { askedOf: Parameters<typeof marketingRoutes>[1] };
  developer: { accept: Parameters<typeof marketingRoutes>[2] };
}

export const feature = defineFeature({
  name: 'accounts/agreements',
  about: 'Legal documents and agreements: their texts, who accepted which version, and their files.',
  tables: ['agreement_acceptance'],
  reads: ['company_billing', 'user_account'],
  create: (platform, below: Parameters<typeof createAgreements>[1]) => ({
    agreements: createAgreements(platform, below),
  }),
  http({ agreements, minimumSpend, developer }: { agreements: Agreements } & Above) {
    const { handlers, plain } = documentsRoutes(agreements);
    return {
      calls: [
        serve(contract.documents, handlers),
        serve(contract.agreements, marketingRoutes(agreements, minimumSpend.askedOf, developer.accept)),
      ],
      plain,
    };
  },
});
