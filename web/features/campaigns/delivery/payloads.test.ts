import { describe, expect, it } from 'vitest';
import { type Draft, errorsOf, givenOf, moved, newField, readableBody, rowOf } from './payloads.ts';
import { FIXED } from './sources.ts';

const draft = (more: Partial<Draft> = {}): Draft => ({
  format: 'flat',
  fields: [rowOf({ name: 'a', source: 'email' })],
  template: '{}',
  headers: [
    { id: 'h1', name: ' X-Key ', value: 'secret' },
    { id: 'h2', name: '', value: 'other' },
  ],
  ...more,
});

describe('[INTG-02] the editor of a payload', () => {
  it('moves rows, and leaves those at the ends', () => {
    const rows = ['a', 'b', 'c'].map((id) => ({ id }));
    const order = (id: string, by: -1 | 1) =>
      moved(rows, id, by)
        .map((row) => row.id)
        .join('');
    expect([order('a', 1), order('c', -1), order('a', -1), order('c', 1), order('x', 1)]).toEqual([
      'bac',
      'acb',
      'abc',
      'abc',
      'abc',
    ]);
  });

  it('names a new field after its source, and never twice the same', () => {
    const one = newField('email', []);
    const two = newField('email', [one]);
    const three = newField('email', [one, two]);
    expect([one, two, three].map(({ name, source }) => [name, source])).toEqual([
      ['email', 'email'],
      ['email_2', 'email'],
      ['email_3', 'email'],
    ]);
    expect(newField(FIXED, [])).toMatchObject({ name: 'text', source: 'text:' });
  });

  it('sends what counts, and no value of a header for a preview', () => {
    expect(givenOf(draft(), false).given).toEqual({
      format: 'flat',
      fields: [{ name: 'a', source: 'email' }],
      headers: [
        { name: 'X-Key', value: 'secret' },
        { name: '', value: 'other' },
      ],
    });
    const { given, rows } = givenOf(draft({ format: 'template' }), true);
    expect(given).toEqual({
      format: 'template',
      template: '{}',
      headers: [{ name: 'X-Key', value: '' }],
    });
    expect(rows.headers).toEqual(['h1']);
    expect(Object.keys(givenOf(draft({ format: 'standard' }), false).given)).toEqual(['format', 'headers']);
  });

  it('puts errors at their rows', () => {
    const rows = { fields: ['f1', 'f2'], headers: ['h1'] };
    expect(
      errorsOf(
        {
          'fields.1.name': ['is used twice'],
          'headers.0.value': ['is required'],
          'headers.7.name': ['is required'],
          template: ['must be valid JSON'],
          fields: ['must have at least one field'],
          format: ['is required'],
        },
        rows,
      ),
    ).toEqual({
      'f2.name': 'Is used twice',
      'h1.value': 'Is required',
      headers: 'Is required',
      template: 'Must be valid JSON',
      fields: 'Must have at least one field',
    });
  });

  it('indents JSON, and nothing else', () => {
    expect(readableBody('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(readableBody('a=1&b=2')).toBe('a=1&b=2');
  });
});
