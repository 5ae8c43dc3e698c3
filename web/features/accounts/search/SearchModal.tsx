import {
  Button,
  Kbd,
  Loader,
  Modal,
  Skeleton,
  Text,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconAddressBook,
  IconBolt,
  IconBuilding,
  IconFile,
  IconHistory,
  IconSearch,
  IconTarget,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { useFacts } from '../../../api/user.ts';
import { notifyFailed } from '../../../ui/notify.ts';
import { useCampaignAction } from '../../campaigns/campaigns/actions.tsx';
import { actionsFor, type Doer, PHRASES, phraseChoices, phraseOf } from './actions.ts';
import { recentOf, remember } from './recent.ts';
import classes from './search.module.css';
import { type Choice, choicesOf, GROUPS, type Group, pagesFor } from './targets.ts';

const ICONS: Record<Group, typeof IconFile> = {
  Actions: IconBolt,
  Recent: IconHistory,
  Pages: IconFile,
  Agencies: IconBuilding,
  Clients: IconAddressBook,
  Campaigns: IconTarget,
};

/** What users of each kind of company can find, for the search field's text. */
const FOUND = {
  root: 'pages, agencies, clients, and campaigns',
  agency: 'pages, clients, and campaigns',
  client: 'pages and campaigns',
} as const;

/**
 * The global search: pages, agencies, clients, and campaigns, usable by keyboard alone (docs/decisions/0060-search.md).
 */
export default function SearchModal({
  onClose,
  onLeave,
  onHelp,
  menu,
  onViewAs,
  onLogOut,
}: {
  /** Called when nothing was chosen: the focus returns to where it was. */
  onClose: () => void;
  onLeave: () => void;
  onHelp: () => void;
  /** Actions of the profile menu that are no pages. */
  menu: Doer['menu'];
  onViewAs: Doer['viewAs'];
  onLogOut: () => void;
}) {
  const facts = useFacts();
  const router = useRouter();
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const typed = text.trim();
  const { phrase, name } = phraseOf(typed, facts);
  const [settled] = useDebouncedValue(name, 300);
  const asks = settled.length >= 2 && settled === name;
  const query = useQuery({
    queryKey: ['search', settled],
    queryFn: ({ signal }) => api.search.find({ q: settled.slice(0, 100) }, { signal }),
    enabled: asks,
    // What can be done with a campaign depends on its state, which may have changed since.
    staleTime: 0,
  });
  const found = asks ? query.data : undefined;
  const isWaiting = name.length >= 2 && (!asks || query.isPending);
  const input = useRef<HTMLInputElement>(null);
  const scheme = useComputedColorScheme();
  const { setColorScheme } = useMantineColorScheme();
  const campaign = useCampaignAction();
  const does: Doer = {
    menu,
    theme: scheme === 'dark' ? 'light' : 'dark',
    setTheme: setColorScheme,
    help: onHelp,
    logOut: onLogOut,
    begin: (words) => {
      setText(words);
      setAt(0);
      input.current?.focus();
    },
    change: (action, campaignId) => {
      void api.campaigns
        .get({ campaign_id: campaignId })
        .then((one) => campaign.run(action, one))
        .catch((error: unknown) => notifyFailed(error, action === 'pause' ? 'Pause' : 'Activate'));
    },
    viewAs: onViewAs,
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what an action does changes with nothing that is listed
  const choices = useMemo(() => {
    const recent = typed ? [] : recentOf(facts);
    const kept = new Set(recent.map(({ key }) => key));
    const hits = found?.data ?? [];
    // What was typed may also be the name of an action itself: "Pause a campaign".
    const actions = [
      ...(phrase ? phraseChoices(phrase, hits, does) : []),
      ...(phrase && !name ? [] : actionsFor(typed, facts, does)),
    ];
    const pages = phrase ? [] : pagesFor(typed, facts).filter(({ key }) => !kept.has(key));
    return [...recent, ...pages, ...actions, ...choicesOf(hits, facts)];
  }, [typed, phrase, name, facts, found, scheme]);
  const active = Math.min(at, choices.length - 1);
  const optionId = (index: number) => `${id}-${index}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `list` is a ref; what is in sight follows the choice
  useEffect(() => {
    const option = list.current?.querySelector('[aria-selected=true]');
    // The first choice scrolls its group's title into view.
    if (active === 0) list.current?.scrollTo(0, 0);
    else option?.scrollIntoView({ block: 'nearest' });
  }, [active, choices.length]);

  const choose = (choice: Choice) => {
    // A phrase is completed where it was begun.
    if (choice.stays) return choice.run?.();
    remember(choice, facts.user.id);
    onLeave();
    if (choice.run) return choice.run();
    setTimeout(() => document.getElementById('main')?.focus({ preventScroll: true }));
    void router.navigate({ href: choice.to });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && choices.length > 0) {
      event.preventDefault();
      setAt((active + step + choices.length) % choices.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const choice = choices[active];
      if (choice) choose(choice);
    }
  };
  const told = isWaiting
    ? 'Searching'
    : choices.length === 0
      ? phrase && !name
        ? ''
        : 'No results'
      : `${choices.length} ${choices.length === 1 ? 'result' : 'results'}`;

  return (
    <Modal.Root opened onClose={onClose} size={600} yOffset="10vh" returnFocus={false}>
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <div className={classes.bar}>
          <IconSearch size={18} stroke={1.6} aria-hidden="true" />
          <input
            data-autofocus
            ref={input}
            className={classes.input}
            role="combobox"
            aria-label={`Search ${FOUND[facts.user.company_kind]}`}
            aria-expanded={choices.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={choices.length > 0 ? optionId(active) : undefined}
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            placeholder={`Search ${FOUND[facts.user.company_kind]}`}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={onKey}
          />
          {isWaiting && <Loader size={16} aria-hidden="true" />}
          <UnstyledButton className={classes.close} onClick={onClose}>
            <Kbd size="xs" aria-hidden="true">
              Esc
            </Kbd>
            <span className="sr-only">Close search</span>
          </UnstyledButton>
        </div>
        <div className="sr-only" role="status">
          {told}
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <div className={classes.list} ref={list} tabIndex={0}>
          <div id={`${id}-list`} role="listbox" aria-label="Results">
            {GROUPS.map((group) => {
              const Icon = ICONS[group];
              const first = choices.findIndex((one) => one.group === group);
              if (first < 0) return null;
              return (
                // biome-ignore lint/a11y/useSemanticElements: a group of options, which a fieldset is not
                <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
                  <div className={classes.group} id={`${id}-${group}`} role="presentation">
                    {group}
                  </div>
                  {choices
                    .filter((one) => one.group === group)
                    .map((choice, place) => {
                      const index = first + place;
                      return (
                        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
                        // biome-ignore lint/a11y/useFocusableInteractive: as above
                        <div
                          key={choice.key}
                          id={optionId(index)}
                          role="option"
                          aria-selected={index === active}
                          className={classes.option}
                          onMouseMove={() => setAt(index)}
                          onMouseDown={(event) => event.preventDefault()}
                          onClick={() => choose(choice)}
                        >
                          <Icon size={16} stroke={1.6} aria-hidden="true" />
                          <bdi className={classes.title} title={choice.title}>
                            {choice.title}
                          </bdi>
                          {choice.detail && (
                            <bdi className={classes.detail} title={choice.detail}>
                              {choice.detail}
                            </bdi>
                          )}
                        </div>
                      );
                    })}
                </div>
              );
            })}
          </div>
          {isWaiting && (
            <div className={classes.waiting} aria-hidden="true">
              {['70%', '55%', '62%'].map((width) => (
                <Skeleton key={width} height={14} width={width} my={13} />
              ))}
            </div>
          )}
          {asks && query.error && (
            <div className={classes.note} role="alert">
              <Text size="sm" fw={600}>
                Names could not be searched
              </Text>
              <Text size="sm" c="dimmed">
                {wordsOf(query.error)}
              </Text>
              <Button variant="default" size="xs" mt="xs" onClick={() => void query.refetch()}>
                Retry
              </Button>
            </div>
          )}
          {!isWaiting && !(asks && query.error) && choices.length === 0 && (
            <div className={classes.note}>
              <Text size="sm" fw={600}>
                {phrase && !name ? PHRASES[phrase].label : `No results for “${name}”`}
              </Text>
              <Text size="sm" c="dimmed">
                Search by part of a name or by campaign number.
              </Text>
            </div>
          )}
          {found?.more === 'T' && (
            <Text size="xs" c="dimmed" px="md" py="xs">
              There are more results. Type more of the name to narrow them down.
            </Text>
          )}
        </div>
        <div className={classes.foot}>
          <span className="not-on-phone">
            <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> to select, <Kbd size="xs">Enter</Kbd> to open
          </span>
          <UnstyledButton className={classes.help} onClick={onHelp}>
            Keyboard shortcuts
          </UnstyledButton>
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
