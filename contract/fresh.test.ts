import { expect, test } from 'vitest';
import type { Meta } from './base.ts';
import { contract } from './index.ts';

/** Calls that change one's own account without a confirmation, because they only take access away or give none. */
const WITHOUT: Record<string, string> = {
  'auth.endSession': 'signs a device out',
  'auth.endOtherSessions': 'signs devices out',
  'setup.complete': 'says whether a form is complete',
};

test('[BEY-11] what changes the ways into an account asks for a confirmation, or it leads around the calls that do', () => {
  const found = Object.entries(contract).flatMap(([area, calls]) =>
    Object.entries(calls).flatMap(([name, call]) => {
      const { meta, route } = call['~orpc'] as { meta: Meta; route: { method?: string } };
      const changes = meta.access === 'account.own' && route.method !== 'GET';
      return changes && !meta.fresh ? [`${area}.${name}`] : [];
    }),
  );
  expect(found.sort()).toEqual(Object.keys(WITHOUT).sort());
});

test('[BEY-11] what widens rights, or brings a new root with an owner, asks for a confirmation', () => {
  const calls = Object.values(contract).flatMap((area) =>
    Object.values(area).map((call) => call['~orpc'].meta as Meta),
  );
  const found = calls.filter(({ access }) => access === 'role.update' || access === 'root.create');
  expect(found).toHaveLength(3);
  expect(found.every(({ fresh }) => fresh)).toBe(true);
});
