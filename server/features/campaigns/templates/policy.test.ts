import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { campaignFields } from '../../../../contract/campaigns/template-fields.ts';
import { planOf, same, stagesOf, undoOf, valuesOf } from './policy.ts';

const Value = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constant(null),
  fc.constantFrom('T', 'F'),
  fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
);
const Fields = fc.dictionary(fc.constantFrom('x', 'y', 'z'), Value, { maxKeys: 3 });

describe('[BEY-13] what a push of a template changes', () => {
  test('with overwrite every field ends as in the template, and without it conflicts stay as they are', () => {
    fc.assert(
      fc.property(Fields, Fields, fc.option(Fields), fc.boolean(), (current, wanted, last, overwrite) => {
        const { changes, kept } = planOf(current, wanted, last, overwrite);
        const after = { ...current, ...valuesOf(changes, 'after') };
        const conflicts = kept.map(({ field }) => field);
        for (const [field, value] of Object.entries(wanted))
          expect(
            same(after[field] ?? null, conflicts.includes(field) ? (current[field] ?? null) : value),
          ).toBe(true);
        for (const field of Object.keys(current))
          if (!Object.hasOwn(wanted, field)) expect(after[field]).toEqual(current[field]);
        if (overwrite || last === null) expect(kept).toEqual([]);
      }),
    );
  });

  test('a rollback without changes in between restores every field, and never touches one that changed since', () => {
    fc.assert(
      fc.property(Fields, Fields, Fields, (current, wanted, edits) => {
        const { changes } = planOf(current, wanted, null, true);
        const pushed = { ...current, ...valuesOf(changes, 'after') };
        const back = { ...pushed, ...valuesOf(undoOf(pushed, changes).restore, 'before') };
        for (const { field } of changes) expect(same(back[field], current[field] ?? null)).toBe(true);
        const edited = { ...pushed, ...edits };
        const { restore, changedSince } = undoOf(edited, changes);
        expect(restore.length + changedSince.length).toBe(changes.length);
        for (const { field, after } of restore) expect(same(edited[field], after)).toBe(true);
        for (const { field, after } of changedSince) expect(same(edited[field] ?? null, after)).toBe(false);
      }),
    );
  });

  test('the first stage has whole clients, at least one, and about the chosen share', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 99 }),
        (companies, percent) => {
          const stages = stagesOf(companies, { percent });
          const first = new Set(companies.filter((_, i) => stages[i] === 1));
          const second = new Set(companies.filter((_, i) => stages[i] === 2));
          expect([...first].filter((one) => second.has(one))).toEqual([]);
          const all = new Set(companies).size;
          expect(first.size).toBe(Math.max(1, Math.ceil((all * percent) / 100)));
        },
      ),
    );
  });

  test('no template has what charges by itself, or belongs to one client', () => {
    for (const module of ['local', 'locator', 'enhance', 'b2b']) {
      const names = campaignFields(module).map(({ field }) => field);
      expect(new Set(names).size).toBe(names.length);
      for (const barred of [
        ...['topup', 'leads_buy', 'term', 'monthly_fee', 'platform_fee'],
        ...['campaign_name', 'site_url', 'thank_you_url', 'starts_on', 'ends_on', 'report_to', 'notify_to'],
      ])
        expect(names).not.toContain(barred);
    }
  });
});
