import type { Module } from '../../../../contract/accounts/setup.ts';

/** The modules that this version can run; the others exist in name only and are never shown. */
const BUILT: readonly Module[] = ['local', 'locator', 'enhance', 'b2b', 'simplifi'];

/** The trial features that every root starts with (BETA-01). */
export const BETA_FEATURES = [
  { id: 1, name: 'Data Wallet', slug: 'data_wallet', is_beta: true, for_all: false },
  { id: 2, name: 'B2B ID', slug: 'b2b_module', is_beta: true, for_all: false },
  { id: 3, name: 'Simplifi ID', slug: 'simplifi_module', is_beta: true, for_all: false },
] as const;

export interface Beta {
  id: number;
  name: string;
  slug: (typeof BETA_FEATURES)[number]['slug'];
  is_beta: boolean;
  for_all: boolean;
}

/** Returns what a company chose from what its parent has; null means all of it. */
export const narrow = <T extends string>(above: readonly T[], chosen: readonly string[] | null): T[] =>
  above.filter((one) => !chosen || chosen.includes(one));

/** Returns the modules that a root has; only the master's system has simplifi (spec product 6, Menu). */
export const modulesOfRoot = (isMaster: boolean, chosen: readonly string[] | null): Module[] =>
  narrow(
    BUILT.filter((module) => module !== 'simplifi' || isMaster),
    chosen,
  );

/**
 * Returns the trials that a root can open: the wallet and Simplifi belong to the master system (spec product 6), and a
 * module has to be built.
 */
export const trialsOf = (isMaster: boolean): (typeof BETA_FEATURES)[number][] =>
  BETA_FEATURES.filter(
    ({ slug }) =>
      slug === 'b2b_module' || (isMaster && (slug === 'data_wallet' || BUILT.includes('simplifi'))),
  );

/** Leaves out b2b and simplifi if their trial is not open to this agency. */
export function withoutTrials(modules: Module[], betas: Beta[], isBetaUser: boolean): Module[] {
  const open = (slug: Beta['slug']): boolean =>
    betas.some((beta) => beta.slug === slug && beta.is_beta && (beta.for_all || isBetaUser));
  return modules.filter(
    (module) =>
      (module !== 'b2b' || open('b2b_module')) && (module !== 'simplifi' || open('simplifi_module')),
  );
}
