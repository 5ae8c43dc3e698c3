// Plain lists shared by server and browser.

/**
 * The themes of keywords that are blocked: what people search for there is nobody’s business (docs/decisions/0487-keyword-themes.md). The
 * place in the list is the bit of a theme in a set of them.
 */
export const KEYWORD_THEMES = ['health', 'minors', 'religion', 'distress'] as const;
export type KeywordTheme = (typeof KEYWORD_THEMES)[number];

export const KEYWORD_THEME_WORDS: Record<KeywordTheme, string> = {
  health: 'Health',
  minors: 'Minors',
  religion: 'Religion',
  distress: 'Distress',
};

/** What each theme covers, for whoever decides whether to allow it. */
export const KEYWORD_THEME_ABOUT: Record<KeywordTheme, string> = {
  health: 'Illnesses, their treatment, mental health, reproduction, and addiction',
  minors: 'Searches by children and teenagers',
  religion: 'Faiths, their places, and their practice',
  distress: 'Debt, eviction, bankruptcy, crime, and crises in the family',
};
