import { mayUser } from '../../../../contract/accounts/permissions.ts';
import type { SearchHit } from '../../../../contract/accounts/search.ts';
import { maySee } from '../../../../contract/routing/routing.ts';
import type { SignedIn } from '../../../../contract/routing/routing-facts.ts';
import type { Choice } from './targets.ts';

/** What the palette can do. */
export interface Doer {
  /** Actions of the profile menu that are no pages, such as the Data Wallet. `also`: other words that find them. */
  menu: readonly { label: string; also?: string; run: () => void }[];
  /** The theme to switch to. */
  theme: 'dark' | 'light';
  setTheme: (theme: 'dark' | 'light') => void;
  help: () => void;
  logOut: () => void;
  /** Starts a phrase such as "pause", which a name completes. */
  begin: (phrase: string) => void;
  change: (action: 'pause' | 'activate', campaignId: string) => void;
  viewAs: (viewed: { user_id: string; name: string; company_name: string }) => void;
}

const SETUP = '/campaign-setup';
/** What can be done with a thing by its name: "pause spring sale". */
export const PHRASES = {
  pause: { label: 'Pause a campaign', also: 'stop hold' },
  activate: { label: 'Activate a campaign', also: 'start resume' },
  'view as': { label: 'View as a user', also: 'switch impersonate' },
} as const;
type Phrase = keyof typeof PHRASES;

const mayDo = (phrase: Phrase, { user }: SignedIn): boolean =>
  phrase === 'view as'
    ? !user.in_view_mode && user.company_kind !== 'client' && mayUser(user, 'view.switch')
    : mayUser(user, 'campaign.write');

/** Splits what was typed into a phrase and the name that completes it; without a phrase all of it is the name. */
export function phraseOf(text: string, facts: SignedIn): { phrase?: Phrase; name: string } {
  const lower = text.toLowerCase();
  const phrase = (Object.keys(PHRASES) as Phrase[]).find(
    (one) => (lower === one || lower.startsWith(`${one} `)) && mayDo(one, facts),
  );
  return phrase ? { phrase, name: text.slice(phrase.length).trim() } : { name: text };
}

/** Returns the actions that every word of the text finds; all of them if it is empty. */
export function actionsFor(text: string, facts: SignedIn, does: Doer): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const action = (
    key: string,
    title: string,
    also: string,
    to: string,
    run?: () => void,
    stays?: true,
  ): { also: string; choice: Choice } => ({
    also,
    choice: {
      group: 'Actions',
      key: `action ${key}`,
      title,
      detail: '',
      to,
      ...(run ? { run } : {}),
      ...(stays ? { stays } : {}),
    },
  });
  const all = [
    ...(mayUser(facts.user, 'campaign.create') && maySee(SETUP, facts)
      ? [action('new campaign', 'New campaign', 'create add build', SETUP)]
      : []),
    ...(Object.keys(PHRASES) as Phrase[])
      .filter((phrase) => mayDo(phrase, facts))
      .map((phrase) =>
        action(phrase, PHRASES[phrase].label, PHRASES[phrase].also, '', () => does.begin(`${phrase} `), true),
      ),
    ...does.menu.map(({ label, also, run }) => action(label, label, also ?? '', '', run)),
    action(
      'theme',
      does.theme === 'dark' ? 'Dark theme' : 'Light theme',
      'switch mode appearance colors',
      '',
      () => does.setTheme(does.theme),
    ),
    action('help', 'Keyboard shortcuts', 'help keys', '', does.help),
    action('log out', 'Log out', 'sign out logout', '', does.logOut),
  ];
  return all
    .filter(({ choice, also }) => {
      const title = choice.title.toLowerCase();
      return (
        words.every((word) => `${title} ${also}`.includes(word)) &&
        (words.length === 0 || words.some((word) => title.includes(word) || also.split(' ').includes(word)))
      );
    })
    .map(({ choice }) => choice);
}

/** Returns what a phrase does with each hit that it fits: running campaigns are paused, paused ones activated. */
export function phraseChoices(phrase: Phrase, hits: readonly SearchHit[], does: Doer): Choice[] {
  return hits.flatMap((hit): Choice[] => {
    const of = (title: string, detail: string, run: () => void): Choice[] => [
      { group: 'Actions', key: `${phrase} ${hit.id}`, title, detail, to: '', run },
    ];
    if (phrase === 'view as') {
      const viewed = { user_id: hit.user_id, name: hit.full_name || 'the owner', company_name: hit.name };
      return hit.type !== 'campaign' && hit.user_id
        ? of(`View as ${hit.full_name || hit.name}`, hit.name, () => does.viewAs(viewed))
        : [];
    }
    const wanted = phrase === 'pause' ? 'active' : 'paused';
    return hit.type === 'campaign' && hit.status === wanted
      ? of(
          `${phrase === 'pause' ? 'Pause' : 'Activate'} ${hit.name}`,
          [`#${hit.campaign_number}`, hit.company_name].filter(Boolean).join(' · '),
          () => does.change(phrase, hit.id),
        )
      : [];
  });
}
