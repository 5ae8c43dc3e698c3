import { app, NOBODY, type Samples, type Target } from '../../../test/samples.ts';

/** Makes the client have accepted its agreement. */
const agreed = ({ client, personId }: Target): Promise<void> =>
  app.make.accept(client, personId, 'default_client');

export const samples: Samples = {
  'GET /api/general/document/:name': {
    named: false,
    request: () => ({ url: '/api/general/document/privacy-policy' }),
  },
  'GET /api/configuration/agreement/:company_id/file': {
    permission: 'document.read',
    named: true,
    request: async (t) => {
      await agreed(t);
      return { url: `/api/configuration/agreement/${t.client.id}/file` };
    },
  },
  'GET /api/general/document/:name/file': {
    permission: 'document.read',
    named: false,
    request: () => ({ url: '/api/general/document/default_agency/file' }),
  },
  'POST /api/general/marketing-services-agreement-feature': {
    named: false,
    request: (_, who) => ({
      url: '/api/general/marketing-services-agreement-feature',
      body: {
        feature_id: 1,
        user_id: who?.userId ?? NOBODY,
        company_id: who?.companyId ?? NOBODY,
        is_marketing_services_agreement_feature: 'T',
      },
    }),
    // Clients have no feature in trial.
    passes: [422],
  },
  'GET /api/general/marketing-services-agreement-feature': {
    named: false,
    request: (_, who) => ({
      url: `/api/general/marketing-services-agreement-feature?feature_id=1&user_id=${who?.userId ?? NOBODY}`,
    }),
  },
  'GET /api/general/marketing-services-agreement/:company_id': {
    named: false,
    request: (_, who) => ({ url: `/api/general/marketing-services-agreement/${who?.companyId ?? NOBODY}` }),
  },
  'POST /api/general/marketing-services-agreement': {
    named: false,
    request: (_, who) => ({
      url: '/api/general/marketing-services-agreement',
      body: {
        user_id: who?.userId ?? NOBODY,
        company_id: who?.companyId ?? NOBODY,
        is_marketing_services_agreement_developer: 'T',
        // The developer document costs money and is for owners: server/features/developer/api/developer.test.ts.
        document_type: 'minimum_spend',
      },
    }),
    passes: [422],
  },
};
