import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut, type MailBrand, type MailContent } from '../../../platform/mail-layout.ts';
import type { Tenants } from '../tenants/index.ts';

/** The sender of an email, looked up before the transaction that sends it. */
export interface Sender extends MailBrand {
  host: string;
}

/** Emails to addresses that were entered, whether or not an account has them. */
const ENTERED = new Set(['account.email', 'account.invitation', 'password.reset', 'register']);

export type Post = ReturnType<typeof createPost>;

/** The feature's emails, in the brand of the tenant at whose host they were triggered. */
export function createPost({ tenants, mail }: { tenants: Tenants; mail: Mail }) {
  return {
    /** Whether emails from this host stay in the outbox. */
    isKept: (ctx: Ctx): Promise<boolean> => mail.isKept(ctx.tenant.rootId, ctx.tenant.host),
    async sender(tenantId: string, host: string): Promise<Sender> {
      return { ...(await tenants.mailBrand(tenantId)), host };
    },
    /** Puts an email into the outbox, inside the transaction that triggered it. `id`: as for `mail.enqueue`. */
    send(
      tx: Tx,
      kind: string,
      sender: Sender,
      to: Owner & { name: string; email: string },
      content: MailContent,
      id?: string,
    ): Promise<string> {
      return mail.enqueue(tx, {
        ...layOut(
          sender,
          content,
          ENTERED.has(kind)
            ? `someone entered this address at ${sender.name}`
            : `you have an account at ${sender.name}`,
        ),
        id,
        kind,
        owner: { root_id: to.root_id, agency_id: to.agency_id, company_id: to.company_id },
        to: { name: to.name, address: to.email },
        sender,
      });
    },
  };
}
