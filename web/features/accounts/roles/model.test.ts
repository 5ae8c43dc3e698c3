import { describe, expect, test } from 'vitest';
import { MODULE_NAMES as ALL } from '../../../../contract/accounts/users.ts';
import { MODULE_NAMES, matrixOf, rightWords, rowsOf, tick } from './model.ts';

const row = (module_name: 'Settings' | 'Campaign', flags: string) => ({
  module_name,
  enable_permission: flags[0] as 'T' | 'F',
  create_permission: flags[1] as 'T' | 'F',
  update_permission: flags[2] as 'T' | 'F',
  delete_permission: flags[3] as 'T' | 'F',
});

describe('[ROLE-01] [CONF-02] the matrix of a role', () => {
  test('has every module of the contract', () => {
    expect(MODULE_NAMES).toEqual(ALL);
  });

  test('a module without a row allows nothing; rows there and back', () => {
    const matrix = matrixOf([row('Campaign', 'TTFF')]);
    expect(matrix.Campaign).toEqual({ enable: true, create: true, update: false, delete: false });
    expect(matrix.Settings).toEqual({ enable: false, create: false, update: false, delete: false });
    expect(matrixOf(rowsOf(matrix))).toEqual(matrix);
    expect(rowsOf(matrix).map(({ module_name }) => module_name)).toEqual([
      'Ads Design',
      'Campaign',
      'LeadsPeek',
      'Settings',
    ]);
  });

  test('what may be changed may be seen, and what is not seen may not be changed', () => {
    const none = matrixOf([]);
    expect(tick(none, 'Campaign', 'delete', true).Campaign).toEqual({
      enable: true,
      create: false,
      update: false,
      delete: true,
    });
    const all = matrixOf([row('Campaign', 'TTTT')]);
    expect(tick(all, 'Campaign', 'enable', false).Campaign).toEqual(none.Campaign);
    expect(tick(all, 'Campaign', 'create', false).Campaign).toEqual({ ...all.Campaign, create: false });
    expect(tick(all, 'Campaign', 'enable', false).Settings).toEqual(all.Settings);
  });

  test.each([
    ['FFFF', 'None'],
    ['FTTT', 'None'],
    ['TFFF', 'View only'],
    ['TTFF', 'View, create'],
    ['TFTT', 'View, change, delete'],
    ['TTTT', 'Everything'],
  ])('%s reads %s', (flags, words) => {
    expect(rightWords(matrixOf([row('Campaign', flags)]).Campaign)).toBe(words);
  });
});
