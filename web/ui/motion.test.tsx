import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test, vi } from 'vitest';
import { themeOf } from '../brand/theme.ts';
import { brandTokens } from '../brand/tokens.ts';
import { comeIn } from './motion.ts';
import { SkeletonRows } from './SkeletonRows.tsx';

const skeletons = (rows?: number) => {
  const markup = renderToStaticMarkup(
    <MantineProvider>
      <SkeletonRows {...(rows === undefined ? {} : { rows })} />
    </MantineProvider>,
  );
  expect(markup).toContain('aria-busy="true"');
  return markup.match(/mantine-Skeleton-root/g)?.length ?? 0;
};

describe('[UX-01] while something comes', () => {
  test('three rows stand in unless told', () => {
    expect(skeletons()).toBe(3);
    expect(skeletons(5)).toBe(5);
  });

  test('a page comes in over 200 ms, at once for who wants less motion', () => {
    const animate = vi.fn();
    comeIn({ animate }, true);
    expect(animate).not.toHaveBeenCalled();
    comeIn({ animate }, false);
    expect(animate).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ duration: 200 }));
  });

  test('a menu takes 250 ms, and no component moves for who wants less', () => {
    const nothing = {
      box_bgcolor: null,
      text_color: null,
      link_color: null,
      template_bgcolor: null,
      sidebar_bgcolor: null,
    };
    const theme = themeOf(brandTokens(nothing), 'sans-serif');
    const menu = theme.components?.Menu?.defaultProps as { transitionProps: { duration: number } };
    expect(menu.transitionProps.duration).toBe(250);
    expect(theme.respectReducedMotion).toBe(true);
    const css = readFileSync(join(import.meta.dirname, 'ui.css'), 'utf8');
    const still = css.slice(css.indexOf('@media (prefers-reduced-motion: reduce)'));
    expect(still).toMatch(/animation-duration: 0\.01ms !important/);
    expect(still).toMatch(/transition-duration: 0\.01ms !important/);
  });
});
