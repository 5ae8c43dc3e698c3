import { FONT_LIST, type FontRules, type FontTheme } from '../../contract/accounts/fonts.ts';

let list: Promise<Record<FontTheme, FontRules>> | undefined;

/**
 * Makes the document know an offered font; the browser loads it as soon as something is shown in it. The tenant's own
 * comes with the page, the others only here.
 */
export async function offerFont(theme: FontTheme): Promise<void> {
  const known = () => document.querySelector(`style[data-font="${theme}"]`) !== null;
  if (known()) return;
  list ??= fetch(`/${FONT_LIST}`).then((answer) => answer.json());
  const rules = (await list)[theme];
  if (known()) return;
  const style = document.createElement('style');
  style.dataset.font = theme;
  style.textContent = rules.css;
  document.head.append(style);
}
