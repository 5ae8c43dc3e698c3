import { useEffect, useRef, useState } from 'react';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import type { BannerDesign, BannerFault } from '../../../../contract/ads/banner-rules.ts';
import { loadFonts, loadImage, pngFrom } from './files.ts';
import { canvasOf, createPainter, type Images, newRoot, overflows, type Painter } from './paint.ts';

/** What a design is drawn with. */
export interface Assets {
  images: Images;
  /** Images that are gone. */
  gone: ReadonlySet<string>;
  missingFonts: readonly string[];
  /** How often fonts have arrived. */
  fonts: number;
  isReady: boolean;
}

/** The fonts of a design, each with the letters that are set in it. */
function lettersOf(design: BannerDesign): string {
  const sets = new Map<string, Set<string>>();
  for (const layer of design.layers) {
    if (layer.kind !== 'text') continue;
    const set = sets.get(layer.font) ?? new Set();
    for (const letter of layer.text) set.add(letter);
    sets.set(layer.font, set);
  }
  return [...sets].map(([font, set]) => `${font}:${[...set].sort().join('')}`).join('\n');
}

/** Loads the images and fonts of a design. What has been loaded stays. */
export function useAssets(design: BannerDesign): Assets {
  const [assets, setAssets] = useState<Assets>({
    images: new Map(),
    gone: new Set(),
    missingFonts: [],
    fonts: 0,
    isReady: false,
  });
  const ids = [
    ...new Set(design.layers.flatMap((layer) => (layer.kind === 'image' ? [layer.media_id] : []))),
  ].join(' ');
  // Each letter once, so that only new ones ask for fonts again.
  const letters = lettersOf(design);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the design, only its images and letters matter.
  useEffect(() => {
    let isOver = false;
    void (async () => {
      const wanted = ids.split(' ').filter(Boolean);
      const [missingFonts, loaded] = await Promise.all([
        loadFonts(design),
        Promise.all(wanted.map(async (id) => [id, assets.images.get(id) ?? (await loadImage(id))] as const)),
      ]);
      if (isOver) return;
      setAssets((old) => ({
        images: new Map([
          ...old.images,
          ...loaded.flatMap(([id, image]) => (image ? [[id, image] as const] : [])),
        ]),
        gone: new Set(loaded.flatMap(([id, image]) => (image ? [] : [id]))),
        missingFonts,
        fonts: old.fonts + 1,
        isReady: true,
      }));
    })();
    return () => {
      isOver = true;
    };
  }, [ids, letters]);
  return assets;
}

/** A design as drawn in its sizes. */
export interface Previews {
  urls: Partial<Record<AdSize, string>>;
  bytes: Partial<Record<AdSize, number>>;
  /** Texts that do not fit. */
  faults: readonly BannerFault[];
}

const PAUSE_MS = 350;
/** Longer for what takes longer to draw, so that the next change does not wait for it. */
const PAUSE_FOR_LAYER_MS = 4;

/** Draws a design in all of its sizes a moment after the last change: what they look like, and what they weigh. */
export function usePreviews(design: BannerDesign, { images, fonts, isReady }: Assets): Previews {
  const [previews, setPreviews] = useState<Previews>({ urls: {}, bytes: {}, faults: [] });
  const painters = useRef(new Map<AdSize, readonly [ReturnType<typeof newRoot>, Painter]>());
  useEffect(() => {
    if (!isReady) return;
    let isOver = false;
    const timer = setTimeout(
      async () => {
        const next: { -readonly [K in keyof Previews]: Previews[K] } = { urls: {}, bytes: {}, faults: [] };
        const tight: BannerFault[] = [];
        for (const size of design.sizes) {
          let painter = painters.current.get(size);
          if (!painter) {
            const root = newRoot();
            painter = [root, createPainter(root)];
            painters.current.set(size, painter);
          }
          painter[1](design, size, images, fonts);
          const blob = await pngFrom(canvasOf(painter[0], size));
          if (isOver) break;
          next.urls[size] = URL.createObjectURL(blob);
          next.bytes[size] = blob.size;
          for (const layer of design.layers)
            if (layer.kind === 'text' && overflows(layer, size, fonts))
              tight.push({ level: 'warning', size, text: `“${layer.name}” does not fit into its frame.` });
        }
        if (isOver) return drop(next.urls);
        next.faults = tight;
        setPreviews((old) => {
          drop(old.urls);
          return next;
        });
      },
      PAUSE_MS + design.layers.length * PAUSE_FOR_LAYER_MS,
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [design, images, fonts, isReady]);
  return previews;
}

const drop = (urls: Previews['urls']): void => {
  for (const url of Object.values(urls)) URL.revokeObjectURL(url);
};
