import { describe, expect, test } from 'vitest';
import { isCommonPassword } from './password.policy.ts';

describe('[AUTH-20] passwords that attackers try first', () => {
  test.each([
    'password1234',
    'P@ssw0rd!!!!!!',
    'passwordpassword',
    'qwertyuiop1234',
    'iloveyou123456',
    '!!!Dragon2024!!!',
    '1q2w3e4r5t6y',
    'LetMeIn-123456',
  ])('%s is one', (password) => expect(isCommonPassword(password)).toBe(true));

  test.each([
    'correct horse battery',
    'a new long password',
    'mY-8kitten sings',
    'vK3x9Qw2Lp0z',
    'ünïcödé passphrase',
    `${'lorem ipsum '.repeat(80)}`,
  ])('%s is none', (password) => expect(isCommonPassword(password)).toBe(false));
});
