import { expect, test } from 'vitest';
import { callApart } from '../apart.ts';

/** Which function is given what: texts as long as an outsider can send, on which backtracking takes forever. */
const million = (text: string) => text.repeat(1_000_000);
const attacks: [string, string, unknown[], unknown][] = [
  ['server/platform/contacts.ts', 'normalEmail', [`"${million('>')}x`], null],
  ['server/platform/contacts.ts', 'normalEmail', [`a@${million('a.')}!`], null],
  ['server/features/audience/people/row.policy.ts', 'hashKey', [`${million('"')}x${million('"')}x`], null],
  [
    'server/features/audience/exclusions/policy.ts',
    'readEntry',
    [`x${million('>')}x`, 'all'],
    'is longer than 320 characters',
  ],
  ['server/features/audience/keywords/place.policy.ts', 'cityOf', [`${million(', ')}${million(' ')}`], null],
  [
    'server/features/campaigns/leads/policy.ts',
    'reachesGoal',
    [{ url: `https://a.test/${million('/')}x` }, 'https://a.test/'],
    false,
  ],
  ['server/platform/picture.ts', 'drawingAt', [`${million('<!---->')}x`], -1],
  ['contract/text.ts', 'looksLikeEmail', [million('a@')], false],
  ['contract/text.ts', 'isHostName', [`${million('a-')}!`], false],
  ['contract/text.ts', 'strip', [`x${million('"')}x`, '"'], `x${million('"')}x`],
  ['web/ui/currency.ts', 'currencyTyped', [`${million('1')}x`], '0'],
  [
    'web/features/accounts/profile/model.ts',
    'emailFault',
    [million('@'), true],
    'Use 70 characters or fewer',
  ],
  ['web/features/campaigns/campaigns/model.ts', 'amountOf', [`1${million(' ')}1`], `1${million(' ')}1`],
];

test.each(attacks)('[BEY-31] %s: %s reads a long text once', async (module, name, args, answer) => {
  expect(await callApart(module, name, args)).toEqual(answer);
});
