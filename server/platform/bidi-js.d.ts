declare module 'bidi-js' {
  /** The parts of the package that we use; its README describes them. */
  interface Bidi {
    /** The embedding level of each UTF-16 unit; an odd one is right-to-left. */
    getEmbeddingLevels(text: string, direction?: 'ltr' | 'rtl'): { levels: Uint8Array };
    /** What a character becomes in right-to-left text, such as ')' for '('; null: it stays. */
    getMirroredCharacter(character: string): string | null;
  }
  export default function createBidi(): Bidi;
}
