import type { Module } from '../../../contract/setup.ts';

/** The modules that this version can run; others exist in name only and are shown to nobody. */
const BUILT: readonly Module[] = ['local', 'locator', 'enhance', 'b2b'];

/** The features in trial as every root begins with them (BETA-01). */
export const BETA_FEATURES = [
  { id: 1, name: 'Data Wallet', slug: 'data_wallet', is_beta: true, apply_to_all_agency: false },
  { id: 2, name: 'B2B ID', slug: 'b2b_module', is_beta: true, apply_to_all_agency: false },
  { id: 3, name: 'Simplifi ID', slug: 'simplifi_module', is_beta: true, apply_to_all_agency: false },
] as const;

export interface Beta {
  id: number;
  name: string;
  slug: (typeof BETA_FEATURES)[number]['slug'];
  is_beta: boolean;
  apply_to_all_agency: boolean;
}

/** What a company chose among what the one above has; null: all of it. */
export const narrow = <T extends string>(above: readonly T[], chosen: readonly string[] | null): T[] =>
  above.filter((one) => !chosen || chosen.includes(one));

/** The modules that a root has: simplifi only the master's system (spec product 6, Menu). */
export const modulesOfRoot = (isMaster: boolean, chosen: readonly string[] | null): Module[] =>
  narrow(
    BUILT.filter((module) => module !== 'simplifi' || isMaster),
    chosen,
  );

/** The trials that a root can open: the wallet and Simplifi are the master system's (spec product 6), a module has to be built. */
export const trialsOf = (isMaster: boolean): (typeof BETA_FEATURES)[number][] =>
  BETA_FEATURES.filter(
    ({ slug }) =>
      slug === 'b2b_module' || (isMaster && (slug === 'data_wallet' || BUILT.includes('simplifi'))),
  );

/** Without b2b and simplifi where their trial is not for this agency. */
export function withoutTrials(modules: Module[], betas: Beta[], isBetaUser: boolean): Module[] {
  const open = (slug: Beta['slug']): boolean =>
    betas.some((beta) => beta.slug === slug && beta.is_beta && (beta.apply_to_all_agency || isBetaUser));
  return modules.filter(
    (module) =>
      (module !== 'b2b' || open('b2b_module')) && (module !== 'simplifi' || open('simplifi_module')),
  );
}
