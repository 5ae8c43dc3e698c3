import { type Brand, letterOf } from './brand.ts';
import { brandTokens } from './tokens.ts';

/** What a mark is drawn from. */
type Marked = Parameters<typeof brandTokens>[0] & Pick<Brand, 'name' | 'company_logo'>;

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
  const symbol = logo && ratio <= 1.6 ? logo : undefined;
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 8, maxWidth: '100%', fontWeight: 600 }}>
      {symbol ? (
        <img
          src={symbol.url}
          alt={folded ? brand.name : ''}
          width={28}
          height={28}
          style={{ objectFit: 'contain' }}
        />
      ) : (
        <LetterMark brand={brand} />
      )}
      {folded && !symbol && <span className="sr-only">{brand.name}</span>}
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

/** The tenant's first letter on its accent, as in the browser's tab; part of the page, so that it has the page's font. */
function LetterMark({ brand }: { brand: Marked }) {
  const { accent, onAccent } = brandTokens(brand).light;
  return (
    <svg viewBox="0 0 32 32" width={28} height={28} style={{ flex: 'none' }} aria-hidden="true">
      <rect width="32" height="32" rx="7" fill={accent} />
      <text
        x="16"
        y="22.5"
        fontFamily="inherit"
        fontSize="18"
        fontWeight="600"
        textAnchor="middle"
        fill={onAccent}
      >
        {letterOf(brand.name)}
      </text>
    </svg>
  );
}
