import { z } from 'zod';
import { call } from './base.ts';
import { Flag, Id, Page, PageQuery } from './primitives.ts';

const Colour = z.string().nullable();

/** The payment terms there are (spec calls 9). */
const PaymentTerm = z.object({ value: z.string(), label: z.string() });
/** A module as a menu shows it. */
const MenuModule = z.object({ type: z.string(), name: z.string(), url: z.string() });
const Picture = z.object({ url: z.string(), width: z.int(), height: z.int() }).nullable();

/**
 * What the host's front door shows before anybody has signed in (spec product 3, Domain info). All of it is about the
 * tenant whose brand the host shows: an agency with a brand of its own shows nothing of its root
 * (docs/decisions/0016-white-label.md).
 */
export const FrontDoor = z.object({
  idsys: Id.describe("The host's root company"),
  company_id: Id,
  company_kind: z.enum(['root', 'agency', 'client']),
  masteridsys: Id.describe('The master root; outside its own tree an id that stands for it'),
  companyrootname: z.string(),
  companyrootlegalname: z.string(),
  companyrootnameshort: z.string(),
  address: z.string(),
  city: z.string(),
  zip: z.string(),
  state_code: z.string(),
  state_name: z.string(),
  phone: z.string(),
  domain: z.string().describe('The host that was asked for'),
  subdomain: z.string().describe("The tenant's host below its root's domain, or empty"),
  userrootname: z.string(),
  userrootemail: z.string().describe("The company's public address for mail, never somebody's login"),
  userrootaddress: z.string(),
  sppubkey: z.string().describe('Public key of the card payment provider; empty: none is connected'),
  recapkey: z.string().describe('Site key of an outside captcha; empty: the built-in one'),
  charges_enabled: z.boolean(),
  payouts_enabled: z.boolean(),
  account_requirements: z.array(z.string()),
  rootcomp: z.boolean().describe("Whether this is a root's own host"),
  agencyplatformroot: Flag.describe('Whether the root is the master root'),
  paymenttermlist: z.array(PaymentTerm),
  rootsidemenu: z.array(MenuModule).describe('The modules that the root has, under its names'),
  sidemenu: z.array(MenuModule).describe('The modules under the names of this host'),
  agencysidebar: z.array(MenuModule).describe('The modules of an agency host; empty at a root'),
  name: z.string(),
  tagline: z.string().nullable(),
  box_bgcolor: Colour,
  text_color: Colour,
  link_color: Colour,
  template_bgcolor: Colour,
  sidebar_bgcolor: Colour,
  font_theme: Colour,
  company_logo: Picture,
  favicon: z.string().nullable().describe('Path of the favicon; null: none has been uploaded'),
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
      summary: "The host's tenant and its brand",
    })
    .meta({ access: 'public' })
    .output(FrontDoor),
  domainOrSub: call
    .route({
      method: 'GET',
      path: '/general/domain-info/{domainorsub}',
      tags: ['Tenants'],
      summary: 'The same for another host, or for a subdomain of the root (getDomainorSubInfo)',
    })
    .meta({ access: 'public' })
    .input(z.object({ domainorsub: z.string().trim().min(1, 'is required').max(253) }))
    .output(FrontDoor),
  clients: call
    .route({
      method: 'GET',
      path: '/configuration/client/list',
      tags: ['Tenants'],
      summary: 'Clients of the agency or root, for choosing one',
    })
    .meta({ access: 'client.list' })
    .input(PageQuery)
    .output(Page(ClientRow)),
};
