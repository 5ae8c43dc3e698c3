import { type SettingValue, SMTP_PORTS } from '../../../../contract/accounts/settings.ts';
import { refusalOf } from '../../../../contract/errors.ts';
import { configMessages } from '../../../../contract/messages-config.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { OwnServer } from '../../../platform/mail.ts';
import { layOut, type MailBrand } from '../../../platform/mail-layout.ts';
import { greetSmtp, type SmtpServer, smtpTo } from '../../../platform/mail-smtp.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import type { Platform } from '../../../platform/platform.ts';
import * as store from './store.ts';

/** A mail server as its setting stores it. */
export interface KeptSmtp {
  host: string;
  port: number;
  security: 'starttls' | 'tls' | 'none';
  username: string;
  password_sealed: string;
  from_name: string;
  from_address: string;
}
const NONE: KeptSmtp = {
  host: '',
  port: 587,
  security: 'starttls',
  username: '',
  password_sealed: '',
  from_name: '',
  from_address: '',
};
const PURPOSE = 'smtp.password';

export type Smtp = ReturnType<typeof createSmtp>;
/** The result of a test: a description, and the server's own response. */
export interface Tried {
  ok: boolean;
  message: string;
  answer: string;
}

/**
 * The mail servers that tenants have configured (CONF-03, CONF-09). Every connection goes through the outbound guard.
 */
export function createSmtp({ config, db, vault, clock }: Platform, { outbound }: { outbound: Outbound }) {
  /** Returns the server to connect to: a checked address, with the name that its certificate must have. */
  async function serverOf(kept: KeptSmtp): Promise<SmtpServer> {
    const host = await outbound.addressOf(kept.host, kept.port);
    return {
      host,
      port: kept.port,
      security: kept.security,
      servername: host === kept.host ? undefined : kept.host,
      login: kept.username
        ? {
            user: kept.username,
            pass: kept.password_sealed ? vault.open(kept.password_sealed, PURPOSE) : '',
          }
        : undefined,
    };
  }
  /** Runs an operation with a server and reports the result. Never throws: a failure is returned as the result. */
  async function tried(work: () => Promise<string>): Promise<Tried> {
    try {
      return { ok: true, message: '', answer: await work() };
    } catch (error) {
      const { response, message } = error as { response?: string; message?: string };
      return {
        ok: false,
        message: configMessages.smtpFailed,
        answer: (response ?? message ?? '').slice(0, 500),
      };
    }
  }

  return {
    /** Returns the stored value, with empty defaults for missing fields. */
    kept: (value: Record<string, unknown> | null): KeptSmtp => ({
      ...NONE,
      ...(value as Partial<KeptSmtp> | null),
    }),

    /** The setting as it is read: never the password, but whether there is one, and whether the platform has a server. */
    read({
      password_sealed,
      ...kept
    }: KeptSmtp): SettingValue<'smtp'> & { password_set: 'T' | 'F'; platform_server: 'T' | 'F' } {
      return {
        ...kept,
        password: '',
        password_set: password_sealed ? 'T' : 'F',
        platform_server: config.smtpUrl ? 'T' : 'F',
      };
    },

    /**
     * Returns what to store of what was entered. A password belongs to its server and user: anyone who changes the
     * server must enter it again, so that no one can have it sent elsewhere.
     * @throws Refusal 422 naming the field
     */
    keep(before: KeptSmtp, given: SettingValue<'smtp'>): KeptSmtp {
      if (!given.host) return NONE;
      if (!(SMTP_PORTS as readonly number[]).includes(given.port) && given.port < 1024)
        throw refusalOf('port', `must be ${SMTP_PORTS.slice(0, 3).join(', ')}, or one from 1024 up`);
      const { password, ...value } = given;
      const isSame =
        given.host === before.host && given.port === before.port && given.username === before.username;
      // Without encryption, the password would be sent in plain text when it was not before.
      const isWeaker = given.security === 'none' && before.security !== 'none';
      if (!given.username) return { ...value, password_sealed: '' };
      if (password) return { ...value, password_sealed: vault.seal(password, PURPOSE) };
      if (!before.password_sealed) throw refusalOf('password', 'is required when a user is set');
      if (!isSame || isWeaker) throw refusalOf('password', configMessages.smtpPassword);
      return { ...value, password_sealed: before.password_sealed };
    },

    /** Connects to a server and signs in. */
    async greet(kept: KeptSmtp): Promise<Tried> {
      const answer = await tried(async () => {
        await greetSmtp(await serverOf(kept), kept.from_address.split('@')[1] ?? 'localhost');
        return '';
      });
      return answer.ok ? { ...answer, message: configMessages.smtpGreeted } : answer;
    },

    /** Sends a test email through a server. */
    async sendTest(kept: KeptSmtp, brand: MailBrand, to: { name: string; address: string }): Promise<Tried> {
      if (!kept.host) return { ok: false, message: configMessages.smtpNone, answer: '' };
      const answer = await tried(async () => {
        const said = await smtpTo(await serverOf(kept)).send({
          ...layOut(
            brand,
            {
              subject: 'Test email',
              lines: [
                `Hello ${to.name},`,
                'This email was sent through the mail server in your settings. It works.',
              ],
            },
            `you sent a test from the settings of ${brand.name}`,
          ),
          id: newId(clock.now()),
          from: { name: kept.from_name || brand.name, address: kept.from_address },
          to,
          at: clock.now(),
        });
        return said ?? '';
      });
      return answer.ok ? { ...answer, message: configMessages.smtpSent(to.address) } : answer;
    },

    /** Returns the server that sends emails for the tenant at a host; null for the platform's. */
    async at(rootId: string, host: string): Promise<OwnServer | null> {
      const row = await inScope(db.app, { rootId }, (tx) => store.smtpAt(tx, host));
      const kept = this.kept(row?.value ?? null);
      if (!kept.host) return null;
      return {
        transport: smtpTo(await serverOf(kept)),
        from: { name: kept.from_name, address: kept.from_address },
      };
    },
  };
}
