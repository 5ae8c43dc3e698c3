import { describe, expect, test } from 'vitest';
import { reach, stepAfter, stepAt } from './wizard.ts';

const steps = (...done: boolean[]) => done.map((isDone, at) => ({ key: 'abcd'[at]!, isDone }));

describe('[PROF-01] the steps of a wizard', () => {
  test.each([
    [steps(false, false, false), 0],
    [steps(true, false, false), 1],
    [steps(true, true, true), 2],
    [steps(false, true, true), 0],
  ])('one may go to the first step that is not done', (all, expected) => {
    expect(reach(all)).toBe(expected);
  });

  test('an optional step does not hold one up', () => {
    const [a, b] = steps(true, false) as [{ key: string; isDone: boolean }, { key: string; isDone: boolean }];
    const all = [a, { ...b, isOptional: true }, { key: 'c', isDone: false }];
    expect(reach(all)).toBe(2);
    expect(stepAt(all, 'c')).toBe(2);
  });

  test('going back is always allowed', () => {
    expect(stepAt(steps(true, true, false), 'a')).toBe(0);
    expect(stepAt(steps(true, true, true), 'b')).toBe(1);
  });

  test('going beyond a step that is not done is not', () => {
    expect(stepAt(steps(true, false, false), 'c')).toBe(1);
    expect(stepAt(steps(false, true, true), 'c')).toBe(0);
  });

  test('without a wish, or with one that is no step, the work goes on where it stopped', () => {
    expect(stepAt(steps(true, false))).toBe(1);
    expect(stepAt(steps(true, false), 'nonsense')).toBe(1);
  });

  test('a step that has passed leads to the next, the last to none', () => {
    expect(stepAfter(steps(true, false), 'a')?.key).toBe('b');
    expect(stepAfter(steps(true, true), 'b')).toBeUndefined();
    expect(stepAfter(steps(true, true), 'x')).toBeUndefined();
  });
});
