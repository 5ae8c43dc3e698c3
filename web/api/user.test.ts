import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const answer = vi.hoisted(() => vi.fn());
vi.mock('./client.ts', () => ({
  api: { setup: { retrieveUserData: answer } },
  session: {},
  keepAddress: () => undefined,
}));
const { userQuery } = await import('./user.ts');

const facts = (modules: string[], own: string[], given: object = {}) => ({
  user: {
    id: 'me',
    local_name: own.includes('local') ? 'Visitor ID' : '',
    local_url: own.includes('local') ? 'visitor-id' : '',
    locator_name: '',
    locator_url: own.includes('locator') ? 'locator' : '',
    ...given,
  },
  setup: { modules },
});
const assign = vi.fn();
let client: QueryClient;
async function ask(...answers: ReturnType<typeof facts>[]): Promise<void> {
  for (const one of answers) {
    answer.mockResolvedValueOnce(one);
    await client.fetchQuery({ ...userQuery, staleTime: 0 } as never);
  }
}
beforeEach(() => {
  client = new QueryClient();
  assign.mockClear();
  vi.stubGlobal('location', { assign });
});
afterEach(() => vi.unstubAllGlobals());

describe('[TEN-08] modules that come or go', () => {
  test('a module that the root no longer has, cleared by the server, reloads the start page', async () => {
    await ask(facts(['local', 'locator'], ['local', 'locator']), facts(['local'], ['local']));
    expect(assign.mock.calls).toEqual([['/']]);
  });
  test('one that is there again and filled in reloads it, too', async () => {
    await ask(facts([], []), facts(['local'], ['local']));
    expect(assign.mock.calls).toEqual([['/']]);
  });
  test('the first answer, the same again, another name and another person do not', async () => {
    await ask(facts(['local'], ['local']), facts(['local'], ['local']));
    await ask(facts(['local'], ['local'], { local_name: 'Radar', local_url: 'radar' }));
    await ask(facts([], [], { id: 'somebody else' }));
    expect(assign).not.toHaveBeenCalled();
  });
});
