import {
  KIND_WORDS,
  type PrivacyKind,
  type PrivacyState,
} from '../../../../contract/audience/privacy-rules.ts';
import { openPaper, type PaperBrand } from '../../../platform/paper.ts';

/** A decided request and its timeline. */
export interface Certified {
  number: string;
  id: string;
  /** In whose name it was answered: the company at whose host it was made. */
  party: string;
  kind: PrivacyKind;
  state: PrivacyState;
  name: string;
  email: string;
  agent: string;
  received: Date;
  due: Date;
  decided: Date;
  refusal: string | null;
  answer: string;
  done: string;
  timeline: readonly { at: Date; words: string }[];
  timeZone: string;
  /** The host of the page that checks the file. */
  host: string;
}

const inZone = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'long', timeStyle: 'long' }).format(at);

/** Returns the certificate of a request: what was asked, what was done, and when. */
export async function certificatePdf(shown: Certified, brand: PaperBrand): Promise<Buffer> {
  const isDone = shown.state === 'completed';
  const title = isDone ? 'Certificate of completion' : 'Certificate of refusal';
  const paper = await openPaper({
    title: `${title} - ${shown.number}`,
    from: shown.party,
    at: shown.decided,
    brand,
    shows: shown,
  });
  const { left, width } = paper;
  const write = (words: string, look: Parameters<typeof paper.block>[4] = {}, after = 4): void => {
    const leading = (look.size ?? 9) * 1.45;
    for (const line of paper.lines(words, width, look)) {
      paper.room(leading);
      paper.put(line, left, paper.y, look);
      paper.y += leading;
    }
    paper.y += after;
  };
  const row = (name: string, value: string): void => {
    if (value === '') return;
    const lines = paper.lines(value, width - 170);
    paper.room(lines.length * 13 + 6);
    paper.put(name, left, paper.y, { color: paper.gray });
    for (const [at, line] of lines.entries()) paper.put(line, left + 170, paper.y + at * 13);
    paper.y += Math.max(1, lines.length) * 13 + 6;
  };
  if (paper.logo(160, 48)) paper.y += 60;
  write(title, { size: 18, bold: true, color: paper.accent });
  write(`Privacy request ${shown.number}, answered by ${shown.party}.`, { color: paper.gray }, 8);
  paper.rule(paper.accent, 1.5);
  paper.y += 14;
  row('Request', KIND_WORDS[shown.kind]);
  row('Of', shown.name === '' ? 'Erased person' : `${shown.name} (${shown.email})`);
  row('Through the agent', shown.agent);
  row('Received', inZone(shown.received, shown.timeZone));
  row('To be answered by', inZone(shown.due, shown.timeZone));
  row('Answered', inZone(shown.decided, shown.timeZone));
  row('Result', isDone ? shown.done : `Refused: ${shown.refusal ?? ''}.`);
  row('Message to the person', shown.answer);
  row('ID', shown.id);
  paper.y += 10;
  write('Timeline', { size: 11, bold: true });
  for (const { at, words } of shown.timeline) row(inZone(at, shown.timeZone), words);
  paper.y += 8;
  write(
    `This file is signed in the name of ${shown.party}. Any change to it, even of a single byte, breaks the signature. ` +
      `To check it, open ${shown.host}/verify and drop the file there. ` +
      'A program that does not know the certificate says so, which does not affect the check for changes.',
    { color: paper.gray },
  );
  return paper.finish(`${title}. ${shown.party}`);
}
