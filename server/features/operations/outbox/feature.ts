import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { createMail, type Mail, outboxOnly } from '../../../platform/mail.ts';
import { smtpTransport } from '../../../platform/mail-smtp.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { exports } from './exports.ts';
import { outboxRoutes } from './routes.ts';
import { createOutbox, type Outbox } from './service.ts';

/** The tenants' own mail servers, known to a feature above when the first email is sent. */
interface Servers {
  at: NonNullable<Parameters<typeof createMail>[3]>;
}

export const feature = defineFeature({
  name: 'operations/outbox',
  about: 'Emails: sent by a job in the name of the tenant, and readable while there is no mail server.',
  tables: [],
  reads: [],
  create(platform, below: { audit: Audit; smtp: Servers }) {
    const { smtpUrl, mailFrom } = platform.config;
    const mail = createMail(
      platform,
      smtpUrl ? smtpTransport(smtpUrl) : outboxOnly,
      mailFrom,
      (rootId, host) => below.smtp.at(rootId, host),
    );
    return { mail, outbox: createOutbox(platform, { audit: below.audit, mail }) };
  },
  http: ({ outbox }: { outbox: Outbox }) => ({ calls: [serve(contract.outbox, outboxRoutes(outbox))] }),
  work: async ({ mail }: { mail: Mail }) => void (await mail.start()),
  exports,
});
