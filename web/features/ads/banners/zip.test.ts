import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { bundleOf, fileStem, html5Of } from './zip.ts';

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
const banner = { name: 'Spring', alt_text: 'A pack', click_url: 'https://shop.example.com/?a=1&b=2' };

describe('[MED-01] an HTML5 ad', () => {
  test('is one page with its size, its image, and clickTag, and loads nothing from elsewhere', () => {
    const files = unzipSync(html5Of(banner, '728x90', PNG));
    expect(Object.keys(files).sort()).toEqual(['banner.png', 'index.html']);
    expect(files['banner.png']).toEqual(PNG);
    const page = strFromU8(files['index.html']!);
    expect(page).toContain('<meta name="ad.size" content="width=728,height=90">');
    const tag = /var clickTag = (".*?");/.exec(page)![1]!;
    expect(JSON.parse(tag)).toBe(banner.click_url);
    expect(page).toContain('window.open(window.clickTag)');
    const elsewhere = page.replace(tag, '').match(/https?:|\/\/|@import|url\(/g);
    expect(elsewhere).toBeNull();
    expect([...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, to]) => to)).toEqual(['#', 'banner.png']);
  });

  test('its texts cannot become code', () => {
    const evil = '</script><script>alert(1)</script>" onload="alert(2)';
    const page = strFromU8(
      unzipSync(
        html5Of({ name: evil, alt_text: evil, click_url: `https://x.example/${evil}` }, '300x250', PNG),
      )['index.html']!,
    );
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(page).not.toContain('" onload="');
    expect(page).not.toContain('alert(1)</script>');
  });

  test('several files are one, under names that every system has', () => {
    const files = unzipSync(bundleOf({ 'a-300x250.png': PNG, 'a-728x90.png': PNG }));
    expect(Object.keys(files)).toEqual(['a-300x250.png', 'a-728x90.png']);
    expect([' Spring & co. ', '../../etc', '…', 'Frühling'].map(fileStem)).toEqual([
      'Spring-co.',
      'etc',
      'banner',
      'Fr-hling',
    ]);
  });
});
