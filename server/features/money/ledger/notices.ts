import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Mail } from '../../../platform/mail.ts';
import { layOut, type MailContent } from '../../../platform/mail-layout.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Users } from '../../accounts/users/index.ts';

/** The sender of a notice, looked up before the transaction that sends it. */
export interface NoticeSender {
  name: string;
  host: string;
  accent: string | null;
  /** The base URL of its pages: 'https://app.example.com'. */
  site: string;
}

/** A notice: an email, and the page that its button opens. */
export type Notice = Omit<MailContent, 'action'> & { page?: { label: string; path: string } };

export type Notices = ReturnType<typeof createNotices>;

/**
 * Emails about money and payment methods to the owners and administrators of a company, in its own brand or, for a
 * client, its agency's.
 */
export function createNotices({
  tenants,
  users,
  mail,
  port,
}: {
  tenants: Tenants;
  users: Users;
  mail: Mail;
  port: number;
}) {
  return {
    async sender(company: Owner): Promise<NoticeSender> {
      const id = company.agency_id ?? company.company_id;
      const door = await tenants.frontDoor(id);
      const host = await tenants.primaryHost(id);
      if (!host) throw new Error(`${id} has no host to send from`);
      // Names below localhost are on this machine; every other one is behind a proxy that speaks https.
      const isLocal = host === 'localhost' || host.endsWith('.localhost');
      const site = isLocal ? `http://${host}${port ? `:${port}` : ''}` : `https://${host}`;
      return { name: door.name, host, accent: door.box_bgcolor ?? door.link_color, site };
    },
    /**
     * Puts an email to each of them into the outbox, inside the transaction that causes it; with `personId`, also to
     * that person. Returns how many.
     */
    async tell(
      tx: Tx,
      kind: string,
      sender: NoticeSender,
      company: Owner,
      { page, ...content }: Notice,
      personId?: string,
    ): Promise<number> {
      const all: { id: string; name: string; email: string }[] = await users.incharge(tx, company.company_id);
      const { name } = (await tenants.company(tx, company.company_id)) ?? sender;
      const person = personId && !all.some(({ id }) => id === personId) && (await users.byId(tx, personId));
      if (person) all.push(person);
      for (const to of all) {
        await mail.enqueue(tx, {
          ...layOut(
            sender,
            page ? { ...content, action: { label: page.label, url: sender.site + page.path } } : content,
            to === person
              ? `it is about you at ${sender.name}`
              : `you’re in charge of ${name}${name === sender.name ? '' : ` at ${sender.name}`}`,
          ),
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
