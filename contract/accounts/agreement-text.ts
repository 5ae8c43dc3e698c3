import type { LegalDocument } from './legal.ts';

type Section = LegalDocument['sections'][number];

/** A document as a company is shown it: every variable replaced. */
export interface AgreementText {
  title: string;
  version: string;
  /** The date from which this wording applies, YYYY-MM-DD. */
  since: string;
  /** In whose name it is. */
  party: string;
  company: string;
  /** Whether it is the built-in template. */
  isTemplate: boolean;
  sections: Section[];
}

/** What can be written in a text in place of a value, as {{name}}. */
export const VARIABLES = {
  party: 'Your company’s name',
  company: 'The name of the company that accepts',
  version: 'The number of the version',
  effective_date: 'The date from which the version applies',
} as const;
export type Variable = keyof typeof VARIABLES;

/** A date, YYYY-MM-DD, as texts say it: December 28, 2026. */
export const dayInText = (day: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );

/** Not among the messages of the server, none of which are sent to the browser. */
export const READ_TO_END = 'Read the agreement to its end before you accept it.';

/** How long a text may be. */
export const MAX_BODY = 60_000;

/** The number of days that earlier acceptances hold after a new version is published. */
export const NOTICE_DAYS = { least: 7, usual: 30, most: 180 } as const;

const PLACES = /\{\{([^{}]*)\}\}/g;
const isVariable = (name: string): name is Variable => Object.hasOwn(VARIABLES, name);

/** What is wrong with a text: the first fault, in words; undefined if nothing is. */
export function faultOf(body: string): string | undefined {
  if (body.length > MAX_BODY) return `must not exceed ${MAX_BODY} characters`;
  if (!body.isWellFormed() || /[^\P{Cc}\n\r\t]/u.test(body)) return 'must not contain control characters';
  if (!body.trimStart().startsWith('# ')) return 'must begin with a heading: a line such as # Prices';
  for (const [whole, name = ''] of body.matchAll(PLACES))
    if (!isVariable(name.trim()))
      return `has the unknown variable ${whole.slice(0, 60)}. Known are ${Object.keys(VARIABLES)
        .map((one) => `{{${one}}}`)
        .join(', ')}`;
  const empty = parts(body).find(({ paragraphs }) => paragraphs.length === 0);
  if (empty) return `has no text below the heading ${empty.heading.slice(0, 60)}`;
  return undefined;
}

/** The sections of a text: headings are lines that begin with #, paragraphs are separated by blank lines. */
function parts(body: string): Section[] {
  const sections: Section[] = [];
  let paragraph: string[] = [];
  const end = () => {
    if (paragraph.length > 0) sections.at(-1)?.paragraphs.push(paragraph.join(' '));
    paragraph = [];
  };
  for (const raw of body.split('\n')) {
    const line = raw.trim();
    if (line.startsWith('# ')) {
      end();
      sections.push({ heading: line.slice(2).trim(), paragraphs: [] });
    } else if (line === '') end();
    else paragraph.push(line);
  }
  end();
  return sections;
}

/** The sections of a text with the values of its variables. */
export function sectionsOf(body: string, values: Record<Variable, string>): Section[] {
  const filled = (text: string): string =>
    text.replaceAll(PLACES, (whole, name: string) => {
      const known = name.trim();
      return isVariable(known) ? values[known] : whole;
    });
  return parts(body).map(({ heading, paragraphs }) => ({
    heading: filled(heading),
    paragraphs: paragraphs.map(filled),
  }));
}

/** The text of sections, to edit. */
export const bodyOf = (sections: readonly Section[]): string =>
  sections.map(({ heading, paragraphs }) => [`# ${heading}`, ...paragraphs].join('\n\n')).join('\n\n');
