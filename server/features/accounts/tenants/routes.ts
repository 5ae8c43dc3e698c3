import { hash } from 'node:crypto';
import { MODULES, PAYMENT_TERMS, US_STATES } from '../../../../contract/choices.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Tenant } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Platform } from '../../../platform/platform.ts';
import { pathOfPicture, type Tenants } from './service.ts';

type Labels = Record<string, { name: string; slug: string }>;

/** Returns the modules that a root has, as shown in a menu, in the product's order. */
const menuOf = (labels: Labels, has: readonly string[]) =>
  MODULES.filter(({ module }) => has.includes(module)).map(({ module, ...global }) => {
    const { name, slug } = labels[module] ?? global;
    return { type: module, name, url: slug };
  });

/** The connected account through which an agency is paid; known to a feature above. */
export interface Accounts {
  connected(
    tx: Tx,
    agencyId: string,
  ): Promise<{ charges_enabled: boolean; payouts_enabled: boolean; requirements: string[] } | null>;
}

/** Returns the front door of a tenant in its API form (spec product 3, Domain info). */
export function frontDoorOf(tenants: Tenants, { db, config }: Platform, accounts: Accounts) {
  return async (tenant: Tenant) => {
    const door = await tenants.frontDoor(tenant.companyId);
    const account = tenant.agencyId
      ? await inScope(db.app, { rootId: tenant.rootId }, (tx) => accounts.connected(tx, tenant.agencyId!))
      : null;
    const isMaster = (door.master_id ?? tenant.rootId) === tenant.rootId;
    const has = await tenants.modulesOfRoot(tenant.rootId, isMaster);
    // A logo that is nearly square also works as the favicon.
    const icon = door.favicon ?? (door.logo && isSquare(door.logo) ? door.logo : null);
    const address = [door.address, door.city, [door.state_code, door.zip].filter(Boolean).join(' ')];
    return {
      root_id: tenant.rootId,
      // Outside the master's own tree, its id belongs to another root, so a stand-in id is returned, the same for
      // everyone.
      master_root_id:
        door.master_id && door.master_id !== tenant.rootId
          ? standIn(door.master_id)
          : (door.master_id ?? tenant.rootId),
      company_id: tenant.companyId,
      company_kind: tenant.kind,
      root_name: door.name,
      root_legal_name: door.legal_name ?? door.company_name,
      root_short_name: door.short_name ?? door.name,
      address: door.address ?? '',
      city: door.city ?? '',
      zip: door.zip ?? '',
      state_code: door.state_code ?? '',
      state_name: US_STATES[door.state_code ?? ''] ?? '',
      phone: door.phone ?? '',
      domain: tenant.host,
      subdomain: door.subdomain ?? '',
      root_user_name: door.legal_name ?? door.company_name,
      root_user_email: door.email ?? '',
      root_user_address: address.filter(Boolean).join(', '),
      publishable_key: config.stripe?.publishableKey ?? '',
      captcha_key: config.recaptcha?.siteKey ?? '',
      charges_enabled: account?.charges_enabled ?? false,
      payouts_enabled: account?.payouts_enabled ?? false,
      account_requirements: account?.requirements ?? [],
      is_root: tenant.kind === 'root',
      is_master_root: isMaster ? ('T' as const) : ('F' as const),
      payment_terms: PAYMENT_TERMS.map((term) => ({ value: term, label: term })),
      root_modules: menuOf(door.root_modules, has),
      modules: menuOf(door.modules, has),
      agency_sidebar: tenant.kind === 'root' ? [] : menuOf(door.modules, has),
      name: door.name,
      tagline: door.tagline,
      box_bgcolor: door.box_bgcolor,
      text_color: door.text_color,
      link_color: door.link_color,
      template_bgcolor: door.template_bgcolor,
      sidebar_bgcolor: door.sidebar_bgcolor,
      font_theme: door.font_theme,
      company_logo: door.logo && {
        url: pathOfPicture(door.logo),
        width: door.logo.width,
        height: door.logo.height,
      },
      favicon: icon ? pathOfPicture(icon) : null,
      local_name: door.modules.local?.name ?? 'Site ID',
      local_url: door.modules.local?.slug ?? 'site-id',
    };
  };
}

/** The endpoints of the feature. */
export function tenantsRoutes(tenants: Tenants, platform: Platform, accounts: Accounts) {
  const { db, config } = platform;
  const frontDoor = frontDoorOf(tenants, platform, accounts);
  const handlers: Handlers<typeof contract.tenants> = {
    frontDoor: (ctx) => frontDoor(ctx.tenant),
    async domainOrSub(ctx, { host }) {
      const name = host.toLowerCase().replace(/\.$/, '');
      const below = name.includes('.') ? null : await tenants.rootHost(ctx.tenant.rootId);
      const found = (await tenants.byHost(name)) ?? (below ? await tenants.byHost(`${name}.${below}`) : null);
      // The hosts of another root are private, and at an agency's host those of other agencies.
      const { rootId, agencyId } = ctx.tenant;
      if (found?.rootId !== rootId || (agencyId && found.agencyId !== agencyId))
        throw new Refusal('not_found', ownMessages.notFound);
      return frontDoor(found);
    },
    clients: (ctx, input) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await tenants.clients(
          tx,
          input.search ?? '',
          input.per_page,
          (input.page - 1) * input.per_page,
        );
        return page(rows, total, input);
      }),
  };

  const plain: PlainRoute[] = [
    {
      method: 'GET',
      url: '/.well-known/security.txt',
      access: 'public',
      tag: 'Tenants',
      summary: 'Returns where to report a security vulnerability (RFC 9116)',
      async handler(ctx, _request, reply) {
        // Of whose brand the host has: an agency's names nobody else. The address defined by RFC 2142, if there is none.
        const { email } = await tenants.frontDoor(ctx.tenant.companyId);
        const ours = ctx.tenant.kind === 'root' ? config.securityContact : undefined;
        const contact = ours ?? `mailto:${email ?? `security@${ctx.tenant.host}`}`;
        return reply
          .type('text/plain; charset=utf-8')
          .header('Cache-Control', 'public, max-age=86400')
          .send(securityText(contact, `${ctx.origin}/.well-known/security.txt`, ctx.clock.now()));
      },
    },
    {
      method: 'GET',
      url: '/brand/:file',
      access: 'public',
      tag: 'Tenants',
      summary:
        'Returns a logo or favicon for the host’s brand or for a company below it. A changed image gets a new address',
      async handler(ctx, request, reply) {
        const [, id] = /^([0-9a-f-]{36})\.(?:png|jpg)$/.exec((request.params as { file: string }).file) ?? [];
        const picture = id && isUuid(id) ? await tenants.picture(ctx.tenant, id) : undefined;
        if (!picture) throw new Refusal('not_found', messages.notFoundText);
        return reply
          .header('Cache-Control', 'public, max-age=31536000, immutable')
          .header('Content-Security-Policy', "default-src 'none'")
          .header('Cross-Origin-Resource-Policy', 'same-origin')
          .type(picture.type)
          .send(picture.bytes);
      },
    },
  ];
  return { handlers, plain };
}

/** Half a year: long enough to need no maintenance, and less than the year that the RFC allows. */
const EXPIRES_MS = 182 * 86_400_000;

/** Returns a security.txt according to RFC 9116. */
function securityText(contact: string, canonical: string, now: Date): string {
  const expires = new Date(Math.ceil((now.getTime() + EXPIRES_MS) / 86_400_000) * 86_400_000);
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${canonical}`,
    '',
  ].join('\n');
}

/** Returns an id that does not belong to any company, always the same for the same company. */
function standIn(id: string): string {
  const h = hash('sha256', `master root ${id}`);
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-8${h.slice(13, 16)}-8${h.slice(17, 20)}-${h.slice(20, 32)}`;
}

const isSquare = ({ width, height }: { width: number; height: number }): boolean =>
  Math.max(width, height) <= 1.25 * Math.min(width, height);

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
