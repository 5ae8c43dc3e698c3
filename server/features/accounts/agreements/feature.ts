import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
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
  about: 'Legal documents and agreements: their texts, who accepted which version, and their signed files.',
  tables: [
    'agreement_acceptance',
    'agreement_file',
    'agreement_key',
    'agreement_notice',
    'agreement_version',
    'signed_paper',
  ],
  reads: ['company', 'company_billing', 'user_account'],
  create: (platform, below: Parameters<typeof createAgreements>[1]) => ({
    agreements: createAgreements(platform, below),
  }),
  http({ agreements, minimumSpend, developer }: { agreements: Agreements } & Above) {
    const { handlers, versions, plain } = documentsRoutes(agreements);
    return {
      calls: [
        serve(contract.documents, handlers),
        serve(contract.agreements, marketingRoutes(agreements, minimumSpend.askedOf, developer.accept)),
        serve(contract.agreementText, versions),
      ],
      plain,
    };
  },
  work: async ({ agreements }: { agreements: Agreements }) => void (await agreements.news.start()),
  exports,
});
