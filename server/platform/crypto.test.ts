import { describe, expect, test } from 'vitest';
import { Vault } from './crypto.ts';

const one = Buffer.alloc(32, 1);
const two = Buffer.alloc(32, 2);

describe('secrets at rest', () => {
  test('are opened by the same key for the same purpose only', () => {
    const vault = new Vault(one);
    const sealed = vault.seal('whsec_secret', 'integration.secret');
    expect(sealed).not.toContain('secret');
    expect(vault.open(sealed, 'integration.secret')).toBe('whsec_secret');
    expect(vault.seal('whsec_secret', 'integration.secret')).not.toBe(sealed);
    expect(() => vault.open(sealed, 'signing_key.access')).toThrow();
    expect(() => new Vault(two).open(sealed, 'integration.secret')).toThrow(/APP_KEY/);
    for (let i = 0; i < sealed.length; i += 7) {
      const altered = sealed.slice(0, i) + (sealed[i] === 'A' ? 'B' : 'A') + sealed.slice(i + 1);
      if (
        Buffer.from(altered.split('.').at(-1)!, 'base64url').equals(
          Buffer.from(sealed.split('.').at(-1)!, 'base64url'),
        ) &&
        altered.split('.')[2] === sealed.split('.')[2] &&
        altered.startsWith('v1.')
      )
        continue;
      expect(() => vault.open(altered, 'integration.secret')).toThrow();
    }
  });

  test('outlive a rotation of the key', () => {
    const old = new Vault(one).seal('x', 'p');
    const vault = new Vault(two, [one]);
    expect(vault.open(old, 'p')).toBe('x');
    expect([vault.isCurrent(old), vault.isCurrent(vault.seal('x', 'p'))]).toEqual([false, true]);
  });
});
