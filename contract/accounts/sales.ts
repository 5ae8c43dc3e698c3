import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Id, Instant, Page, PageQuery } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { CompanyNode } from './companies.ts';
import { editedFields } from './company-fields.ts';
import { SalesOf } from './staff.ts';

/** A sales person's relationship to a company. */
export const SalesRole = z.enum(['representative', 'account_executive', 'referrer']);

export type SalesRole = Inside<z.output<typeof SalesRole>>;

/**
 * For a company in one's care: the fields one may edit, and what else the list returns (spec product 3, Agency node).
 */
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
  ...editedFields,
  version: true,
});

/** A company as its salespeople see it: details of the owner only for companies assigned to them. */
export const SalesCompany = z.object({
  id: Id,
  company_name: z.string(),
  kind: z.enum(['agency', 'client']),
  created_at: Instant,
  clients: z.int().describe('Number of clients of an agency'),
  name: z.string().nullable().describe('The owner'),
  email: z.string().nullable(),
  roles: z.array(SalesRole).describe('Your roles; empty for a client of your agency'),
  user_id: Id.nullable().describe('The owner, for view mode; null: no owner, or not assigned to you'),
  details: SalesDetails.nullable().describe('Fields you can edit; null: not assigned to you'),
});

export type SalesCompany = Inside<z.output<typeof SalesCompany>>;

const tags = ['Sales'];
const Person = z
  .union([Id, z.literal('')])
  .nullish()
  .describe("'' or null: no one; omitted: unchanged");

/** Salespeople: which companies are in their care, what they see, and what they do for themselves. */
export const sales = {
  getSalesList: call
    .route({
      method: 'GET',
      path: '/configuration/sales/list',
      tags,
      summary: "Lists your company's salespeople and shows which are assigned to a company",
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
      summary: 'Assigns salespeople to an agency of your root or a client of your agency',
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
        "Lists what is assigned to you: a root's sales agencies, or the clients of companyID or of all of them; an agency's sales clients",
    })
    .meta({ access: 'sales.downline' })
    .input(PageQuery.extend({ companyID: Id.optional(), kind: z.enum(['agency', 'client']).optional() }))
    .output(Page(SalesCompany)),
};
