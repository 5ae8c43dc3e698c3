import { expect, test } from 'vitest';
import { locate } from './geo.ts';

test('[LOGS-03] an address is placed by data that comes with the product', () => {
  expect(locate('8.8.8.8')).toBe('United States');
  expect(locate('2001:4860:4860::8888')).toBe('United States');
  expect(locate('::ffff:8.8.8.8')).toBe('United States');
  for (const ip of ['127.0.0.1', '::1', '10.0.0.1', 'fe80::1']) expect(locate(ip)).toBe('Local network');
  for (const ip of [null, '', 'x', '8.8.8.8.8']) expect(locate(ip)).toBeNull();
});
