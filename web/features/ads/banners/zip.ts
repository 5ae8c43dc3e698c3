import { strToU8, zipSync } from 'fflate';
import type { AdSize } from '../../../../contract/ads/ad-rules.ts';
import { sidesOf } from '../../../../contract/ads/banner-rules.ts';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const html = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one]!);
/** A text as a value in a script of a page, which it cannot end. */
const script = (text: string): string =>
  JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A file name of letters, digits, dots, and hyphens, which begins with neither of the last two. */
export const fileStem = (name: string): string =>
  (name.match(/[A-Za-z0-9_][\w.]*/g) ?? ['banner']).join('-').slice(0, 60);

/**
 * An HTML5 ad: one page, its image, and clickTag, which ad servers set. The text is part of the image, so it looks the
 * same wherever it is shown, and nothing is loaded from elsewhere.
 */
export function html5Of(
  banner: { name: string; alt_text: string; click_url: string },
  size: AdSize,
  png: Uint8Array,
): Uint8Array {
  const [width, height] = sidesOf(size);
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="ad.size" content="width=${width},height=${height}">
<title>${html(banner.name)}</title>
<style>html,body{margin:0}a,img{display:block;width:${width}px;height:${height}px}</style>
<script>var clickTag = ${script(banner.click_url)};</script>
</head>
<body>
<a href="#" onclick="window.open(window.clickTag);return false"><img src="banner.png" width="${width}" height="${height}" alt="${html(banner.alt_text)}"></a>
</body>
</html>
`;
  return zipSync({ 'index.html': strToU8(page), 'banner.png': [png, { level: 0 }] });
}

/** Files, which are compressed already, as one. */
export const bundleOf = (files: Record<string, Uint8Array>): Uint8Array => zipSync(files, { level: 0 });
