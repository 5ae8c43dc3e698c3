import { createTransport } from 'nodemailer';
import { MailRefused, type MailTransport } from './mail.ts';

/**
 * Hands mails to the server at `url` (smtp://user:password@host:port, smtps:// for TLS from the start). The own name in
 * the greeting and the message id are the sender's, so that no other host shows.
 */
export function smtpTransport(url: string): MailTransport {
  const at = new URL(url);
  const secure = at.protocol === 'smtps:';
  const login = at.username
    ? { user: decodeURIComponent(at.username), pass: decodeURIComponent(at.password) }
    : undefined;
  return {
    takesOver: true,
    async send(mail) {
      const domain = mail.from.address.split('@')[1] ?? 'localhost';
      const server = createTransport({
        host: at.hostname,
        port: Number(at.port) || (secure ? 465 : 587),
        secure,
        name: domain,
        ...(login ? { auth: login } : {}),
        connectionTimeout: 10_000,
        greetingTimeout: 10_000,
        socketTimeout: 20_000,
        dnsTimeout: 10_000,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        await server.sendMail({
          from: mail.from,
          to: mail.to,
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          attachments: mail.logo
            ? [
                {
                  cid: 'logo',
                  filename: mail.logo.type === 'image/jpeg' ? 'logo.jpg' : 'logo.png',
                  content: mail.logo.bytes,
                  contentType: mail.logo.type,
                  contentDisposition: 'inline',
                },
              ]
            : [],
          date: mail.at,
          messageId: `<${mail.id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          xMailer: false,
        });
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
