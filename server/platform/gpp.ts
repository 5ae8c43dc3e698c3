/**
 * Reads opt-outs from strings of the IAB's Global Privacy Platform, which consent managers of sites in the United States
 * keep (its specification, version 1.1): a header with the sections' numbers, then the sections, separated by `~`.
 */

/** The longest string that is read; real ones have a few hundred characters. */
export const LONGEST_GPP = 10_000;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The old US Privacy string: 1YNN. */
const USP = 6;
const CALIFORNIA = 8;

/**
 * Where the sections of the United States have the opt-outs of sale and of targeted advertising, in bits, each two bits
 * long and in this order; national and California's also have sharing, between them or instead of advertising. A section
 * that is not here (Europe's, Canada's) has none.
 */
const OPT_OUTS: Readonly<Record<number, { at: number; fields: number }>> = {
  7: { at: 18, fields: 3 },
  [CALIFORNIA]: { at: 12, fields: 2 },
  ...Object.fromEntries(
    [9, 10, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23].map((id) => [id, { at: 12, fields: 2 }]),
  ),
  11: { at: 14, fields: 2 },
  18: { at: 14, fields: 2 },
  ...Object.fromEntries([24, 25, 26, 27].map((id) => [id, { at: 16, fields: 2 }])),
};
/** The value of a field whose person has opted out. 0: not applicable, 2: did not opt out. */
const OPTED_OUT = 1;
/** The kind of a later segment that has Global Privacy Control. */
const GPC_SEGMENT = 1;

/** Bits of a base64url text, read one after the other. Throws where it has no more, or is none. */
class Bits {
  readonly #text: string;
  #at = 0;
  constructor(text: string) {
    this.#text = text;
  }
  take(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++, this.#at++) {
      const six = ALPHABET.indexOf(this.#text.charAt(this.#at / 6) || ' ');
      if (six < 0) throw new RangeError('too short, or not base64url');
      value = value * 2 + ((six >> (5 - (this.#at % 6))) & 1);
    }
    return value;
  }
  skip(count: number): this {
    this.#at += count;
    return this;
  }
  /** A number in Fibonacci coding: its last bit and the next one are 1. */
  fibonacci(): number {
    let [one, two] = [1, 2];
    let value = 0;
    for (let before = 0; ; ) {
      const bit = this.take(1);
      if (bit === 1 && before === 1) return value;
      if (bit === 1) value += one;
      if (value > 0xffff) throw new RangeError('too large');
      before = bit;
      [one, two] = [two, one + two];
    }
  }
}

/** The numbers of the sections of a string, from its header: type 3, version 1, then ranges. */
function sectionsIn(header: string): number[] {
  const bits = new Bits(header);
  if (bits.take(6) !== 3 || bits.take(6) !== 1) throw new RangeError('not a header');
  const ids: number[] = [];
  let last = 0;
  for (let left = bits.take(12); left > 0; left--) {
    const isRange = bits.take(1) === 1;
    const first = last + bits.fibonacci();
    last = isRange ? first + bits.fibonacci() : first;
    if (last > 1_000) throw new RangeError('too many sections');
    for (let id = first; id <= last; id++) ids.push(id);
  }
  return ids;
}

function isOptedOutIn(id: number, section: string): boolean {
  if (id === USP) return section[2]?.toUpperCase() === 'Y';
  const place = OPT_OUTS[id];
  if (!place) return false;
  const [core = '', ...more] = section.split('.');
  const bits = new Bits(core).skip(place.at);
  for (let i = 0; i < place.fields; i++) if (bits.take(2) === OPTED_OUT) return true;
  return more.some((segment) => {
    const rest = new Bits(segment);
    return rest.take(2) === GPC_SEGMENT && rest.take(1) === 1;
  });
}

/**
 * Whether a GPP string says that someone opted out of the sale or sharing of their data or of targeted advertising, or
 * sends Global Privacy Control. A string that cannot be read counts as one, because it may contain an opt-out; an empty
 * one, and anything that is not a text, does not.
 */
export function isOptedOut(gpp: unknown): boolean {
  if (typeof gpp !== 'string' || gpp === '') return false;
  if (gpp.length > LONGEST_GPP) return true;
  try {
    const [header, ...sections] = gpp.split('~');
    const ids = sectionsIn(header!);
    if (ids.length !== sections.length) return true;
    return ids.some((id, at) => isOptedOutIn(id, sections[at]!));
  } catch {
    return true;
  }
}
