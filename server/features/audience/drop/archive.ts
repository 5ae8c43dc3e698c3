import { createReadStream } from 'node:fs';
import { Unzip, UnzipInflate } from 'fflate';
import type { DropList } from '../../../../contract/audience/drop-rules.ts';
import { fileOf, headerOf, type Row, readRow } from './policy.ts';

/** Rows of one file of an archive, in its order. `bad`: lines that are no rows. */
export interface Part {
  base: string;
  holds: DropList | 'Removed';
  rows: Row[];
  bad: number;
}

/** The archive is not as the service's documentation says. The message is for the root to read. */
export class ArchiveFault extends Error {
  override name = 'ArchiveFault';
}

/** Rows that are given at once, and the longest line that is still read. */
const STEP = 20_000;
const LONGEST = 1000;

/**
 * Reads an archive piece by piece, however large it is: at no time more than some thousand rows are in memory.
 * @throws ArchiveFault
 */
export async function* readArchive(path: string): AsyncGenerator<Part> {
  let ready: Part[] = [];
  let files = 0;
  let ended = 0;
  const unzip = new Unzip((file) => {
    const known = fileOf(file.name);
    if (!known) throw new ArchiveFault('The archive has a file that is not a list.');
    files++;
    const isRemoved = known.holds === 'Removed';
    const decoder = new TextDecoder();
    let rest = '';
    let isHead = true;
    let part: Part = { ...known, rows: [], bad: 0 };
    const take = (line: string) => {
      const text = line.trim();
      if (isHead) {
        if (text.replaceAll('"', '') !== headerOf(isRemoved))
          throw new ArchiveFault(`The list ${known.holds} has other columns than expected.`);
        isHead = false;
        return;
      }
      if (text === '') return;
      const row = readRow(text, isRemoved);
      if (row) part.rows.push(row);
      else part.bad++;
    };
    file.ondata = (error, data, final) => {
      if (error) throw new ArchiveFault('The archive is damaged.');
      const lines = (rest + decoder.decode(data, { stream: !final })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
      if (rest.length > LONGEST)
        throw new ArchiveFault(`The list ${known.holds} has a line that is too long.`);
      if (final && (rest !== '' || isHead)) take(rest);
      if (part.rows.length >= STEP || final) {
        ready.push(part);
        part = { ...known, rows: [], bad: 0 };
      }
      if (final) ended++;
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  const give = (): Part[] => {
    const parts = ready;
    ready = [];
    return parts;
  };
  const push = (data: Uint8Array, final: boolean) => {
    try {
      unzip.push(data, final);
    } catch (error) {
      throw error instanceof ArchiveFault ? error : new ArchiveFault('The archive is damaged.');
    }
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 64 * 1024 })) {
    push(chunk as Buffer, false);
    yield* give();
  }
  push(new Uint8Array(0), true);
  yield* give();
  if (files === 0 || ended < files) throw new ArchiveFault('The archive is damaged.');
}
