import { parse } from 'secure-json-parse';

/**
 * How deep arrays and objects may be nested: far more than any request needs, far less than what overflows the stack.
 */
export const MOST_DEPTH = 64;

/**
 * Reads untrusted JSON: no prototype in it, and nothing so deep that code walking it runs out of stack. The depth is
 * counted before anything is parsed.
 * @throws SyntaxError if it is not JSON, or too deep
 */
export function readJson(text: string): unknown {
  let depth = 0;
  let isText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isText) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MOST_DEPTH) throw new SyntaxError(`JSON nested deeper than ${MOST_DEPTH} levels`);
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
}
