import type { Module } from '../../../../contract/accounts/setup.ts';
import { PAYMENT_TERMS } from '../../../../contract/choices.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import {
  BETA_FEATURES,
  type Beta,
  modulesOfRoot,
  narrow,
  trialsOf,
  withoutTrials,
} from './products.policy.ts';
import * as store from './products.store.ts';

/** The modules and payment terms of a company and at each level above it (domain, Modules). */
export interface Products {
  /** What the root has. */
  root: { modules: Module[]; terms: string[] };
  /** What the agency may use; the root's where the company is a root. */
  agency: { modules: Module[]; terms: string[] };
  /** What the company itself may use. */
  own: { modules: Module[]; terms: string[] };
  betas: Beta[];
  isBetaUser: boolean;
}

/**
 * Which products each company has, and which are in trial. Reads in the scope of the whole root, since it looks up the
 * hierarchy.
 */
export const products = {
  async of(
    tx: Tx,
    company: { id: string; root_id: string; agency_id: string | null; kind: string },
    isMaster: boolean,
  ): Promise<Products> {
    const ids = [...new Set([company.root_id, company.agency_id ?? company.root_id, company.id])];
    const rows = new Map((await store.productsOf(tx, ids)).map((row) => [row.company_id, row]));
    const changed = new Map((await store.betaFeatures(tx, company.root_id)).map((row) => [row.feature, row]));
    const betas: Beta[] = BETA_FEATURES.map((one) => {
      const row = changed.get(one.id);
      return row ? { ...one, is_beta: row.is_beta, for_all: row.for_all } : { ...one };
    });
    const isBetaUser = company.agency_id ? await store.isBetaUser(tx, company.agency_id) : false;
    const chosen = (id: string | null) => (id ? rows.get(id) : undefined);
    const root = {
      modules: modulesOfRoot(isMaster, chosen(company.root_id)?.modules ?? null),
      terms: narrow(PAYMENT_TERMS, chosen(company.root_id)?.terms ?? null),
    };
    const below = (above: typeof root, id: string | null) => ({
      modules: narrow(above.modules, chosen(id)?.modules ?? null),
      terms: narrow(above.terms as (typeof PAYMENT_TERMS)[number][], chosen(id)?.terms ?? null),
    });
    const seen = company.agency_id
      ? { ...root, modules: withoutTrials(root.modules, betas, isBetaUser) }
      : root;
    const agency = company.agency_id ? below(seen, company.agency_id) : seen;
    const own = company.kind === 'client' ? below(agency, company.id) : agency;
    return { root, agency, own, betas, isBetaUser };
  },
  /** Limits what a company may use; null removes the limit. */
  choose: store.saveProducts,
  defaultsOf: store.defaultsOf,
  setBetaFeature: store.saveBetaFeature,
  setBetaUser: store.setBetaUser,
  trialsOf,
  activeCampaign: store.activeCampaign,
  modulesOfRoot,
  /** Returns what one company chose; undefined means everything its parent has. */
  chosenOf: async (tx: Tx, companyId: string) => (await store.productsOf(tx, [companyId]))[0],
};
