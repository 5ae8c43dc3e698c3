import { legalDocument, legalNote } from '../../../../contract/accounts/legal.ts';
import { openPaper, type PaperBrand } from '../../../platform/paper.ts';
import type { Document } from './policy.ts';

/** A company's acceptance of its agreement, and both sides of it. */
export interface Accepted {
  document: Document;
  version: string;
  at: Date;
  /** Who accepted it; null: they have been erased. */
  by: string | null;
  ip: string | null;
  /** SHA-256 of the text they were shown; '': not kept. */
  textHash: string;
  /** Whether the text below is the one that the hash was made from. */
  isSameText: boolean;
  /** The party in whose name the agreement is. */
  party: string;
  company: string;
  timeZone: string;
}

/**
 * Returns the agreement of a company as a PDF: its text, and by whom, when and from where it was accepted (AGCY-20).
 */
export async function agreementPdf(accepted: Accepted, brand: PaperBrand): Promise<Buffer> {
  const { party, company, document } = accepted;
  const text = legalDocument(document, party);
  const { title, version, since, sections } = text;
  const paper = await openPaper({
    title: `${title} - ${company}`,
    from: party,
    at: accepted.at,
    brand,
    shows: [accepted, text],
  });
  const { left, width } = paper;
  const write = (text: string, look: Parameters<typeof paper.block>[4] = {}, after = 4): void => {
    // Line by line, so that a long paragraph continues on the next page.
    const leading = (look.size ?? 9) * 1.45;
    for (const line of paper.lines(text, width, look)) {
      paper.room(leading);
      paper.put(line, left, paper.y, look);
      paper.y += leading;
    }
    paper.y += after;
  };
  if (paper.logo(160, 48)) paper.y += 60;
  write(title, { size: 18, bold: true, color: paper.accent });
  write(`${party} and ${company}. Version ${version}, effective ${since}.`, { color: paper.gray }, 8);
  write(legalNote(party), { size: 8, color: paper.gray }, 8);
  paper.rule(paper.accent, 1.5);
  paper.y += 14;
  for (const [at, { heading, paragraphs }] of sections.entries()) {
    paper.room(48);
    write(`${at + 1}. ${heading}`, { size: 11, bold: true });
    for (const words of paragraphs) write(words, { size: 9.5 }, 6);
    paper.y += 6;
  }
  paper.room(120);
  paper.rule();
  paper.y += 12;
  write('Acceptance', { size: 11, bold: true });
  const when = new Intl.DateTimeFormat('en-US', {
    timeZone: accepted.timeZone,
    dateStyle: 'long',
    timeStyle: 'long',
  }).format(accepted.at);
  for (const [name, value] of [
    ['Accepted on behalf of', company],
    ['By', accepted.by ?? 'Erased person'],
    ['On', when],
    ['From', accepted.ip ?? 'Not recorded'],
    ['Version', accepted.version],
    ['SHA-256 of the text', accepted.textHash || 'Not recorded'],
  ] as const)
    write(`${name}: ${value}`);
  if (!accepted.isSameText && accepted.textHash)
    write('The wording or a name in it has changed since then. The text above is the current version.', {
      color: paper.gray,
    });
  return paper.finish(`${title}. ${party}`);
}
