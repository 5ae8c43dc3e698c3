import { z } from 'zod';
import { call } from '../base.ts';
import { Day, Done, Flag, Id, Instant, Line, Page, PageQuery, Whole } from '../primitives.ts';
import { faultOf, MAX_BODY, NOTICE_DAYS } from './agreement-text.ts';
import { DocumentType } from './setup.ts';

/** The agreements whose text a company writes itself; the developer agreement goes with its fee. */
export const WRITTEN = DocumentType.exclude(['developer']);

const Section = z.object({ heading: z.string(), paragraphs: z.array(z.string()) });

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 hash: 64 hexadecimal digits');

/** One of a company's agreements, and how far its acceptance is. */
const Standing = z.object({
  document_type: DocumentType,
  title: z.string(),
  version: z.string().describe('The newest version, which is the one to accept'),
  effective_on: Day.describe('From when the newest version holds'),
  party: z.string().describe('The other party'),
  state: z
    .enum(['missing', 'accepted', 'changing', 'expired'])
    .describe(
      'changing: an earlier version was accepted and holds until must_accept_by. expired: it no longer holds',
    ),
  must_accept_by: Instant.nullable(),
  accepted_version: z.string().nullable().describe('The version that was accepted last'),
  accepted_at: Instant.nullable(),
  accepted_by: z.string().nullable().describe('Their name; null also if they have been erased'),
  applies_at: Instant.nullable().describe('From when the accepted version holds for your company'),
});

const tags = ['Agreements'];
const OfDocument = z.object({ document_type: DocumentType });
const OfWritten = z.object({ document_type: WRITTEN });

/** A row of the list of acceptances. */
const Acceptance = z.object({
  id: Id,
  document_type: DocumentType,
  version: z.string(),
  company_id: Id,
  company_name: z.string(),
  name: z.string().describe('Who accepted'),
  accepted_at: Instant,
  ip: z.string(),
  device: z.string(),
  second_factor: z.enum(['', 'email', 'google', 'passkey']),
  read_to_end: z.boolean(),
});

const SigningKey = z.object({
  kind: z.enum(['made', 'brought']).describe('made: created here. brought: from your own P12 file'),
  subject: z.string(),
  fingerprint: z.string().describe('SHA-256 of the certificate'),
  valid_until: Instant,
  certificate: z.string().describe('PEM'),
});

/** A file that was checked, as far as the company of the host knows it. */
export const Checked = z.object({
  status: z.enum(['known', 'unknown']),
  title: z.string(),
  version: z.string().describe('Blank for a file that is not an agreement, such as a certificate'),
  party: z.string(),
  company: z.string(),
  accepted_at: Instant.nullable().describe('For a file that is not an agreement: when it was made'),
  name: z.string().describe('Who accepted'),
});

/** What the signature inside a file says. */
export const CheckedFile = Checked.extend({
  sha256: z.string(),
  signature: z
    .enum(['valid', 'foreign', 'changed', 'none', 'unreadable'])
    .describe(
      'valid: unchanged since this company signed it. foreign: unchanged, but signed by someone else. changed: altered after it was signed',
    ),
  signer: z.string().describe('The subject of the certificate'),
  signed_at: Instant.nullable().describe('As the signature claims'),
});

export const agreementText = {
  standings: call
    .route({
      method: 'GET',
      path: '/document/agreement',
      tags,
      summary: 'Returns the agreements of your company and how far each is accepted',
    })
    .meta({ access: 'agreement.read' })
    .output(z.object({ data: z.array(Standing) })),
  read: call
    .route({
      method: 'GET',
      path: '/document/agreement/{document_type}',
      tags,
      summary: 'Returns the newest version of an agreement of your company, to read and accept',
    })
    .meta({ access: 'session.own' })
    .input(OfDocument)
    .output(
      Standing.extend({
        company: z.string(),
        is_template: z.boolean(),
        sections: z.array(Section),
        text_hash: Sha256.describe('SHA-256 of the text. Accepting it requires the same'),
        accepted: Flag.describe('T: the newest version is accepted'),
      }),
    ),
  download: call
    .route({
      method: 'POST',
      path: '/general/agreement/download',
      tags,
      summary:
        "Returns the file_uuid of a user's company's signed agreement, which is created if it does not exist yet",
    })
    .meta({ access: 'agreement.read' })
    .input(z.object({ user_id: Id, document_type: DocumentType }))
    .output(z.object({ file_uuid: Id })),
  docauth: call
    .route({
      method: 'GET',
      path: '/docauth/{pkdoc}',
      tags,
      summary: 'Returns whether you may download a document, by its name or file_uuid, and from where',
    })
    .meta({ access: 'agreement.read' })
    .input(z.object({ pkdoc: z.string().max(64, 'must not exceed 64 characters') }))
    .output(z.object({ status: z.literal('T'), title: z.string(), path: z.string() })),

  versions: call
    .route({
      method: 'GET',
      path: '/document/agreement-versions/{document_type}',
      tags,
      summary:
        'Returns the versions of an agreement that your company makes with others, and its text to edit',
    })
    .meta({ access: 'setting.read' })
    .input(OfWritten)
    .output(
      z.object({
        title: z.string(),
        body: z.string(),
        version: z.int().describe('The newest version'),
        party: z.string(),
        data: z.array(
          z.object({
            version: z.int(),
            title: z.string(),
            effective_on: Day,
            published_at: Instant.nullable().describe('null: the built-in template'),
            name: z.string().describe('Who published it'),
            state: z.enum(['holds', 'announced', 'replaced']),
            acceptances: z.int().describe('Companies that have accepted it'),
          }),
        ),
      }),
    ),
  publish: call
    .route({
      method: 'POST',
      path: '/document/agreement-versions/{document_type}',
      tags,
      summary: 'Publishes a new version. Earlier acceptances hold until its notice period ends',
    })
    .meta({ access: 'setting.write', notInView: true })
    .input(
      OfWritten.extend({
        title: Line,
        body: z
          .string()
          .max(MAX_BODY, `must not exceed ${MAX_BODY} characters`)
          .superRefine((body, ctx) => {
            const fault = faultOf(body);
            if (fault) ctx.addIssue({ code: 'custom', message: fault });
          }),
        notice_days: Whole(NOTICE_DAYS.least, NOTICE_DAYS.most),
        base_version: Whole(1, 100_000).describe(
          'The version that was edited. Refused if there is a newer one',
        ),
      }),
    )
    .output(Done.extend({ version: z.int() })),
  acceptances: call
    .route({
      method: 'GET',
      path: '/document/acceptances',
      tags,
      summary: 'Lists who accepted the agreements that your company makes with others',
    })
    .meta({ access: 'document.read' })
    .input(PageQuery.extend({ document_type: DocumentType.optional() }))
    .output(Page(Acceptance)),

  signingKey: call
    .route({
      method: 'GET',
      path: '/document/signing-key',
      tags,
      summary: "Returns the certificate that your company's PDFs are signed with",
    })
    .meta({ access: 'setting.read' })
    .output(z.object({ data: SigningKey.nullable().describe('null until the first PDF is signed') })),
  bringKey: call
    .route({
      method: 'POST',
      path: '/document/signing-key',
      tags,
      summary: 'Signs PDFs with your own P12 file from now on',
    })
    .meta({ access: 'owner.write', notInView: true, fresh: true })
    .input(
      z.object({
        p12: z
          .base64('must be Base64')
          .max(90_000, 'must not exceed 64 KB')
          .describe('A PKCS #12 file with one RSA key, Base64'),
        password: z.string().max(255, 'must not exceed 255 characters'),
      }),
    )
    .output(Done.extend({ data: SigningKey })),
  dropKey: call
    .route({
      method: 'DELETE',
      path: '/document/signing-key',
      tags,
      summary: 'Stops signing PDFs with your own P12 file',
    })
    .meta({ access: 'owner.write', notInView: true, fresh: true })
    .output(Done),

  verify: call
    .route({
      method: 'GET',
      path: '/general/verify/{sha256}',
      tags,
      summary:
        'Returns whether a file with this SHA-256 hash is a signed agreement of the company of the host',
    })
    .meta({ access: 'public' })
    .input(z.object({ sha256: Sha256 }))
    .output(Checked),
};
