const isApple = /mac|iphone|ipad/i.test(navigator.platform);

/** The keys that open the global search, as named on this device. */
export const SEARCH_KEYS = isApple ? '⌘ K' : 'Ctrl K';

const NEXT_KEYS = isApple ? '⌘ Enter' : 'Ctrl Enter';

/** Every shortcut of the product, for the list under `?`. */
export const SHORTCUTS: readonly { title: string; keys: readonly [keys: string, does: string][] }[] = [
  {
    title: 'Anywhere',
    keys: [
      [SEARCH_KEYS, 'Search everything by name, or run an action'],
      ['/', 'Go to list search'],
      ['?', 'Show keyboard shortcuts'],
      ['Esc', 'Close what is open'],
    ],
  },
  {
    title: 'In a search',
    keys: [
      ['↑ ↓', 'Move through results'],
      ['Enter', 'Open result'],
    ],
  },
  {
    title: 'In the list of leads',
    keys: [
      ['J', 'Open the first or next lead'],
      ['K', 'Previous lead'],
      ['X', 'Select the open lead'],
      ['D', 'Download selected leads'],
      ['Esc', 'Close the lead'],
    ],
  },
  {
    title: 'In steps',
    keys: [[NEXT_KEYS, 'Check and continue']],
  },
  {
    title: 'In a list with checkboxes',
    keys: [
      ['Space', 'Select a row'],
      ['↑ ↓', 'Move between rows'],
      ['Shift', 'Select a range'],
      ['Esc', 'Clear selection'],
    ],
  },
];
