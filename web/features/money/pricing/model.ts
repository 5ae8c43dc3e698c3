import {
  COST_FIELDS,
  COST_TERMS,
  type CostPart,
  type CostTerm,
  type ModuleType,
} from '../../../../contract/choices.ts';
import { microsOf } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import { currencyFault } from '../../../ui/currency.ts';
import { money } from '../../../ui/format.ts';

/** Fees by module, payment term and the spec's name, as amounts of dollars. */
export type CostValues = Record<string, Record<string, Record<string, string>>>;
/** Which part of the product the tabs belong to (spec product 6). */
export type AppModule = 'LeadsPeek' | 'Simplifi';
interface Label {
  name: string;
  url: string;
}

export const FEE_WORDS: Record<CostPart, string> = {
  setup: 'One-time setup fee',
  month: 'Monthly platform fee',
  lead: 'Cost per lead',
  advanced: 'Cost per lead, advanced',
  company: 'Cost per company without a person',
};

/** The names of a module's fees with what each is for, in the order of the form. */
export const feesOf = (module: string): [name: string, part: CostPart][] =>
  Object.entries(COST_FIELDS[module as ModuleType] ?? {});

/** Returns a fee's label. */
export const feeWords = (module: string, part: CostPart): string =>
  module === 'local' && part === 'lead' ? 'Cost per lead, basic' : FEE_WORDS[part];

/**
 * The tabs of the modal: only local in LeadsPeek, enhance and b2b only with a name and a url, Simplifi only if the root
 * is the master (the server then returns its fees).
 */
export function costTabs(
  app: AppModule,
  labels: Partial<Record<string, Label>>,
  answered: CostValues,
): { module: string; name: string }[] {
  const wanted = app === 'Simplifi' ? ['simplifi'] : ['local', 'locator', 'enhance', 'b2b'];
  const fallback: Record<string, string> = {
    local: 'Site ID',
    locator: 'Search ID',
    simplifi: 'Simplifi ID',
  };
  return wanted.flatMap((module) => {
    if (!answered[module]) return [];
    const label = labels[module];
    if (label?.name && label.url) return [{ module, name: label.name }];
    return fallback[module] ? [{ module, name: label?.name || fallback[module] }] : [];
  });
}

/** Returns the changed fees as the call takes them; undefined if none changed. */
export function changedCosts(before: CostValues, after: CostValues): CostValues | undefined {
  const changed: CostValues = {};
  for (const [module, terms] of Object.entries(after))
    for (const [term, fees] of Object.entries(terms))
      for (const [name, amount] of Object.entries(fees)) {
        if (Number(before[module]?.[term]?.[name] ?? 0) === Number(amount || 0)) continue;
        changed[module] ??= {};
        changed[module][term] ??= {};
        changed[module][term][name] = amount || '0';
      }
  return Object.keys(changed).length > 0 ? changed : undefined;
}

/** Returns the errors that the form detects itself, by the path of the fee ('local.Weekly.LeadspeekCostperlead'). */
export function costFaults(values: CostValues): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const [module, terms] of Object.entries(values))
    for (const [term, fees] of Object.entries(terms))
      for (const [name, part] of feesOf(module)) {
        const fault = currencyFault(fees[name] ?? '', part === 'setup' || part === 'month' ? 2 : 6);
        if (fault) faults[`${module}.${term}.${name}`] = fault;
      }
  return faults;
}

/** Returns a minimum's text (spec product 5), if there is one. */
export const minimumWords = (least: string | undefined): string | undefined =>
  Number(least ?? 0) > 0
    ? messages.costPerLeadMinimum.replace('{amount}', money(Number(microsOf(least!))))
    : undefined;

/** Describes planned fees, one per line. */
export function plannedLines(data: CostValues, nameOf: (module: string) => string): string[] {
  return Object.entries(data).flatMap(([module, terms]) =>
    Object.entries(terms).map(
      ([term, fees]) =>
        `${nameOf(module)}, ${COST_TERMS[term as CostTerm]}: ${feesOf(module)
          .map(
            ([name, part]) =>
              `${feeWords(module, part).toLowerCase()} ${money(Number(microsOf(fees[name] ?? '0')))}`,
          )
          .join(', ')}`,
    ),
  );
}
