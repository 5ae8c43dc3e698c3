import { describe, expect, test } from 'vitest';
import { ALL, filterIn, type Person, roleWords, toWire, valuesOf } from './model.ts';

const person: Person = {
  id: 'a',
  company_id: 'c',
  user_type: 'administrator',
  name: 'Vera',
  email: 'vera@x.test',
  phone: '2025550123',
  phone_country: 'US',
  phone_calling: '+1',
  role: '',
  role_name: '',
  is_default_admin: 'F',
  customer_care: 'T',
  gets_notices: 'F',
  mail_off: 'F',
  campaigns_closed: 'T',
  permission_active: 'T',
  user_permissions: [{ name: 'report_analytics', permission_active: 'T' }],
  is_account_executive: 'F',
  two_factor_auth_type: '',
  status: 'active',
  invitation_expires_at: null,
  created_at: '2026-03-10T15:00:00.000Z',
  removed_at: null,
  version: 3,
};

describe('[CONF-02] a person in the form', () => {
  test('what comes from the wire goes back as it was', () => {
    const values = valuesOf(person);
    expect(values.role).toBe(ALL);
    const { full_name, ...wire } = toWire(values, 'administrator', { permissions: true });
    expect(full_name).toBe('Vera');
    for (const [name, value] of Object.entries(wire)) {
      if (name === 'user_type' || name === 'email') continue;
      expect([name, value]).toEqual([name, person[name as keyof Person]]);
    }
  });

  test('somebody new is told of payments; an owner is limited by nothing; sales have no role', () => {
    expect(valuesOf(undefined)).toMatchObject({ gets_notices: true, permission_active: true });
    const owner = toWire({ ...valuesOf(person), role: 'owner' }, 'administrator', {
      permissions: false,
    });
    expect(owner).not.toHaveProperty('campaigns_closed');
    expect(owner).not.toHaveProperty('user_permissions');
    const sales = toWire({ ...valuesOf(person), is_account_executive: true }, 'sales', {
      permissions: false,
    });
    expect(sales).toMatchObject({ is_account_executive: 'T', customer_care: 'T' });
    expect(sales).not.toHaveProperty('role');
    expect(sales).not.toHaveProperty('is_default_admin');
  });

  test('roles and filters in words', () => {
    expect(roleWords(person)).toBe('All permissions');
    expect(roleWords({ ...person, role: 'owner' })).toBe('Owner');
    expect(roleWords({ ...person, role: 'x', role_name: 'Read only' })).toBe('Read only');
    expect(roleWords({ ...person, user_type: 'sales', is_account_executive: 'T' })).toBe('Account executive');
    expect([filterIn('removed'), filterIn('toString'), filterIn(undefined)]).toEqual([
      'removed',
      undefined,
      undefined,
    ]);
  });
});
