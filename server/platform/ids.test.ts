import { expect, test } from 'vitest';
import { idTime, newId } from './ids.ts';

test('ids are UUIDs of version 7, sort as they were made, and tell their instant', () => {
  const [early, late] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-03-01T00:00:00.001Z')];
  const ids = [early, late].flatMap((at) => Array.from({ length: 20_000 }, () => newId(at)));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(
    ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
  ).toBe(true);
  expect([idTime(ids[0]!), idTime(ids.at(-1)!)]).toEqual([early.getTime(), late.getTime()]);
});

test('the part that no one can guess differs from id to id', () => {
  const at = new Date('2026-03-01T00:00:00Z');
  expect(new Set(Array.from({ length: 1000 }, () => newId(at).slice(24))).size).toBe(1000);
});
