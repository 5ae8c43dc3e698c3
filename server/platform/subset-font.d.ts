declare module 'subset-font' {
  /** The parts of the package's options that we use; its README describes them. */
  interface Options {
    targetFormat: 'sfnt' | 'woff2';
    variationAxes: Record<string, number | { min: number; max: number }>;
    keepFeatures?: string[];
    noHinting?: boolean;
  }
  export default function subsetFont(font: Buffer, text: string, options: Options): Promise<Buffer>;
}
