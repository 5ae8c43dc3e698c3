type CompanyKind = 'root' | 'agency' | 'client';

/** What each entry of the sidebar is for, by title and whose it is. */
const ENTRIES: Record<string, string | Partial<Record<CompanyKind, string>>> = {
  'Set up': 'What your account still needs before it can start.',
  Home: {
    client:
      'Your numbers at a glance, and what needs your attention. Until the first lead, the steps to get there.',
    agency: 'How your clients are doing, what you earn, and what needs your attention.',
    root: 'How your agencies are doing, what the platform earns, and what needs your attention.',
  },
  Agencies:
    'The agencies that resell the platform: add one, set its prices, and see the product as its users do.',
  Clients: 'Your clients: add one, set its prices, and see the product as its users do.',
  Leads: {
    client: 'Everyone your campaigns have found, why, and where they were delivered.',
    agency: 'Everyone your clients’ campaigns have found, and where they were delivered.',
    root: 'Everyone the campaigns on your platform have found.',
  },
  Campaigns:
    'Where leads come from: your site’s visitors, searches, and lists. Build, pause, and change campaigns here.',
  Data: 'The people and companies that visits and signals are matched with, and where they came from.',
  Money: {
    client: 'Balances, invoices, and statements: every dollar, down to the lead it was for.',
    agency:
      'Your wallet, your clients’ invoices, and your margin: every dollar, down to the lead it was for.',
    root: 'Prices, invoices, and payouts: every dollar, down to the lead it was for.',
  },
  'Connect your account': 'Where your payouts go.',
  Lists: 'People who must never become leads, and customers you already know.',
  Settings: {
    client: 'Users, roles, and integrations.',
    agency: 'Your brand and domain, users, roles, and integrations.',
    root: 'Your brand and domain, users, roles, and what agencies can do.',
  },
};

/** The steps of the tour, in the order of the sidebar: what is pointed at, its name, and its words. */
export function tourSteps(kind: CompanyKind, titles: readonly string[]) {
  const entries = titles.flatMap((title) => {
    const words = ENTRIES[title];
    const text = typeof words === 'string' ? words : words?.[kind];
    return text ? [{ mark: `entry:${title}`, title, text }] : [];
  });
  return [
    ...entries,
    {
      mark: 'search',
      title: 'Search',
      text: 'Find pages, actions, campaigns, and leads from anywhere with Ctrl K or Cmd K.',
    },
    {
      mark: 'profile',
      title: 'Your account',
      text: 'Your profile, password, and two-factor authentication. This tour is here too.',
    },
  ];
}

/**
 * Shows the user around (spec product 2): Skip tour, Previous, Next, Finish; escape ends it, the arrow keys go on and
 * back. On a phone the sidebar is closed, and nothing is pointed at.
 */
export async function startTour(kind: CompanyKind): Promise<void> {
  const titles = Array.from(document.querySelectorAll<HTMLElement>('[data-tour^="entry:"]'), (entry) =>
    entry.dataset.tour!.slice('entry:'.length),
  );
  const [{ driver }] = await Promise.all([import('driver.js'), import('driver.js/dist/driver.css')]);
  await import('./tour.css');
  const isPhone = window.matchMedia('(max-width: 48em)').matches;
  const back = document.activeElement as HTMLElement | null;
  const tour = driver({
    steps: tourSteps(kind, titles).map(({ mark, title, text }) => ({
      ...(isPhone ? {} : { element: `[data-tour="${CSS.escape(mark)}"]` }),
      popover: { title, description: text, side: 'right', align: 'center' },
    })),
    popoverClass: 'tour',
    animate: !window.matchMedia('(prefers-reduced-motion: reduce)').matches,
    overlayOpacity: 0.55,
    stagePadding: 4,
    stageRadius: 8,
    allowScroll: false,
    disableActiveInteraction: true,
    skipMissingElement: true,
    showProgress: true,
    progressText: '{{current}} of {{total}}',
    nextBtnText: 'Next',
    prevBtnText: 'Previous',
    doneBtnText: 'Finish',
    showButtons: ['next', 'previous'],
    onPopoverRender({ footerButtons }) {
      const skip = document.createElement('button');
      skip.type = 'button';
      skip.className = 'tour-skip';
      skip.textContent = 'Skip tour';
      skip.addEventListener('click', () => tour.destroy());
      footerButtons.prepend(skip);
    },
    // The library marks what it points at as a button of the popover, which it is not.
    onHighlighted(element, _, { state }) {
      state.popover?.nextButton.focus();
      for (const name of ['aria-haspopup', 'aria-expanded', 'aria-controls']) element?.removeAttribute(name);
    },
    onDestroyed: () => back?.focus(),
  });
  tour.drive();
}
