import { createTransport } from 'nodemailer';
import { MailRefused, type MailTransport } from './mail.ts';

/**
 * How long one attempt may take in all. The timeouts of a connection are about silence: a server that answers a byte now
 * and then would keep it for good.
 */
const ATTEMPT_MS = 60_000;

/** A mail server and how to connect to it. */
export interface SmtpServer {
  /** A host name or an IP address. */
  host: string;
  port: number;
  /** tls: from the start; starttls: requested and required; none: never; auto: if the server offers it. */
  security: 'tls' | 'starttls' | 'none' | 'auto';
  /** The name that the certificate must have when `host` is an IP address. */
  servername?: string | undefined;
  login?: { user: string; pass: string } | undefined;
}

/** Sends emails through the server at `url` (smtp://user:password@host:port, smtps:// for TLS from the start). */
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

/** Greets a server and signs in, without sending anything. Throws what went wrong, in the server's own words. */
export async function greetSmtp(to: SmtpServer, name: string): Promise<void> {
  const server = open(to, name);
  try {
    await server.verify();
  } finally {
    server.close();
  }
}

/**
 * Sends emails through a server. The name in the greeting and in the message id is the sender's, so that no other host
 * is exposed. `send` returns the server's own words; it gives up after `attemptMs`, in milliseconds.
 */
export function smtpTo(to: SmtpServer, attemptMs = ATTEMPT_MS): MailTransport {
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
              ? [
                  {
                    filename: mail.file.name,
                    content: mail.file.text,
                    contentType: mail.file.type,
                    ...(mail.file.isBase64 ? { encoding: 'base64' } : {}),
                  },
                ]
              : []),
          ],
          date: mail.at,
          messageId: `<${mail.id}@${domain}>`,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(mail.unsubscribe
              ? {
                  'List-Unsubscribe': `<${mail.unsubscribe}>`,
                  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
                }
              : {}),
          },
          xMailer: false,
          signal: AbortSignal.timeout(attemptMs),
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
