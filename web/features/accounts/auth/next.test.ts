import { describe, expect, test } from 'vitest';
import { safePath } from './next.ts';

const ORIGIN = 'https://acme.test';

describe('the page after the login', () => {
  test.each([
    ['/dashboard?tab=leads#top', '/dashboard?tab=leads#top'],
    ['/visitor-id/campaign-management', '/visitor-id/campaign-management'],
    ['/a?next=https://evil.example', '/a?next=https://evil.example'],
    ['/a/../b', '/b'],
  ])('follows %s', (wanted, path) => {
    expect(safePath(wanted, ORIGIN)).toBe(path);
  });

  test.each([
    undefined,
    '',
    'dashboard',
    '//evil.example',
    '///evil.example',
    'https://evil.example/',
    'https:evil.example',
    'HTTPS://evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/\\evil.example',
    '\\/evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\\evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/a/..//evil.example',
    '//acme.test@evil.example',
    '//[',
    '%2F%2Fevil.example',
  ])('stays here instead of %j', (wanted) => {
    expect(safePath(wanted, ORIGIN)).toBe('/');
  });

  test.each([
    '/%2F%2Fevil.example',
    '/%5Cevil.example',
    '/%09/evil.example',
    '/@evil.example',
    '/;//evil.example',
  ])('what is encoded stays a path: %s', (wanted) => {
    const path = safePath(wanted, ORIGIN);
    expect(path).toBe(wanted);
    expect(new URL(path, ORIGIN).origin).toBe(ORIGIN);
  });
});
