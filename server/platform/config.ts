import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { parseDatabaseUrl } from './db/hosts.ts';
import type { S3Settings } from './files.ts';

export const ROLES = ['web', 'ingest', 'worker'] as const;
export type Role = (typeof ROLES)[number];

/** 'a, b' -> ['a', 'b'] */
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/** How many people may sign up before sign-ups are held (docs/operations.md). */
export const SIGNUP_LIMITS = { browser: 3, address: 5, network: 25, hour: 60, day: 300 };
/**
 * How many events a minute `/v` accepts from one browser, address, and network, and for one site key. An address is
 * often a whole office or a mobile network's gateway; a thousand visits a second are two and a half billion a month.
 */
export const VISIT_LIMITS = { visitor: 300, address: 6_000, network: 24_000, key: 60_000 };

/**
 * How many megabytes of the visit log a day come from one address, one network, and for one site key: an office of 2,000
 * and a site with two million visits stay below.
 */
export const VISIT_VOLUMES = { address: 50, network: 200, key: 1_000 };

/** A setting of several limits: 'address=5,network=25'; limits not named keep their defaults. */
const limitsSetting = <K extends string>(defaults: Record<K, number>) =>
  z
    .string()
    .transform((text, check) => {
      const limits = { ...defaults };
      for (const part of listOf(text)) {
        const [name = '', value = ''] = part.split('=').map((one) => one.trim());
        if (!Object.hasOwn(limits, name) || !/^[1-9]\d{0,8}$/.test(value)) {
          check.addIssue({
            code: 'custom',
            message: `has ${part}; it must be like ${Object.keys(limits).join('=5,')}=5`,
          });
          return z.NEVER;
        }
        limits[name as K] = Number(value);
      }
      return limits;
    })
    .prefault('');

/** Vendors that a person signs in at, with the beginning of the names of their settings. */
const OAUTH_VENDORS = {
  'google-sheets': 'GOOGLE',
  gohighlevel: 'GOHIGHLEVEL',
  hubspot: 'HUBSPOT',
} as const;
const oauthNames = Object.values(OAUTH_VENDORS);
const oauthSettings = Object.fromEntries(
  oauthNames.flatMap((name) => [
    [`${name}_CLIENT_ID`, z.string().min(1).optional()],
    [`${name}_CLIENT_SECRET`, z.string().min(1).optional()],
  ]),
) as Record<`${(typeof oauthNames)[number]}_CLIENT_${'ID' | 'SECRET'}`, z.ZodOptional<z.ZodString>>;

/** A bucket, and the beginning of all keys in it. */
const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/((?:[a-zA-Z0-9._-]{1,100}\/){0,5})$/;

const environment = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65535).default(8080),
    HOST: z.string().min(1).default('::'),
    DATA_DIR: z.string().min(1).default('./data'),
    DATABASE_URL: z
      .string()
      .transform((text, check) => {
        try {
          return parseDatabaseUrl(text);
        } catch {
          check.addIssue({
            code: 'custom',
            message:
              'must be postgres://user:password@host:5432/database; several hosts are separated by commas',
          });
          return z.NEVER;
        }
      })
      .optional(),
    DATABASE_POOLER: z
      .string()
      .regex(/^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\]):\d{1,5}$/i, 'must be host:port of a PgBouncer')
      .optional(),
    S3_BUCKET: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
      .optional(),
    S3_REGION: z.string().min(1).default('us-east-1'),
    S3_ENDPOINT: z
      .url({ protocol: /^https?$/ })
      .refine(isOrigin, 'must be https://host, without a path')
      .optional(),
    S3_PREFIX: z
      .string()
      .regex(/^(?:[a-zA-Z0-9._-]{1,100}\/){0,5}$/, 'must be empty, or end in a slash: leads/')
      .default(''),
    S3_ACCESS_KEY_ID: z.string().min(1).optional(),
    S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
    BACKUP_TO: z
      .string()
      .refine(
        (to) => !to.startsWith('s3:') || S3_ADDRESS.test(to),
        'must be a folder, or s3://bucket/ or s3://bucket/prefix/',
      )
      .optional(),
    BACKUP_HOURS: z.coerce.number().int().min(0).max(8_760).default(24),
    BACKUP_DAYS: z.coerce.number().int().min(1).max(3_650).default(14),
    ROOT_DOMAIN: z
      .string()
      .toLowerCase()
      .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'must be a hostname')
      .optional(),
    ROLES: z
      .string()
      .default(ROLES.join(','))
      .transform((text) => text.split(',').map((role) => role.trim()))
      .pipe(z.array(z.enum(ROLES)).min(1)),
    SEED: z.enum(['demo', 'none']).optional(),
    DEMO_PASSWORD: z.string().min(8).optional(),
    DEMO_DAYS: z.coerce.number().int().min(10).max(365).default(60),
    APP_KEY: z
      .string()
      .regex(/^[A-Za-z0-9+/_-]{43}=?$/, 'must be 32 bytes in base64')
      .optional(),
    APP_KEY_PREVIOUS: z
      .string()
      .transform((text) => text.split(',').map((key) => key.trim()))
      .pipe(
        z.array(
          z.string().regex(/^[A-Za-z0-9+/_-]{43}=?$/, 'must be 32-byte keys in base64, separated by commas'),
        ),
      )
      .optional(),
    PLAIN_BODIES: z.enum(['allow', 'refuse']).default('allow'),
    TRUST_PROXY: z.string().optional(),
    SMTP_URL: z
      .url({ protocol: /^smtps?$/, error: 'must be smtp://user:password@host:port or smtps://...' })
      .optional(),
    MAIL_FROM: z.email().optional(),
    PUBLIC_URL: z.url().refine(isOrigin, 'must be https://host or http://host, without a path').optional(),
    ASK_PORT: z.coerce.number().int().min(0).max(65535).optional(),
    VISIT_LOG: z.enum(['database', 'spool', 'jetstream']).optional(),
    NATS_URL: z
      .string()
      .transform(listOf)
      .pipe(
        z
          .array(z.url({ protocol: /^(nats|tls)$/, error: 'must be nats://host:4222, separated by commas' }))
          .min(1),
      )
      .optional(),
    NATS_MONITORS: z
      .string()
      .transform(listOf)
      .pipe(z.array(z.url({ protocol: /^https?$/, error: 'must be http://host:8222, separated by commas' })))
      .optional(),
    NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(3),
    NATS_STREAM: z
      .string()
      .regex(/^[a-z0-9-]{1,60}$/, 'must be lowercase letters, digits, and hyphens')
      .default('visits'),
    NATS_STREAM_MB: z.coerce.number().int().min(1).max(10_000_000).default(10_240),
    METRICS_PORT: z.coerce.number().int().min(0).max(65535).default(0),
    METRICS_HOST: z.string().min(1).default('127.0.0.1'),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
    OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
    DOMAIN_TARGET: z
      .string()
      .toLowerCase()
      .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'must be a hostname')
      .optional(),
    DOMAIN_ADDRESSES: z
      .string()
      .transform(listOf)
      .pipe(z.array(z.union([z.ipv4(), z.ipv6()])))
      .optional(),
    DNS_SERVERS: z.string().transform(listOf).optional(),
    RECAPTCHA_SITE_KEY: z.string().min(1).optional(),
    RECAPTCHA_SECRET: z.string().min(1).optional(),
    RECAPTCHA_URL: z.url({ protocol: /^https?$/ }).default('https://www.google.com/recaptcha/api'),
    STRIPE_SECRET_KEY: z
      .string()
      .regex(/^[sr]k_(test|live)_\w+$/, 'must begin with sk_test_, sk_live_, rk_test_, or rk_live_')
      .optional(),
    STRIPE_PUBLISHABLE_KEY: z
      .string()
      .regex(/^pk_(test|live)_\w+$/, 'must begin with pk_test_ or pk_live_')
      .optional(),
    STRIPE_WEBHOOK_SECRET: z
      .string()
      .transform((text) => text.split(',').map((secret) => secret.trim()))
      .pipe(
        z.array(
          z.string().regex(/^whsec_\S+$/, 'must be secrets that begin with whsec_, separated by commas'),
        ),
      )
      .optional(),
    STRIPE_API_BASE: z
      .url()
      .refine(isSafeOrigin, 'must be https://host, or http:// on this machine, without a path')
      .default('https://api.stripe.com'),
    PDL_API_BASE: z
      .url()
      .refine(isSafeOrigin, 'must be https://host, or http:// on this machine, without a path')
      .default('https://api.peopledatalabs.com'),
    DROP_API_BASE: z
      .url()
      .refine(isSafeOrigin, 'must be https://host, or http:// on this machine, without a path')
      .default('https://api.drop.privacy.ca.gov'),
    IPINFO_TOKEN: z.string().min(1).optional(),
    IPINFO_API_BASE: z
      .url()
      .refine(isSafeOrigin, 'must be https://host, or http:// on this machine, without a path')
      .default('https://ipinfo.io'),
    MAP_TILES_URL: z
      .string()
      .refine(
        isTileUrl,
        'must be https://host/… with {z}, {x}, and {y} in its path, and no other part in braces',
      )
      .optional(),
    MAP_TILES_ATTRIBUTION: z.string().max(200, 'must not exceed 200 characters').default(''),
    SIMPLIFI_APP_KEY: z.string().min(1).optional(),
    SIMPLIFI_USER_KEY: z.string().min(1).optional(),
    SIMPLIFI_ORGANIZATION: z.coerce.number().int().min(1).optional(),
    SIMPLIFI_API_BASE: z
      .url()
      .refine(isSafeOrigin, 'must be https://host, or http:// on this machine, without a path')
      .default('https://app.simpli.fi'),
    ...oauthSettings,
    CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(0).max(1_000_000).default(200),
    SIGNUP_LIMITS: limitsSetting(SIGNUP_LIMITS),
    VISIT_LIMITS: limitsSetting(VISIT_LIMITS),
    VISIT_VOLUMES: limitsSetting(VISIT_VOLUMES),
    PIXEL_BROWSER: z.enum(['sandboxed', 'unsandboxed', 'off']).default('sandboxed'),
    CHROMIUM_PATH: z.string().min(1).optional(),
    SECURITY_CONTACT: z
      .url({ protocol: /^(https|mailto|tel)$/, error: 'must be a mailto:, https:, or tel: address' })
      .optional(),
    HOLD_LIMIT_SECONDS: z.coerce.number().int().min(0).max(86_400).default(300),
    STOP_SECONDS: z.coerce.number().int().min(1).max(3600).default(25),
    VISIT_RETENTION_DAYS: z.coerce.number().int().min(1).max(3650).default(400),
    LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('warn'),
  })
  .refine((e) => Boolean(e.RECAPTCHA_SITE_KEY) === Boolean(e.RECAPTCHA_SECRET), {
    path: ['RECAPTCHA_SECRET'],
    message: 'RECAPTCHA_SITE_KEY and RECAPTCHA_SECRET must be set together',
  })
  .refine((e) => e.VISIT_LOG !== 'jetstream' || e.NATS_URL, {
    path: ['NATS_URL'],
    message: 'is required with VISIT_LOG=jetstream',
  })
  .superRefine((e, issues) => {
    for (const name of oauthNames)
      if (Boolean(e[`${name}_CLIENT_ID`]) !== Boolean(e[`${name}_CLIENT_SECRET`]))
        issues.addIssue({
          code: 'custom',
          path: [`${name}_CLIENT_SECRET`],
          message: `${name}_CLIENT_ID and ${name}_CLIENT_SECRET must be set together`,
        });
  })
  .refine((e) => !e.S3_ACCESS_KEY_ID === !e.S3_SECRET_ACCESS_KEY, {
    path: ['S3_SECRET_ACCESS_KEY'],
    message: 'and S3_ACCESS_KEY_ID must be set together',
  })
  .refine((e) => !e.DATABASE_POOLER || e.DATABASE_URL, {
    path: ['DATABASE_POOLER'],
    message: 'requires DATABASE_URL, the address of the database itself',
  })
  .superRefine((e, issues) => {
    const names = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;
    const missing = names.filter((name) => !e[name]);
    if (missing.length === names.length) return;
    for (const name of missing)
      issues.addIssue({
        code: 'custom',
        path: [name],
        message: `is missing. ${names.join(', ')} must be set together`,
      });
    if (e.STRIPE_SECRET_KEY?.slice(3, 7) !== e.STRIPE_PUBLISHABLE_KEY?.slice(3, 7) && missing.length === 0)
      issues.addIssue({
        code: 'custom',
        path: ['STRIPE_PUBLISHABLE_KEY'],
        message: 'must use the same mode (test or live) as STRIPE_SECRET_KEY',
      });
  });

/** Whether the text is http or https, a host, and nothing else. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && pathname === '/' && !search && !username && !password;
}

/** Whether it is an https origin, or an http one on this machine (a test server). */
function isSafeOrigin(text: string): boolean {
  if (!isOrigin(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
  );
}

/** Whether an address is that of tiles: of exactly one host over https, so that pages may load from that host alone. */
function isTileUrl(text: string): boolean {
  const url = URL.parse(text);
  const parts = text.match(/\{[^{}]{0,40}\}/g) ?? [];
  return (
    url !== null &&
    url.protocol === 'https:' &&
    !url.username &&
    !url.password &&
    !url.hostname.includes('*') &&
    text.startsWith(`${url.origin}/`) &&
    parts.length === 3 &&
    ['{x}', '{y}', '{z}'].every((part) => parts.includes(part))
  );
}

/** The installation's settings, parsed once at boot. */
export interface Config {
  port: number;
  host: string;
  dataDir: string;
  /** If empty, an embedded PostgreSQL in dataDir. */
  databaseUrl: string | undefined;
  /** host:port of a PgBouncer in transaction mode in front of it. */
  databasePooler: string | undefined;
  /** The bucket that uploaded files are kept in; without one, they are kept in the data folder. */
  s3: S3Settings | undefined;
  /**
   * Where backups and the log of the embedded database are kept; the folder has only copies if there is a bucket.
   * `hours`: how often a backup is made, 0 for never; `days`: for how long back the database can be restored.
   */
  backups: { folder: string; s3: S3Settings | undefined; hours: number; days: number } | undefined;
  rootDomain: string;
  roles: Role[];
  seed: 'demo' | 'none';
  demoPassword: string;
  /** How many days of past data the demo has. */
  demoDays: number;
  /** 32 bytes: all secrets stored at rest are sealed under keys derived from it. */
  appKey: Buffer;
  /** Former keys, which still open values sealed under them. */
  previousAppKeys: Buffer[];
  plainBodies: 'allow' | 'refuse';
  /** Addresses (comma separated) whose X-Forwarded-For is trusted; empty for none. */
  trustProxy: string | undefined;
  /** A mail server; if empty, emails stay in the outbox. */
  smtpUrl: string | undefined;
  /** The sender's address for every tenant; if empty, no-reply@ the tenant's own host. */
  mailFrom: string | undefined;
  /** Origin at which users reach the master root, behind a proxy; if undefined, this process's own. */
  publicUrl: string | undefined;
  /** Port on loopback where a reverse proxy asks whether a host is ours; if undefined, there is no such listener. */
  askPort: number | undefined;
  /** Where Prometheus scrapes this process, on a listener of its own; undefined: nowhere. */
  metrics: { host: string; port: number } | undefined;
  /** The collector that traces are sent to, and the share of traces that are; undefined: none are made. */
  tracing: { endpoint: string; ratio: number } | undefined;
  /** What tenants point their own domains at: a host (CNAME), and addresses (A, AAAA) where they are fixed. */
  domainTarget: { host: string; addresses: string[] };
  /** What a password costs to hash (argon2id): KiB of memory and passes over it. Not a setting of operators. */
  passwordCost: { memoryCost: number; timeCost: number };
  /** Name servers for checking tenants' domains; if empty, the system's. */
  dnsServers: string[];
  /** reCAPTCHA instead of the built-in captcha. `url` is the base of siteverify. */
  recaptcha: { siteKey: string; secret: string; url: string } | undefined;
  /** Origin of the People Data Labs API, with which a root may have an account. */
  pdlApiBase: string;
  dropApiBase: string;
  /** IPinfo, which knows whose network an address is, instead of the sandbox's file. */
  ipinfo: { token: string; apiBase: string } | undefined;
  /** A vendor's map tiles under the areas of ad campaigns, with its key in the address, and the credit it asks for. */
  mapTiles: { url: string; attribution: string } | undefined;
  /** Simpli.fi instead of the sandbox exchange: its keys, and the organization that campaigns are created in. */
  simplifi: { appKey: string; userKey: string; organization: number; apiBase: string } | undefined;
  /** Stripe instead of the sandbox. `webhookSecrets`: one for each webhook endpoint, and former ones. */
  stripe:
    | { secretKey: string; publishableKey: string; webhookSecrets: string[]; apiBase: string }
    | undefined;
  /** What the platform is registered as at vendors that people sign in at, by vendor. */
  oauthClients: Readonly<Record<string, { id: string; secret: string }>>;
  /** Maximum connections from one address at a time, except for proxies; 0 for no limit. */
  connectionsPerAddress: number;
  /** How many people may sign up before sign-ups are held (features/campaigns/visits/signup.policy.ts). */
  signUpLimits: typeof SIGNUP_LIMITS;
  /** How many events a minute the visit log takes (features/campaigns/visits/rate.policy.ts). */
  visitLimits: typeof VISIT_LIMITS;
  /** How many megabytes of it a day (the same). */
  visitVolumes: typeof VISIT_VOLUMES;
  /** Whether the check of pixels opens pages in a browser, and whether that browser must have its sandbox. */
  pixelBrowser: 'sandboxed' | 'unsandboxed' | 'off';
  /** The browser's executable; if undefined, it is looked for where it usually is. */
  chromiumPath: string | undefined;
  /** Where to report a vulnerability (security.txt); if undefined, to the root's own email address. */
  securityContact: string | undefined;
  /** How long its event loop may be blocked before a process ends itself; 0 for never. */
  holdLimitSeconds: number;
  /** How long a process that is asked to stop waits for requests and jobs in progress. */
  stopSeconds: number;
  visitRetentionDays: number;
  /** Whether visits are committed before their answer, or flushed to a spool on this disk (features/campaigns/visits). */
  visitLog: 'database' | 'spool' | 'jetstream';
  /** The NATS cluster that visits are kept in, and where its servers tell about themselves. */
  nats:
    | {
        servers: string[];
        user: string | undefined;
        password: string | undefined;
        tls: boolean;
        monitors: string[];
        replicas: number;
        stream: string;
        bytes: number;
      }
    | undefined;
  logLevel: string;
}

/** A setting that cannot be used; the message names the variable and the rule. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Parses the environment. `--name=value` arguments take precedence over variables (`--roles=web` for ROLES). A missing
 * APP_KEY or DEMO_PASSWORD is generated and stored (mode 600) in the data folder. Throws ConfigError naming each
 * invalid variable.
 */
export function loadConfig(env: Record<string, string | undefined>, args: string[] = []): Config {
  const given: Record<string, string | undefined> = { ...env };
  for (const arg of args) {
    const [, name, value] = /^--([a-z-]+)=(.*)$/.exec(arg) ?? [];
    if (!name) throw new ConfigError(`Unknown argument ${arg}. Arguments look like --roles=web,worker`);
    given[name.toUpperCase().replaceAll('-', '_')] = value;
  }
  for (const name of Object.keys(given)) if (given[name] === '') delete given[name];
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`).join('\n'),
    );
  }
  const e = parsed.data;
  const dataDir = resolve(e.DATA_DIR);
  const seed = e.SEED ?? (e.DATABASE_URL ? 'none' : 'demo');
  const service = {
    region: e.S3_REGION,
    endpoint: e.S3_ENDPOINT,
    credentials:
      e.S3_ACCESS_KEY_ID && e.S3_SECRET_ACCESS_KEY
        ? { accessKeyId: e.S3_ACCESS_KEY_ID, secretAccessKey: e.S3_SECRET_ACCESS_KEY }
        : undefined,
  };
  // The first owner is set up at PUBLIC_URL, so the master root answers there unless it is told another host.
  const rootDomain = e.ROOT_DOMAIN ?? (e.PUBLIC_URL ? new URL(e.PUBLIC_URL).hostname : 'localhost');
  return {
    port: e.PORT,
    host: e.HOST,
    dataDir,
    databaseUrl: e.DATABASE_URL,
    databasePooler: e.DATABASE_POOLER,
    s3: e.S3_BUCKET ? { ...service, bucket: e.S3_BUCKET, prefix: e.S3_PREFIX } : undefined,
    backups: e.BACKUP_TO
      ? { ...placeOf(e.BACKUP_TO, dataDir, service), hours: e.BACKUP_HOURS, days: e.BACKUP_DAYS }
      : undefined,
    rootDomain,
    roles: [...new Set(e.ROLES)],
    seed,
    demoPassword:
      seed === 'demo'
        ? (e.DEMO_PASSWORD ?? kept(dataDir, 'demo-password', () => randomBytes(9).toString('base64url')))
        : '',
    demoDays: e.DEMO_DAYS,
    appKey: Buffer.from(
      e.APP_KEY ?? kept(dataDir, 'app-key', () => randomBytes(32).toString('base64url')),
      'base64',
    ),
    previousAppKeys: (e.APP_KEY_PREVIOUS ?? []).map((key) => Buffer.from(key, 'base64')),
    plainBodies: e.PLAIN_BODIES,
    trustProxy: e.TRUST_PROXY,
    smtpUrl: e.SMTP_URL,
    mailFrom: e.MAIL_FROM,
    publicUrl: e.PUBLIC_URL && new URL(e.PUBLIC_URL).origin,
    askPort: e.ASK_PORT,
    metrics: e.METRICS_PORT > 0 ? { host: e.METRICS_HOST, port: e.METRICS_PORT } : undefined,
    tracing: e.OTEL_EXPORTER_OTLP_ENDPOINT
      ? { endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT, ratio: e.OTEL_TRACES_SAMPLER_ARG }
      : undefined,
    domainTarget: { host: e.DOMAIN_TARGET ?? rootDomain, addresses: e.DOMAIN_ADDRESSES ?? [] },
    // OWASP's present recommendation for argon2id: 19 MiB, 2 passes, 1 lane.
    passwordCost: { memoryCost: 19_456, timeCost: 2 },
    dnsServers: e.DNS_SERVERS ?? [],
    recaptcha:
      e.RECAPTCHA_SITE_KEY && e.RECAPTCHA_SECRET
        ? { siteKey: e.RECAPTCHA_SITE_KEY, secret: e.RECAPTCHA_SECRET, url: e.RECAPTCHA_URL }
        : undefined,
    stripe:
      e.STRIPE_SECRET_KEY && e.STRIPE_PUBLISHABLE_KEY && e.STRIPE_WEBHOOK_SECRET
        ? {
            secretKey: e.STRIPE_SECRET_KEY,
            publishableKey: e.STRIPE_PUBLISHABLE_KEY,
            webhookSecrets: e.STRIPE_WEBHOOK_SECRET,
            apiBase: e.STRIPE_API_BASE,
          }
        : undefined,
    pdlApiBase: e.PDL_API_BASE,
    dropApiBase: e.DROP_API_BASE,
    mapTiles: e.MAP_TILES_URL ? { url: e.MAP_TILES_URL, attribution: e.MAP_TILES_ATTRIBUTION } : undefined,
    simplifi:
      e.SIMPLIFI_APP_KEY && e.SIMPLIFI_USER_KEY && e.SIMPLIFI_ORGANIZATION
        ? {
            appKey: e.SIMPLIFI_APP_KEY,
            userKey: e.SIMPLIFI_USER_KEY,
            organization: e.SIMPLIFI_ORGANIZATION,
            apiBase: e.SIMPLIFI_API_BASE,
          }
        : undefined,
    ipinfo: e.IPINFO_TOKEN ? { token: e.IPINFO_TOKEN, apiBase: e.IPINFO_API_BASE } : undefined,
    oauthClients: Object.fromEntries(
      Object.entries(OAUTH_VENDORS).flatMap(([vendor, name]) => {
        const [id, secret] = [e[`${name}_CLIENT_ID`], e[`${name}_CLIENT_SECRET`]];
        return id && secret ? [[vendor, { id, secret }]] : [];
      }),
    ),
    connectionsPerAddress: e.CONNECTIONS_PER_ADDRESS,
    pixelBrowser: e.PIXEL_BROWSER,
    chromiumPath: e.CHROMIUM_PATH,
    securityContact: e.SECURITY_CONTACT,
    signUpLimits: e.SIGNUP_LIMITS,
    visitLimits: e.VISIT_LIMITS,
    visitVolumes: e.VISIT_VOLUMES,
    holdLimitSeconds: e.HOLD_LIMIT_SECONDS,
    stopSeconds: e.STOP_SECONDS,
    visitRetentionDays: e.VISIT_RETENTION_DAYS,
    nats: e.NATS_URL && natsOf(e.NATS_URL, e),
    visitLog: e.VISIT_LOG ?? (e.DATABASE_URL ? 'database' : 'spool'),
    logLevel: e.LOG_LEVEL,
  };
}

/** Where backups are kept: a folder, or a bucket with a folder for what is on its way there. */
function placeOf(
  to: string,
  dataDir: string,
  service: Omit<S3Settings, 'bucket' | 'prefix'>,
): { folder: string; s3: S3Settings | undefined } {
  const [, bucket, prefix = ''] = S3_ADDRESS.exec(to) ?? [];
  return bucket
    ? { folder: join(dataDir, 'backups'), s3: { ...service, bucket, prefix } }
    : { folder: resolve(to), s3: undefined };
}

/** The cluster at these addresses; a user and password in the first are those for all. */
function natsOf(
  urls: string[],
  e: Pick<z.infer<typeof environment>, 'NATS_MONITORS' | 'NATS_REPLICAS' | 'NATS_STREAM' | 'NATS_STREAM_MB'>,
): NonNullable<Config['nats']> {
  const [first] = urls.map((url) => new URL(url));
  return {
    servers: urls.map((url) => new URL(url).host),
    user: first?.username ? decodeURIComponent(first.username) : undefined,
    password: first?.password ? decodeURIComponent(first.password) : undefined,
    tls: first?.protocol === 'tls:',
    monitors: e.NATS_MONITORS ?? [],
    replicas: e.NATS_REPLICAS,
    stream: e.NATS_STREAM,
    bytes: e.NATS_STREAM_MB * 1024 * 1024,
  };
}

/** Returns where the data is, for commands that must not create anything there yet. */
export function loadDataDir(env: Record<string, string | undefined>): string {
  return resolve(env.DATA_DIR || './data');
}

function kept(dataDir: string, name: string, make: () => string): string {
  const file = join(dataDir, name);
  try {
    if (!existsSync(file)) {
      mkdirSync(dataDir, { recursive: true });
      // Written completely or not at all: half a key would be kept for good.
      const fresh = `${file}.${process.pid}`;
      writeFileSync(fresh, make(), { mode: 0o600 });
      try {
        linkSync(fresh, file);
      } catch (error) {
        const { code } = error as { code?: string };
        if (code !== 'EEXIST') renameSync(fresh, file); // a file system without link support
      } finally {
        rmSync(fresh, { force: true });
      }
    }
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`DATA_DIR: ${dataDir} cannot be used (${(error as Error).message})`);
  }
}
