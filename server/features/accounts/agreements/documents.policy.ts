import type { AgreementText } from '../../../../contract/accounts/agreement-text.ts';
import { type LegalName, legalDocument, legalNote } from '../../../../contract/accounts/legal.ts';

const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const STYLE =
  'body{max-width:720px;margin:48px auto;padding:0 24px;font:16px/26px Georgia,serif;color:#1b1d22;background:#fff;' +
  'overflow-wrap:anywhere}h1{font-size:28px;line-height:36px;margin:0}h2{font-size:17px;margin:32px 0 8px}' +
  'p{margin:0 0 12px}.note{padding:12px 16px;background:#f6f7f9;font-size:14px;line-height:20px}' +
  '.line{color:#5c6370;font-size:14px}@media print{body{margin:0}}';

/**
 * The built-in template of a document.
 * @param party the tenant's name
 * @param company the company that reads it; '' for anyone
 */
export const templateOf = (name: LegalName, party: string, company = ''): AgreementText => ({
  ...legalDocument(name, party),
  party,
  company,
  isTemplate: true,
});

/** Returns a document as a complete HTML page for printing, without any scripts. */
export function documentHtml({ title, version, since, party, sections, isTemplate }: AgreementText): string {
  const body = sections
    .map(
      ({ heading, paragraphs }, i) =>
        `<h2>${i + 1}. ${escaped(heading)}</h2>${paragraphs.map((words) => `<p>${escaped(words)}</p>`).join('')}`,
    )
    .join('');
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)} - ${escaped(party)}</title>` +
    `<style>${STYLE}</style></head><body><h1>${escaped(title)}</h1>` +
    `<p class="line">${escaped(party)}. Version ${escaped(version)}, effective ${since}.</p>` +
    (isTemplate ? `<p class="note">${escaped(legalNote(party))}</p>` : '') +
    `${body}</body></html>`
  );
}
