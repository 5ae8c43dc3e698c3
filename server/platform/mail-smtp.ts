import { createTransport } from 'nodemailer';
import { MailRefused, type MailTransport } from './mail.ts';

/** A mail server and how it is spoken to. */
export interface SmtpServer {
  /** A name or an address. */
  host: string;
  port: number;
  /** tls: from the start; starttls: asked for, and required; none: never; auto: where the server offers it. */
  security: 'tls' | 'starttls' | 'none' | 'auto';
  /** The name that its certificate has to have, where `host` is an address. */
  servername?: string | undefined;
  login?: { user: string; pass: string } | undefined;
}

/** Hands mails to the server at `url` (smtp://user:password@host:port, smtps:// for TLS from the start). */
export function smtpTransport(url: string): MailTransport {
  const at = new URL(url);
  const secure = at.protocol === 'smtps:';
  return smtpTo({
    host: at.hostname,
    port: Number(at.port) || (secure ? 465 : 587),
    security: secure ? 'tls' : 'auto',
    login: at.username
      ? { user: decodeURIComponent(at.username), pass: decodeURIComponent(at.password) }
      : undefined,
  });
}

const open = (to: SmtpServer, name: string) =>
  createTransport({
    host: to.host,
    port: to.port,
    secure: to.security === 'tls',
    requireTLS: to.security === 'starttls',
    ignoreTLS: to.security === 'none',
    ...(to.servername ? { tls: { servername: to.servername } } : {}),
    name,
    ...(to.login ? { auth: to.login } : {}),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    dnsTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

/** Greets a server and signs in there, and sends nothing. Throws what went wrong, with the server's own words. */
export async function greetSmtp(to: SmtpServer, name: string): Promise<void> {
  const server = open(to, name);
  try {
    await server.verify();
  } finally {
    server.close();
  }
}

/**
 * Hands mails to a server. The own name in the greeting and the message id are the sender's, so that no other host shows.
 * `send` answers the server's own words.
 */
export function smtpTo(to: SmtpServer): MailTransport {
  return {
    takesOver: true,
    async send(mail) {
      const domain = mail.from.address.split('@')[1] ?? 'localhost';
      const server = open(to, domain);
      try {
        const taken = await server.sendMail({
          from: mail.from,
          to: mail.to,
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          attachments: [
            ...(mail.logo
              ? [
                  {
                    cid: 'logo',
                    filename: mail.logo.type === 'image/jpeg' ? 'logo.jpg' : 'logo.png',
                    content: mail.logo.bytes,
                    contentType: mail.logo.type,
                    contentDisposition: 'inline' as const,
                  },
                ]
              : []),
            ...(mail.file
              ? [{ filename: mail.file.name, content: mail.file.text, contentType: mail.file.type }]
              : []),
          ],
          date: mail.at,
          messageId: `<${mail.id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          xMailer: false,
        });
        return taken.response;
      } catch (error) {
        const { code, responseCode } = error as { code?: string; responseCode?: number };
        if (
          (code === 'EENVELOPE' || code === 'EMESSAGE') &&
          responseCode !== undefined &&
          responseCode >= 500
        ) {
          throw new MailRefused((error as Error).message, { cause: error });
        }
        throw error;
      } finally {
        server.close();
      }
    },
  };
}
