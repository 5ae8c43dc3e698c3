import { app, NOBODY, type Principal, type Samples, type Target } from '../../../test/samples.ts';

/** Makes the client have accepted its agreement. */
const agreed = ({ client, personId }: Target): Promise<void> =>
  app.make.accept(client, personId, 'default_client');

/** Makes the signed file of the client's agreement. */
async function fileOf(target: Target): Promise<string> {
  await agreed(target);
  const { client, personId } = target;
  return app.make.agreementFile(client, personId);
}

/** The agreement whose text a caller's company writes. */
const writtenBy = (who: Principal | undefined): string =>
  who?.grade.startsWith('root') ? 'default_agency' : 'default_client';

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
  'GET /api/general/agreement/:file_uuid/file': {
    permission: 'agreement.read',
    named: true,
    request: async (t) => ({ url: `/api/general/agreement/${await fileOf(t)}/file` }),
  },
  'GET /api/docauth/:pkdoc': {
    named: true,
    request: async (t) => ({ url: `/api/docauth/${await fileOf(t)}` }),
  },
  'POST /api/general/agreement/download': {
    named: true,
    request: async (t) => {
      await agreed(t);
      return {
        url: '/api/general/agreement/download',
        body: { user_id: t.personId, document_type: 'default_client' },
      };
    },
  },
  'GET /api/document/agreement': {
    named: false,
    request: () => ({ url: '/api/document/agreement' }),
  },
  'GET /api/document/agreement/:document_type': {
    named: false,
    request: (_, who) => ({
      url: `/api/document/agreement/${who?.grade.startsWith('client') ? 'default_client' : 'default_agency'}`,
    }),
    // A root accepts nothing.
    passes: [422],
  },
  'GET /api/document/agreement-versions/:document_type': {
    named: false,
    request: (_, who) => ({ url: `/api/document/agreement-versions/${writtenBy(who)}` }),
  },
  'POST /api/document/agreement-versions/:document_type': {
    named: false,
    request: async (_, who) => {
      const url = `/api/document/agreement-versions/${writtenBy(who)}`;
      const base = who && (await app.call('GET', url, who)).body.version;
      const body = '# Terms\n\nThese are the terms of {{party}}.';
      return {
        url,
        body: { title: `Terms after ${base}`, body, notice_days: 30, base_version: base ?? 1 },
      };
    },
  },
  'GET /api/document/acceptances': {
    named: false,
    request: () => ({ url: '/api/document/acceptances' }),
  },
  'GET /api/document/signing-key': {
    named: false,
    request: () => ({ url: '/api/document/signing-key' }),
  },
  'POST /api/document/signing-key': {
    named: false,
    // Not a P12 file (signing.test.ts brings one).
    request: () => ({ url: '/api/document/signing-key', body: { p12: 'AAAA', password: '' } }),
    passes: [422],
  },
  'DELETE /api/document/signing-key': {
    named: false,
    request: () => ({ url: '/api/document/signing-key' }),
    passes: [404],
  },
  'GET /api/general/verify/:sha256': {
    named: false,
    request: () => ({ url: `/api/general/verify/${'0'.repeat(64)}` }),
  },
  'POST /api/general/verify': {
    named: false,
    request: () => ({
      url: '/api/general/verify',
      payload: '%PDF-1.7',
      headers: { 'content-type': 'application/pdf' },
    }),
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
