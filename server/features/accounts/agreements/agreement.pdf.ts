import type { AgreementText } from '../../../../contract/accounts/agreement-text.ts';
import { legalNote } from '../../../../contract/accounts/legal.ts';
import { openPaper, type PaperBrand } from '../../../platform/paper.ts';

/** A company's acceptance of its agreement, and both sides of it. */
export interface Accepted {
  /** The id of the file. */
  file: string;
  /** The text that was accepted or, if that was not kept, the template as it is now. */
  text: AgreementText;
  at: Date;
  appliesAt: Date | null;
  /** Who accepted it; null: they have been erased. */
  by: { name: string; email: string } | null;
  ip: string | null;
  device: string;
  secondFactor: '' | 'email' | 'google' | 'passkey';
  isReadToEnd: boolean;
  /** SHA-256 of the text they were shown; '': not kept. */
  textHash: string;
  /** Whether the text is the one that the hash was made from. */
  isSameText: boolean;
  company: string;
  /** The zone of the company that made the agreement, and that of the person; '': not recorded. */
  timeZone: string;
  ownTimeZone: string;
  /** The host of the page that checks the file. */
  host: string;
}

const FACTORS = {
  '': 'None',
  email: 'Code by email',
  google: 'Authenticator app',
  passkey: 'Passkey',
} as const;

const inZone = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'long', timeStyle: 'long' }).format(at);

/**
 * Returns the agreement of a company as a PDF: its text, and on a page of its own the certificate: by whom, when, and
 * from where it was accepted (AGCY-20, BEY-15).
 */
export async function agreementPdf(accepted: Accepted, brand: PaperBrand): Promise<Buffer> {
  const { company, text } = accepted;
  const { title, version, since, sections, party } = text;
  const paper = await openPaper({
    title: `${title} - ${company}`,
    from: party,
    at: accepted.at,
    brand,
    shows: accepted,
  });
  const { left, width } = paper;
  const write = (words: string, look: Parameters<typeof paper.block>[4] = {}, after = 4): void => {
    // Line by line, so that a long paragraph continues on the next page.
    const leading = (look.size ?? 9) * 1.45;
    for (const line of paper.lines(words, width, look)) {
      paper.room(leading);
      paper.put(line, left, paper.y, look);
      paper.y += leading;
    }
    paper.y += after;
  };
  const head = (words: string, below: string): void => {
    if (paper.logo(160, 48)) paper.y += 60;
    write(words, { size: 18, bold: true, color: paper.accent });
    write(below, { color: paper.gray }, 8);
  };
  head(title, `${party} and ${company}. Version ${version}, effective ${since}.`);
  if (text.isTemplate) write(legalNote(party), { size: 8, color: paper.gray }, 8);
  paper.rule(paper.accent, 1.5);
  paper.y += 14;
  for (const [at, { heading, paragraphs }] of sections.entries()) {
    paper.room(48);
    write(`${at + 1}. ${heading}`, { size: 11, bold: true });
    for (const words of paragraphs) write(words, { size: 9.5 }, 6);
    paper.y += 6;
  }
  if (!accepted.isSameText)
    write(
      accepted.textHash
        ? 'The wording or a name in it has changed since then. The text above is the current version.'
        : 'The wording that was shown was not kept. The text above is the current version.',
      { color: paper.gray },
    );
  paper.room(10_000);
  head('Certificate of acceptance', title);
  paper.rule(paper.accent, 1.5);
  paper.y += 14;
  const row = (name: string, value: string): void => {
    const lines = paper.lines(value, width - 170);
    paper.room(lines.length * 13 + 6);
    paper.put(name, left, paper.y, { color: paper.gray });
    for (const [at, line] of lines.entries()) paper.put(line, left + 170, paper.y + at * 13);
    paper.y += Math.max(1, lines.length) * 13 + 6;
  };
  row('Agreement', `${title}, version ${version}`);
  row('Between', `${party} and ${company}`);
  row('Accepted on behalf of', company);
  row('By', accepted.by ? `${accepted.by.name} (${accepted.by.email})` : 'Erased person');
  row('On', inZone(accepted.at, accepted.timeZone));
  if (accepted.ownTimeZone && accepted.ownTimeZone !== accepted.timeZone)
    row('In their own time zone', inZone(accepted.at, accepted.ownTimeZone));
  row('Coordinated universal time', accepted.at.toISOString());
  if (accepted.appliesAt) row('Applies from', inZone(accepted.appliesAt, accepted.timeZone));
  row('From', accepted.ip ?? 'Not recorded');
  row('Device', accepted.device || 'Not recorded');
  row('Second factor of the account', FACTORS[accepted.secondFactor]);
  row('Read to the end', accepted.isReadToEnd ? 'Yes' : 'Not recorded');
  row('SHA-256 of the text', accepted.textHash || 'Not recorded');
  row('File', accepted.file);
  paper.y += 8;
  write(
    `This file is signed in the name of ${party}. Any change to it, even of a single byte, breaks the signature. ` +
      `To check it, open ${accepted.host}/verify and drop the file there. ` +
      'A program that does not know the certificate says so, which does not affect the check for changes.',
    { color: paper.gray },
  );
  return paper.finish(`${title}. ${party}`);
}
