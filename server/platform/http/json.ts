import { parse } from 'secure-json-parse';

/**
 * How deep arrays and objects may be nested: far more than any request needs, far less than what overflows the stack.
 */
export const MOST_DEPTH = 64;

/**
 * How many values an object may have: more than any request needs. Schemas check every value of a record before they can
 * refuse it; lists have their own bounds in the contract.
 */
export const MOST_NAMES = 1_000;

/**
 * Refuses untrusted JSON that would hold the process, before anything is parsed: nothing so deep that code walking it
 * runs out of stack, and no object with so many names that checking them takes long.
 * @param mostValues how many values all arrays and objects may have together
 * @throws SyntaxError if it is too deep, or has too many names or values
 */
export function boundJson(text: string, mostValues = Number.POSITIVE_INFINITY): void {
  /** For each open array (-1) or object, the number of commas between its values. */
  const open: number[] = [];
  let isText = false;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isText) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x5b || code === 0x7b) {
      if (open.push(code === 0x5b ? -1 : 0) > MOST_DEPTH)
        throw new SyntaxError(`JSON nested deeper than ${MOST_DEPTH} levels`);
    } else if (code === 0x5d || code === 0x7d) open.pop();
    else if (code === 0x2c) {
      if (++values >= mostValues) throw new SyntaxError(`JSON with more than ${mostValues} values`);
      const commas = open.at(-1) ?? -1;
      if (commas < 0) continue;
      if (commas + 2 > MOST_NAMES) throw new SyntaxError(`JSON object with more than ${MOST_NAMES} names`);
      open[open.length - 1] = commas + 1;
    }
  }
}

/**
 * Reads untrusted JSON within the bounds above, with no prototype in it.
 * @throws SyntaxError if it is not JSON, or not within them
 */
export function readJson(text: string, mostValues?: number): unknown {
  boundJson(text, mostValues);
  return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
}
