const isApple = /mac|iphone|ipad/i.test(navigator.platform);

/** The keys that open the search over everything, as this device calls them. */
export const SEARCH_KEYS = isApple ? '⌘ K' : 'Ctrl K';

/** Every shortcut of the product, for the list under `?`. */
export const SHORTCUTS: readonly { title: string; keys: readonly [keys: string, does: string][] }[] = [
  {
    title: 'Anywhere',
    keys: [
      [SEARCH_KEYS, 'Search everything by name'],
      ['/', 'Go to the search of the list'],
      ['?', 'Show these shortcuts'],
      ['Esc', 'Close what is open'],
    ],
  },
  {
    title: 'In a search',
    keys: [
      ['↑ ↓', 'Go through the results'],
      ['Enter', 'Open the result'],
    ],
  },
  {
    title: 'In a list with ticks',
    keys: [
      ['Space', 'Tick a row'],
      ['↑ ↓', 'Go from row to row'],
      ['Shift', 'Tick a range'],
      ['Esc', 'Clear the ticks'],
    ],
  },
];
