import { describe, expect, test, vi } from 'vitest';
import type { SetupCheck } from '../../contract/accounts/setup.ts';
import type { SessionUser } from '../../contract/accounts/users.ts';
import { decide } from '../../contract/routing/routing.ts';
import { ApiError } from './errors.ts';
import { readFacts } from './facts.ts';

const setup = {} as SetupCheck;
const read = (user: Partial<SessionUser>, forget = vi.fn()) =>
  readFacts({ alive: () => true, load: async () => ({ user: user as SessionUser, setup }), forget });

describe('whom the pages know', () => {
  test('[AUTH-17] a person without the system’s flags is signed out and led to the login', async () => {
    for (const user of [{}, { system_user: true }, { is_root: false }]) {
      const forget = vi.fn();
      const facts = await read(user, forget);
      expect(facts.user).toBeNull();
      expect(forget).toHaveBeenCalledOnce();
      expect(decide('/user/profile', facts)).toMatchObject({ kind: 'redirect', why: 'login' });
    }
  });
  test('[AUTH-17] with both flags, or in view mode, they stay', async () => {
    const forget = vi.fn();
    expect((await read({ system_user: false, is_root: false }, forget)).user).not.toBeNull();
    expect((await read({ in_view_mode: true }, forget)).user).not.toBeNull();
    expect(forget).not.toHaveBeenCalled();
  });
  test('[AUTH-18] with a session that is over they are no one, and the start leads to the login', async () => {
    const facts = await readFacts({
      alive: () => true,
      load: () => Promise.reject(new ApiError(401, 'Unauthenticated.')),
      forget: vi.fn(),
    });
    expect(facts).toEqual({ user: null, setup: null });
    expect(decide('/', facts)).toMatchObject({ kind: 'redirect', to: '/login' });
  });
  test('a server that fails signs no one out', async () => {
    const forget = vi.fn();
    const load = () => Promise.reject(new ApiError(503, 'away'));
    await expect(readFacts({ alive: () => true, load, forget })).rejects.toMatchObject({ status: 503 });
    expect(forget).not.toHaveBeenCalled();
  });
  test('nobody is asked about while no one is signed in', async () => {
    const load = vi.fn();
    expect((await readFacts({ alive: () => false, load, forget: vi.fn() })).user).toBeNull();
    expect(load).not.toHaveBeenCalled();
  });
});
