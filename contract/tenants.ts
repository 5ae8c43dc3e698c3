import { z } from 'zod';
import { call } from './base.ts';
import { Id, Page, PageQuery } from './primitives.ts';

const Colour = z.string().nullable();

/** What the host's front door shows before anybody has signed in (spec product 3, Domain info; the fields of this stage). */
export const FrontDoor = z.object({
  idsys: Id.describe("The host's root company"),
  company_id: Id,
  company_kind: z.enum(['root', 'agency', 'client']),
  companyrootname: z.string(),
  domain: z.string(),
  name: z.string(),
  tagline: z.string().nullable(),
  box_bgcolor: Colour,
  text_color: Colour,
  link_color: Colour,
  template_bgcolor: Colour,
  sidebar_bgcolor: Colour,
  font_theme: Colour,
  logo_svg: z.string().nullable().describe('A data: address of the logo'),
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
