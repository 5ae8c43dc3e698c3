import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NEW_RULES } from '../../../../contract/campaigns/campaign-rules.ts';
import type { FitCount, ScoreFacts } from '../../../../contract/campaigns/scores.ts';
import { hotIn, type ScoreRules, scoreOf } from './score.policy.ts';

const NOW = new Date('2026-07-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const ago = (hours: number): Date => new Date(NOW.getTime() - hours * HOUR_MS);

const weight = fc.integer({ min: 0, max: 10 });
const someRules: fc.Arbitrary<ScoreRules> = fc.record({
  score_recency: weight,
  score_depth: weight,
  score_hot: weight,
  score_fit: weight,
  score_pages: fc.constantFrom([], ['pricing'], ['pricing', 'demo', 'quote']),
});
const someFit: fc.Arbitrary<FitCount> = fc
  .record({ fits: fc.nat(4), unknown: fc.nat(4), misfits: fc.nat(4) })
  .filter(({ fits, unknown, misfits }) => fits + unknown + misfits > 0)
  .map(({ fits, unknown, misfits }) => ({ fits, unknown, asked: fits + unknown + misfits }));
const someFacts: fc.Arbitrary<ScoreFacts> = fc.record({
  depth: fc.nat(12),
  of: fc.constantFrom('page' as const, 'signal' as const),
  hot: fc.subarray(['pricing', 'demo', 'quote']),
  fit: fc.option(someFit),
});
const someHours = fc.integer({ min: 0, max: 24 * 40 });

describe('[BEY-17] the score of a lead', () => {
  test('the reasons add up to it, and what they could add to 100', () =>
    fc.assert(
      fc.property(someRules, someFacts, someHours, (rules, facts, hours) => {
        const scored = scoreOf(rules, facts, ago(hours), NOW);
        if (!scored) return;
        const { reasons } = scored.details;
        expect(reasons.reduce((sum, { points }) => sum + points, 0)).toBe(scored.score);
        expect(reasons.reduce((sum, { most }) => sum + most, 0)).toBe(100);
        for (const { points, most, words } of reasons) {
          expect(points).toBeGreaterThanOrEqual(0);
          expect(points).toBeLessThanOrEqual(most);
          expect(words).not.toBe('');
        }
      }),
    ));

  test('more of a reason never lowers it', () =>
    fc.assert(
      fc.property(someRules, someFacts, someHours, (rules, facts, hours) => {
        const of = (more: Partial<ScoreFacts>, at = hours) =>
          scoreOf(rules, { ...facts, ...more }, ago(at), NOW)?.score ?? 0;
        const base = of({});
        expect(of({}, Math.floor(hours / 2))).toBeGreaterThanOrEqual(base);
        expect(of({ depth: facts.depth + 1 })).toBeGreaterThanOrEqual(base);
        expect(of({ hot: [...new Set([...facts.hot, 'demo'])] })).toBeGreaterThanOrEqual(base);
        const { fit } = facts;
        if (fit && fit.unknown > 0)
          expect(
            of({ fit: { ...fit, fits: fit.fits + 1, unknown: fit.unknown - 1 } }),
          ).toBeGreaterThanOrEqual(base);
      }),
    ));

  test('it falls when it is due, and not before', () =>
    fc.assert(
      fc.property(someRules, someFacts, someHours, (rules, facts, hours) => {
        const seenAt = ago(hours);
        const scored = scoreOf(rules, facts, seenAt, NOW);
        if (!scored?.dueAt) return;
        const justBefore = new Date(scored.dueAt.getTime() - 1);
        expect(scored.dueAt > NOW).toBe(true);
        expect(scoreOf(rules, facts, seenAt, justBefore)?.score).toBe(scored.score);
        expect(scoreOf(rules, facts, seenAt, scored.dueAt)!.score).toBeLessThanOrEqual(scored.score);
      }),
    ));

  test('what weighs nothing gives no score; a filter or hot pages that are not there count for nothing', () => {
    const facts: ScoreFacts = { depth: 3, of: 'page', hot: [], fit: null };
    const none = { score_recency: 0, score_depth: 0, score_hot: 0, score_fit: 0 };
    expect(scoreOf({ ...NEW_RULES, ...none }, facts, NOW, NOW)).toBeNull();
    expect(scoreOf({ ...NEW_RULES, ...none, score_fit: 5 }, facts, NOW, NOW)).toBeNull();
    expect(scoreOf({ ...NEW_RULES, ...none, score_hot: 5, score_pages: [] }, facts, NOW, NOW)).toBeNull();
    expect(scoreOf(NEW_RULES, facts, NOW, NOW)?.details.reasons).toEqual([
      { reason: 'recency', points: 30, most: 30, words: 'Last seen within a day' },
      { reason: 'depth', points: 18, most: 30, words: '3 pages viewed' },
      { reason: 'hot', points: 0, most: 40, words: 'No hot page viewed' },
    ]);
  });

  test('hot pages are found in the path of an address, whatever its case, and in keywords', () => {
    const rules = { score_pages: ['Pricing', 'demo', 'straße'] };
    expect(hotIn(rules, ['https://demo.example.com/en/PRICING-plans'])).toEqual(['Pricing']);
    expect(hotIn(rules, ['https://example.com/stra%C3%9Fe', 'https://example.com/%E0%A4%A'])).toEqual([
      'straße',
    ]);
    expect(hotIn(rules, ['book a demo'])).toEqual(['demo']);
  });
});
