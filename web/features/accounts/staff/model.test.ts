import { describe, expect, test } from 'vitest';
import { ALL, filterIn, type Person, roleWords, toWire, valuesOf } from './model.ts';

const person: Person = {
  id: 'a',
  company_id: 'c',
  user_type: 'administrator',
  name: 'Vera',
  email: 'vera@x.test',
  phonenum: '2025550123',
  phone_country_code: 'US',
  phone_country_calling_code: '+1',
  ClientRole: '',
  role_name: '',
  defaultAdmin: 'F',
  customercare: 'T',
  adminGetNotification: 'F',
  disabledreceivedemail: 'F',
  disabledaddcampaign: 'T',
  permission_active: 'T',
  user_permissions: [{ name: 'report_analytics', permission_active: 'T' }],
  isAccExecutive: 'F',
  twoFactorAuth: '',
  status: 'active',
  invitation_expires_at: null,
  created_at: '2026-03-10T15:00:00.000Z',
  removed_at: null,
  version: 3,
};

describe('[CONF-02] a person in the form', () => {
  test('what comes from the wire goes back as it was', () => {
    const values = valuesOf(person);
    expect(values.ClientRole).toBe(ALL);
    const { ClientFullName, ...wire } = toWire(values, 'administrator', { permissions: true });
    expect(ClientFullName).toBe('Vera');
    for (const [name, value] of Object.entries(wire)) {
      if (name === 'userType' || name === 'ClientEmail') continue;
      expect([name, value]).toEqual([name, person[name as keyof Person]]);
    }
  });

  test('somebody new is told of payments; an owner is limited by nothing; sales have no role', () => {
    expect(valuesOf(undefined)).toMatchObject({ adminGetNotification: true, permission_active: true });
    const owner = toWire({ ...valuesOf(person), ClientRole: 'owner' }, 'administrator', {
      permissions: false,
    });
    expect(owner).not.toHaveProperty('disabledaddcampaign');
    expect(owner).not.toHaveProperty('user_permissions');
    const sales = toWire({ ...valuesOf(person), isAccExecutive: true }, 'sales', { permissions: false });
    expect(sales).toMatchObject({ isAccExecutive: 'T', customercare: 'T' });
    expect(sales).not.toHaveProperty('ClientRole');
    expect(sales).not.toHaveProperty('defaultAdmin');
  });

  test('roles and filters in words', () => {
    expect(roleWords(person)).toBe('All permissions');
    expect(roleWords({ ...person, ClientRole: 'owner' })).toBe('Owner');
    expect(roleWords({ ...person, ClientRole: 'x', role_name: 'Read only' })).toBe('Read only');
    expect(roleWords({ ...person, user_type: 'sales', isAccExecutive: 'T' })).toBe('Account executive');
    expect([filterIn('removed'), filterIn('toString'), filterIn(undefined)]).toEqual([
      'removed',
      undefined,
      undefined,
    ]);
  });
});
