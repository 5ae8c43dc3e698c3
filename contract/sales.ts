import { z } from 'zod';
import { call } from './base.ts';
import { CompanyNode } from './companies.ts';
import { Done, Id, Instant, Page, PageQuery } from './primitives.ts';
import { SalesOf } from './staff.ts';

/** How a sales person has to do with a company. */
export const SalesRole = z.enum(['representative', 'account_executive', 'referrer']);

export type SalesRole = z.output<typeof SalesRole>;

/** Of a company in one's care what one may edit, and what the list tells besides (spec product 3, Agency node). */
const SalesDetails = CompanyNode.pick({
  company_root_id: true,
  phonenum: true,
  phone_country_code: true,
  phone_country_calling_code: true,
  subdomain: true,
  orisubdomain: true,
  is_whitelabeling: true,
  api_mode: true,
  is_user_generate_api: true,
  is_marketing_services_agreement_developer: true,
  selected_payment_term: true,
  selected_modules: true,
  rootpaymentterm: true,
  rootmodules: true,
  disabledaddcampaign: true,
  enablephonenumber: true,
  version: true,
});

/** A company as its sales see it: the owner only of what is assigned to oneself. */
export const SalesCompany = z.object({
  id: Id,
  company_name: z.string(),
  kind: z.enum(['agency', 'client']),
  created_at: Instant,
  clients: z.int().describe('Clients of an agency'),
  name: z.string().nullable().describe('The owner'),
  email: z.string().nullable(),
  roles: z.array(SalesRole).describe("The own roles; empty for a client of one's agency"),
  user_id: Id.nullable().describe('The owner, to view as; null: none, or not in the own care'),
  details: SalesDetails.nullable().describe('What one may edit; null: not in the own care'),
});

export type SalesCompany = z.output<typeof SalesCompany>;

const tags = ['Sales'];
const Person = z
  .union([Id, z.literal('')])
  .nullish()
  .describe("'' or null: nobody; left out: as it is");

/** Sales people: in whose care companies are, what they see, and what they do for themselves. */
export const sales = {
  getSalesList: call
    .route({
      method: 'GET',
      path: '/configuration/sales/list',
      tags,
      summary: "The own company's sales people, and whom of them a company has",
    })
    .meta({ access: 'sales.assign' })
    .input(z.object({ companyID: Id }))
    .output(
      z.object({
        data: z.array(z.object({ id: Id, name: z.string(), isAccExecutive: z.enum(['T', 'F']) })),
        ...SalesOf.shape,
      }),
    ),
  setSalesPerson: call
    .route({
      method: 'PUT',
      path: '/configuration/sales',
      tags,
      summary: 'Set the sales people of an agency of the own root, or of a client of the own agency',
    })
    .meta({ access: 'sales.assign' })
    .input(z.object({ companyID: Id, salesRep: Person, salesAE: Person, salesRef: Person }))
    .output(Done),
  downline: call
    .route({
      method: 'GET',
      path: '/configuration/sales/downline',
      tags,
      summary:
        "What is assigned to oneself: a root's sales agencies, or the clients of companyID or of all; an agency's sales clients",
    })
    .meta({ access: 'sales.downline' })
    .input(PageQuery.extend({ companyID: Id.optional(), kind: z.enum(['agency', 'client']).optional() }))
    .output(Page(SalesCompany)),
};
