import { z } from 'zod';
import { call } from '../base.ts';
import { Flag, Id, Page, PageQuery, Picture } from '../primitives.ts';

const Color = z.string().nullable();

/** The available payment terms (spec calls 9). */
const PaymentTerm = z.object({ value: z.string(), label: z.string() });
/** A module as a menu shows it. */
const MenuModule = z.object({ type: z.string(), name: z.string(), url: z.string() });

/**
 * What a host shows before anyone has signed in (spec product 3, Domain info). All of it is about the tenant whose
 * brand the host shows: an agency with its own brand shows nothing of its root (docs/decisions/0016-white-label.md).
 */
export const FrontDoor = z.object({
  idsys: Id.describe('Root company of the host'),
  company_id: Id,
  company_kind: z.enum(['root', 'agency', 'client']),
  masteridsys: Id.describe('The master root; outside its own tree, an ID that stands for it'),
  companyrootname: z.string(),
  companyrootlegalname: z.string(),
  companyrootnameshort: z.string(),
  address: z.string(),
  city: z.string(),
  zip: z.string(),
  state_code: z.string(),
  state_name: z.string(),
  phone: z.string(),
  domain: z.string().describe('The requested host'),
  subdomain: z.string().describe("The tenant's host under its root's domain, or empty"),
  userrootname: z.string(),
  userrootemail: z.string().describe("The company's public email address, never a user's sign-in"),
  userrootaddress: z.string(),
  sppubkey: z.string().describe('Public key of the card payment provider; empty: none connected'),
  recapkey: z.string().describe('Site key of an external captcha; empty: the built-in one'),
  charges_enabled: z.boolean(),
  payouts_enabled: z.boolean(),
  account_requirements: z.array(z.string()),
  rootcomp: z.boolean().describe("Whether this is a root's own host"),
  agencyplatformroot: Flag.describe('Whether the root is the master root'),
  paymenttermlist: z.array(PaymentTerm),
  rootsidemenu: z.array(MenuModule).describe('Modules the root has, with the root’s names'),
  sidemenu: z.array(MenuModule).describe('Modules with the names used on this host'),
  agencysidebar: z.array(MenuModule).describe('Modules of an agency host; empty for a root'),
  name: z.string(),
  tagline: z.string().nullable(),
  box_bgcolor: Color,
  text_color: Color,
  link_color: Color,
  template_bgcolor: Color,
  sidebar_bgcolor: Color,
  font_theme: Color,
  company_logo: Picture,
  favicon: z.string().nullable().describe('Path of the favicon; null: none uploaded'),
  leadlocalname: z.string(),
  leadlocalurl: z.string(),
});

export const ClientRow = z.object({ id: Id, company_name: z.string(), agency_name: z.string() });

export const tenants = {
  frontDoor: call
    .route({
      method: 'GET',
      path: '/general/domain-info',
      tags: ['Tenants'],
      summary: "Returns the host's tenant and its brand",
    })
    .meta({ access: 'public' })
    .output(FrontDoor),
  domainOrSub: call
    .route({
      method: 'GET',
      path: '/general/domain-info/{domainorsub}',
      tags: ['Tenants'],
      summary: 'Returns the same for another host, or for a subdomain of the root (getDomainorSubInfo)',
    })
    .meta({ access: 'public' })
    .input(z.object({ domainorsub: z.string().trim().min(1, 'is required').max(253) }))
    .output(FrontDoor),
  clients: call
    .route({
      method: 'GET',
      path: '/configuration/client/list',
      tags: ['Tenants'],
      summary: 'Lists the clients of the agency or root to choose from',
    })
    .meta({ access: 'client.list' })
    .input(PageQuery)
    .output(Page(ClientRow)),
};
