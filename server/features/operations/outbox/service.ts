import type { z } from 'zod';
import type { Grade } from '../../../../contract/accounts/permissions.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { OutboxMail } from '../../../../contract/operations/outbox.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Config } from '../../../platform/config.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { KeptMail, Mail } from '../../../platform/mail.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';

/**
 * Whether someone can read the outbox: while the platform has no mail server, the owner of a root, and in the demo the owner of
 * any company. The emails hold sign-in codes and password links, so no one else can (docs/security.md).
 */
export const mayReadOutbox = ({ smtpUrl, seed }: Pick<Config, 'smtpUrl' | 'seed'>, grade: Grade): boolean =>
  !smtpUrl && (grade === 'root.owner' || (seed === 'demo' && /\.owner$/.test(grade)));

export type Outbox = ReturnType<typeof createOutbox>;

/** The emails of a platform without a mail server, to be read on a page: those of one's own company and the ones below it. */
export function createOutbox(
  { db, config }: Pick<Platform, 'db' | 'config'>,
  { audit, mail }: { audit: Audit; mail: Mail },
) {
  const check = (ctx: Ctx): void => {
    if (!mayReadOutbox(config, ctx.actor.grade)) throw new Refusal('not_found', ownMessages.notFound);
  };
  return {
    /** The newest emails. The search looks at recipients and subjects. */
    async list(ctx: Ctx, input: { page: number; per_page: number; search?: string | undefined }) {
      check(ctx);
      const { rows, total } = await mail.page(ctx.scope, {
        search: input.search,
        limit: input.per_page,
        offset: (input.page - 1) * input.per_page,
      });
      return page(rows.map(wire), total, input);
    },

    /** One email with what it says; a row in the log. @throws Refusal 404 */
    async get(ctx: Ctx, id: string) {
      check(ctx);
      const found = await mail.opened(ctx.scope, id);
      if (!found) throw new Refusal('not_found', ownMessages.notFound);
      const { row, body } = found;
      await inScope(db.app, ctx.scope, (tx) =>
        audit.record(tx, ctx, {
          action: 'mail.read',
          objectKind: 'mail',
          objectId: id,
          description: `Read the email “${row.subject}” to ${row.to_address} in the outbox`,
          owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
        }),
      );
      return {
        ...wire(row),
        text: body?.text ?? null,
        html: body && withLogo(body),
        attachment: body?.file
          ? { name: body.file.name, text: body.file.text, is_base64: body.file.isBase64 ?? false }
          : null,
      };
    },
  };
}

/** The HTML with its picture inside it, since there is no message around it that could carry one. */
const withLogo = ({ html, logo }: { html: string; logo?: { base64: string; type: string } }): string =>
  logo ? html.replaceAll('cid:logo', `data:${logo.type};base64,${logo.base64}`) : html;

const wire = (row: KeptMail): Inside<z.input<typeof OutboxMail>> => ({
  id: row.id,
  company_name: row.company_name,
  from_name: row.from_name,
  from_address: row.from_address,
  to_name: row.to_name,
  to_address: row.to_address,
  subject: row.subject,
  state: row.state,
  error: row.last_error,
  created_at: row.created_at.toISOString(),
});
