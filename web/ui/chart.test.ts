import { describe, expect, test } from 'vitest';
import { axisSteps, labelsThatFit } from './chart.ts';

describe('the axis of a chart', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [7, [0, 2, 4, 6, 8]],
    [95, [0, 25, 50, 75, 100]],
    [1234, [0, 500, 1000, 1500]],
  ])('to %d', (most, steps) => {
    expect(axisSteps(most)).toEqual(steps);
  });
  test('reaches every value, begins at 0 and stays short', () => {
    for (const most of [0.01, 0.3, 1, 2.2, 9, 99, 101, 5_000_001, 1e9]) {
      for (const whole of [true, false]) {
        const steps = axisSteps(most, 4, whole);
        expect(steps[0]).toBe(0);
        expect(steps.at(-1)).toBeGreaterThanOrEqual(most);
        expect(steps.length).toBeLessThanOrEqual(6);
      }
    }
  });
  test.each([
    [0, -3, [-3, -2, -1, 0]],
    [90, -20, [-50, 0, 50, 100]],
  ])('keeps 0 between %d and %d', (most, least, steps) => {
    expect(axisSteps(most, 4, true, least)).toEqual(steps);
  });
  test('keeps cents apart', () => {
    expect(axisSteps(0.3, 4, false)).toEqual([0, 0.1, 0.2, 0.3]);
  });
});

test('labels of days keep their distance', () => {
  expect(labelsThatFit(0, 300)).toEqual([]);
  expect(labelsThatFit(1, 300)).toEqual([0]);
  expect(labelsThatFit(7, 600)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labelsThatFit(30, 290)).toEqual([0, 8, 16, 24]);
});
