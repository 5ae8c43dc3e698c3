import type { SearchHit } from '../../../../contract/accounts/search.ts';
import { maySee, modulePath } from '../../../../contract/routing/routing.ts';
import { modulesOf, type SignedIn } from '../../../../contract/routing/routing-facts.ts';
import { allPages } from '../../../../contract/routing/routing-menu.ts';

/** The groups of results, in display order. */
export const GROUPS = ['Recent', 'Pages', 'Actions', 'Agencies', 'Clients', 'Campaigns'] as const;
export type Group = (typeof GROUPS)[number];

/** A selectable result. */
export interface Choice {
  group: Group;
  /** Choices with the same key are the same thing. */
  key: string;
  title: string;
  /** Distinguishes it from others with the same name. */
  detail: string;
  /** The address it leads to; '' if it does something instead. */
  to: string;
  run?: () => void;
  /** Whether the palette stays open: the action only begins a phrase. */
  stays?: true;
}

const AGENCIES = '/configuration/agency-list';
const CLIENTS = '/configuration/client-management';
const withQuery = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;

/** Returns the agency list opened at an agency with its clients below it, for users without a client list. */
const inTree = (hit: SearchHit, client: string) =>
  hit.agency_id && hit.agency_name
    ? withQuery(AGENCIES, { q: hit.agency_name, open: hit.agency_id, client })
    : undefined;

/** Returns the page that a hit leads to; undefined if the user has no page that shows it. */
export function targetOf(hit: SearchHit, facts: SignedIn): string | undefined {
  const seen = (to: string | undefined) => (to && maySee(to.split('?')[0]!, facts) ? to : undefined);
  if (hit.type === 'agency') return seen(withQuery(AGENCIES, { q: hit.name }));
  if (hit.type === 'client') return seen(withQuery(CLIENTS, { q: hit.name })) ?? seen(inTree(hit, hit.name));
  const modules = modulesOf(facts);
  const module = modules.find((one) => one.module === hit.modules) ?? modules[0];
  const list = module && modulePath(module.slug, 'campaign-management');
  return seen(list && withQuery(list, { campaign: hit.id })) ?? seen(inTree(hit, hit.company_name));
}

const GROUP_OF = { agency: 'Agencies', client: 'Clients', campaign: 'Campaigns' } as const;
const parts = (...given: string[]) => given.filter(Boolean).join(' · ');

/** Returns the hits that lead somewhere, in the order of the groups. */
export function choicesOf(hits: readonly SearchHit[], facts: SignedIn): Choice[] {
  const own = facts.user.company_kind;
  const choices = hits.flatMap((hit): Choice[] => {
    const to = targetOf(hit, facts);
    if (!to) return [];
    const above = own === 'root' ? hit.agency_name : '';
    const detail =
      hit.type === 'campaign'
        ? parts(`#${hit.campaign_number}`, own === 'client' ? '' : hit.company_name, above)
        : parts(hit.type === 'client' ? above : '', hit.full_name);
    return [{ group: GROUP_OF[hit.type], key: `${hit.type} ${hit.id}`, title: hit.name, detail, to }];
  });
  return choices.sort((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group));
}

/**
 * Returns the pages whose name (including the module's, for a module's page) contains a word of the text, and whose
 * name or section contains the rest; all pages if the text is empty.
 */
export function pagesFor(text: string, facts: SignedIn): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return allPages(facts)
    .filter(({ label, section, module }) => {
      const name = (module ? `${section} ${label}` : label).toLowerCase();
      const whole = `${section} ${name}`.toLowerCase();
      return (
        words.every((word) => whole.includes(word)) &&
        (words.length === 0 || words.some((word) => name.includes(word)))
      );
    })
    .map(({ label, section, to }) => ({
      group: 'Pages',
      key: `page ${to}`,
      title: label,
      detail: section,
      to,
    }));
}
