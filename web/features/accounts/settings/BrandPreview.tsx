import { Text, Title } from '@mantine/core';
import { fontStack, fontTheme } from '../../../../contract/accounts/fonts.ts';
import { BrandMark } from '../../../brand/BrandMark.tsx';
import type { Brand } from '../../../brand/brand.ts';
import { brandTokens, SURFACES, type Tokens } from '../../../brand/tokens.ts';
import { COLORS } from './model.ts';
import classes from './settings.module.css';

type Previewed = Parameters<typeof brandTokens>[0] &
  Pick<Brand, 'name' | 'tagline' | 'font_theme' | 'company_logo'>;

const THEMES = { light: 'Light theme', dark: 'Dark theme' } as const;

/**
 * Previews the brand in both themes, and lists what was changed to keep it readable. It is only a picture; nothing in
 * it is interactive.
 */
export function BrandPreview({ brand }: { brand: Previewed }) {
  const { corrections, ...tokens } = brandTokens(brand);
  return (
    <aside className={classes.preview} aria-label="Preview">
      <Title order={2} size="h3">
        Preview
      </Title>
      {(['light', 'dark'] as const).map((theme) => (
        <figure key={theme} className={classes.scene}>
          <figcaption>{THEMES[theme]}</figcaption>
          <Scene brand={brand} tokens={tokens[theme]} theme={theme} />
        </figure>
      ))}
      <div role="status">
        {corrections.length === 0 ? (
          <Text size="sm" c="dimmed">
            All colors are readable as is.
          </Text>
        ) : (
          <>
            <Text size="sm" fw={500}>
              Adjusted for readability
            </Text>
            <ul className={classes.corrections}>
              {corrections.map((one) => (
                <li key={`${one.theme} ${one.field} ${one.used}`}>
                  <Swatch color={one.given} />
                  <span aria-hidden="true">→</span>
                  <Swatch color={one.used} />
                  <span>
                    {COLORS.find(({ field }) => field === one.field)?.label},{' '}
                    {THEMES[one.theme].toLowerCase()}: <code>{one.given}</code> is shown as{' '}
                    <code>{one.used}</code>
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </aside>
  );
}

const Swatch = ({ color }: { color: string }) => (
  <span className={classes.swatch} style={{ background: color }} aria-hidden="true" />
);

function Scene({ brand, tokens, theme }: { brand: Previewed; tokens: Tokens; theme: 'light' | 'dark' }) {
  const surface = SURFACES[theme];
  const muted = theme === 'light' ? '#5c6370' : '#a0a1ab';
  const line = theme === 'light' ? '#e5e7eb' : '#2b2d35';
  const button = { background: tokens.accent, color: tokens.onAccent };
  return (
    <div
      className={classes.stage}
      style={{ fontFamily: fontStack(fontTheme(brand.font_theme)), color: surface.text }}
      inert
    >
      <div className={classes.app} style={{ background: surface.page, borderColor: line }}>
        <div className={classes.side} style={{ background: tokens.sidebar, color: tokens.onSidebar }}>
          <BrandMark brand={brand} />
          <span style={{ background: tokens.sidebarActive }}>Dashboard</span>
          <span style={{ color: tokens.onSidebarDim }}>Campaigns</span>
        </div>
        <div className={classes.body}>
          <b>Dashboard</b>
          <span>
            12 leads. <span style={{ color: tokens.link, textDecoration: 'underline' }}>See them</span>
          </span>
          <span className={classes.row}>
            <span className={classes.button} style={button}>
              New campaign
            </span>
            <span className={classes.button} style={{ background: tokens.wash, color: tokens.onWash }}>
              Export
            </span>
          </span>
        </div>
      </div>
      <div className={classes.login} style={{ background: tokens.backdrop }}>
        <div style={{ background: surface.card, borderColor: line }}>
          <BrandMark brand={brand} />
          <b>Sign in</b>
          {brand.tagline && <span style={{ color: muted, overflowWrap: 'anywhere' }}>{brand.tagline}</span>}
          <span className={classes.button} style={{ ...button, textAlign: 'center' }}>
            Sign in
          </span>
        </div>
      </div>
      {theme === 'light' && (
        <div className={classes.mail}>
          <div style={{ borderTopColor: mailAccent(brand) }}>
            {brand.company_logo ? (
              <BrandMark brand={brand} />
            ) : (
              <b style={{ overflowWrap: 'anywhere' }}>{brand.name}</b>
            )}
            <span style={{ color: '#4b5563' }}>Email header</span>
          </div>
        </div>
      )}
    </div>
  );
}

/** Returns the accent color of emails, chosen the way the server does it (server/platform/mail-layout.ts). */
const mailAccent = (brand: Previewed): string => brand.box_bgcolor ?? brand.link_color ?? '#1f2937';
