import type { Owner } from '../../platform/db/owner.ts';
import type { Tx } from '../../platform/db/scope.ts';
import type { Mail } from '../../platform/mail.ts';
import { layOut, type MailContent } from '../../platform/mail-layout.ts';
import type { People } from '../people/index.ts';
import type { Tenants } from '../tenants/index.ts';

/** In whose name a notice goes out, looked up before the transaction that sends it. */
export interface NoticeSender {
  name: string;
  host: string;
  accent: string | null;
}

export type Notices = ReturnType<typeof createNotices>;

/** Mails about money to the owners and administrators of a company, in its own brand or, for a client, its agency's. */
export function createNotices({ tenants, people, mail }: { tenants: Tenants; people: People; mail: Mail }) {
  return {
    async sender(company: Owner): Promise<NoticeSender> {
      const id = company.agency_id ?? company.company_id;
      const door = await tenants.frontDoor(id);
      const host = await tenants.primaryHost(id);
      if (!host) throw new Error(`${id} has no host to send from`);
      return { name: door.name, host, accent: door.box_bgcolor ?? door.link_color };
    },
    /** Puts a mail to each of them into the outbox, inside the causing transaction. Returns how many. */
    async tell(
      tx: Tx,
      kind: string,
      sender: NoticeSender,
      company: Owner,
      content: MailContent,
    ): Promise<number> {
      const all = await people.incharge(tx, company.company_id);
      for (const to of all) {
        await mail.enqueue(tx, {
          ...layOut(sender, content),
          kind,
          owner: company,
          to: { name: to.name, address: to.email },
          sender,
        });
      }
      return all.length;
    },
  };
}
