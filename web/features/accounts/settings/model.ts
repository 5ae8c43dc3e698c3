import type { SettingName, SettingValue } from '../../../../contract/accounts/settings.ts';
import type { Client } from '../../../../contract/index.ts';

export type { SettingName, SettingValue };

/** A setting as the server returns it. */
export type Setting<N extends SettingName> = Omit<Awaited<ReturnType<Client['settings']['get']>>, 'data'> & {
  data: SettingValue<N>;
};
export type DomainState = Awaited<ReturnType<Client['settings']['domain']>>;
export type Claim = NonNullable<DomainState['claim']>;

/** The brand's colors and what they are for, in form order. */
export const COLORS = [
  { field: 'box_bgcolor', label: 'Accent', help: 'Buttons, markers, and chart lines.' },
  { field: 'text_color', label: 'Text on accent', help: 'Used where it is readable on the accent color.' },
  { field: 'link_color', label: 'Links', help: 'Links and text in the accent color.' },
  { field: 'sidebar_bgcolor', label: 'Sidebar', help: 'Behind the menu on the left.' },
  { field: 'template_bgcolor', label: 'Sign-in background', help: 'Behind the box on the sign-in page.' },
] as const;
export type ColorField = (typeof COLORS)[number]['field'];

/** Returns a color as '#rrggbb', or null for an empty field; undefined if it is not a color. */
export function colorOf(text: string): string | null | undefined {
  const value = text.trim().toLowerCase();
  if (value === '') return null;
  const [, short, long] = /^#?(?:([0-9a-f]{3})|([0-9a-f]{6}))$/.exec(value) ?? [];
  if (short) return `#${[...short].map((c) => c + c).join('')}`;
  return long ? `#${long}` : undefined;
}

/** The message for a save that changed nothing. */
export const NOTHING = 'Nothing changed.';

/** Returns the labels of the fields that differ, to say what a save has changed. */
export function changedWords(before: object, after: object, labels: Record<string, string>): string {
  const old = before as Record<string, unknown>;
  const words = Object.entries(after)
    .filter(([field, value]) => JSON.stringify(old[field] ?? null) !== JSON.stringify(value ?? null))
    .map(([field]) => labels[field] ?? field);
  return words.length === 0 ? NOTHING : `Changed: ${words.join(', ')}.`;
}
