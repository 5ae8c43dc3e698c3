import { type Brand, letterMark } from './brand.ts';

/** What a mark is drawn from. */
type Marked = Parameters<typeof letterMark>[0] & Pick<Brand, 'company_logo'>;

/**
 * The tenant's logo, at most 125 px wide (spec calls 9). A square logo is a symbol without a name, so the name is shown
 * next to it, as it is next to the letter mark of a tenant without a logo. Its size is known before it has loaded.
 */
export function BrandMark({ brand, folded = false }: { brand: Marked; folded?: boolean }) {
  const logo = brand.company_logo;
  const ratio = logo ? logo.width / logo.height : 0;
  if (logo && ratio > 1.6 && !folded) {
    const width = Math.round(Math.min(125, 36 * ratio));
    return (
      <img
        src={logo.url}
        alt={brand.name}
        width={width}
        height={Math.max(1, Math.round(width / ratio))}
        style={{ display: 'block', objectFit: 'contain', objectPosition: 'left' }}
      />
    );
  }
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 8, maxWidth: '100%', fontWeight: 600 }}>
      <img
        src={logo && ratio <= 1.6 ? logo.url : letterMark(brand)}
        alt={folded ? brand.name : ''}
        width={28}
        height={28}
        style={{ objectFit: 'contain' }}
      />
      {!folded && (
        <span
          title={brand.name}
          style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
        >
          {brand.name}
        </span>
      )}
    </span>
  );
}
