import { useEffect, useState } from 'react';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import { type BannerDesign, type BannerFault, frameOf } from '../../../../contract/ads/banner-rules.ts';
import { loadFonts, loadImage, pngOf } from './files.ts';
import { type Images, overflows } from './paint.ts';

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
  const letters = design.layers
    .map((layer) => (layer.kind === 'text' ? `${layer.font}:${layer.text}` : ''))
    .join('\n');
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

/** Draws a design in all of its sizes a moment after the last change: what they look like, and what they weigh. */
export function usePreviews(design: BannerDesign, { images, fonts, isReady }: Assets): Previews {
  const [previews, setPreviews] = useState<Previews>({ urls: {}, bytes: {}, faults: [] });
  // biome-ignore lint/correctness/useExhaustiveDependencies: fonts are drawn with once they have arrived.
  useEffect(() => {
    if (!isReady) return;
    let isOver = false;
    const timer = setTimeout(async () => {
      const next: { -readonly [K in keyof Previews]: Previews[K] } = { urls: {}, bytes: {}, faults: [] };
      const tight: BannerFault[] = [];
      for (const size of design.sizes) {
        const blob = await pngOf(design, size, images);
        if (isOver) break;
        next.urls[size] = URL.createObjectURL(blob);
        next.bytes[size] = blob.size;
        for (const layer of design.layers) {
          if (layer.kind !== 'text') continue;
          const frame = frameOf(layer, size);
          if (!frame.hidden && overflows(layer, frame))
            tight.push({ level: 'warning', size, text: `“${layer.name}” does not fit into its frame.` });
        }
      }
      if (isOver) return drop(next.urls);
      next.faults = tight;
      setPreviews((old) => {
        drop(old.urls);
        return next;
      });
    }, PAUSE_MS);
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
