import { type Brand, letterMark } from './brand.ts';

/** Width over height of an SVG in a data: address, by its viewBox; 2 when it does not say. */
function ratioOf(logo: string | null): number {
  if (!logo) return 0;
  const [, width, height] =
    /viewBox=["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/i.exec(decoded(logo)) ?? [];
  return width && height ? Number(width) / Number(height) : 2;
}

function decoded(address: string): string {
  const [head = '', data = ''] = address.split(/,(.*)/s);
  try {
    return head.includes(';base64') ? atob(data) : decodeURIComponent(data);
  } catch {
    return '';
  }
}

/**
 * The tenant's logo, at most 125 px wide (spec calls 9). A square one is a sign without a name, so the name stands
 * beside it; so does it beside the letter mark of a tenant without a logo.
 */
export function BrandMark({ brand, folded = false }: { brand: Brand; folded?: boolean }) {
  const isWide = ratioOf(brand.logo_svg) > 1.6;
  if (brand.logo_svg && isWide && !folded) {
    return (
      <img
        src={brand.logo_svg}
        alt={brand.name}
        style={{ display: 'block', height: 36, maxWidth: 125, objectFit: 'contain', objectPosition: 'left' }}
      />
    );
  }
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 8, minWidth: 0, fontWeight: 600 }}>
      <img
        src={brand.logo_svg && !isWide ? brand.logo_svg : letterMark(brand)}
        alt={folded ? brand.name : ''}
        width={28}
        height={28}
      />
      {!folded && (
        <span style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
          {brand.name}
        </span>
      )}
    </span>
  );
}
