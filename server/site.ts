import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fontTheme } from '../contract/accounts/fonts.ts';
import { isKnownPath } from '../contract/routing/routing.ts';
import { isViewing } from './features/accounts/auth/index.ts';
import { frontDoorOf } from './features/accounts/tenants/index.ts';
import { webFolder } from './platform/dist.ts';
import { addSite, type SitePage } from './platform/http/site.ts';
import type { Platform } from './platform/platform.ts';
import type { Services } from './services.ts';

/** What a host's pages show of its tenant. */
export const brandOf = (platform: Platform, { tenants, billing }: Services) =>
  frontDoorOf(tenants, platform, billing.accounts);

/** Serves the pages of the web app, each with the brand and the embed code of the tenant whose host it is. */
export function addPages(server: FastifyInstance, platform: Platform, services: Services): void {
  const { tenants, settings, auth } = services;
  const frontDoor = brandOf(platform, services);
  const pageOf = async (request: FastifyRequest): Promise<SitePage> => {
    const tenant = request.tenant!;
    const brand = await frontDoor(tenant);
    const code = await settings.embedFor(tenant);
    // In view mode, no embed code runs alongside a session that belongs to someone else.
    const embed = code && !(await isViewing(auth, request)) ? code : undefined;
    return {
      title: brand.name,
      favicon: brand.favicon,
      brand,
      font: fontTheme(brand.font_theme),
      embed,
    };
  };
  addSite(server, webFolder, pageOf, {
    recaptcha: Boolean(platform.config.recaptcha),
    stripe: Boolean(platform.config.stripe),
    tiles: platform.config.mapTiles && new URL(platform.config.mapTiles.url).origin,
    // Anyone in a root's system may sign in at the root's host, so the slugs of any of its agencies may be meant
    // there.
    isPage: async (path, tenant) =>
      isKnownPath(path, []) ||
      isKnownPath(path, tenant.kind === 'root' ? null : await tenants.slugsOf(tenant.companyId)),
  });
}
