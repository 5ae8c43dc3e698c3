import { describe, expect, it } from 'vitest';
import { DEFAULT_FIELDS, type Payload, RB2B_TEMPLATE } from '../../../../contract/campaigns/payloads.ts';
import type { Refusal } from '../../../../contract/errors.ts';
import { createRedactor } from '../../../integrations/index.ts';
import { checkFields, checkTemplate, headersFrom, messageOf, secretsOf } from './payload.policy.ts';
import { type LeadData, testLead } from './policy.ts';

const at = new Date('2026-03-01T12:00:00Z');
const lead = (person: Partial<LeadData['person']> = {}): LeadData => {
  const made = testLead('018f0000-0000-7000-8000-000000000001', { number: 7, name: 'Tents' }, at, {
    linkedin: 'https://linkedin.example/in/ada',
    company_size: '',
    industry: null,
  });
  return { ...made, person: { ...made.person, ...person } };
};
const payload = (more: Partial<Payload>): Payload => ({
  format: 'standard',
  fields: [],
  template: '',
  ...more,
});
const template = (value: unknown): Payload =>
  payload({ format: 'template', template: typeof value === 'string' ? value : JSON.stringify(value) });
const become = (value: unknown, data = lead()): unknown => {
  const of = template(value);
  checkTemplate(of.template);
  return JSON.parse(messageOf(of, data).body);
};
const faults = (work: () => unknown): Record<string, string[]> => {
  try {
    work();
  } catch (error) {
    return (error as Refusal).errors;
  }
  return {};
};

/** What people, or someone who wants to break out of a payload, may have entered as a name. */
const HOSTILE = [
  '"',
  '\\',
  '"},"admin":true,"x":{"',
  'a\nb\r\n\tc',
  '<script>alert(1)</script>',
  '=HYPERLINK("https://evil.example")',
  '+1',
  '-1',
  '@SUM(A1)',
  '{{email}}',
  '{{',
  '}}',
  '&admin=true&x=',
  'a=b;c=d%0d%0aX: y',
  '\u2028\u2029\u202e',
  '\ud800',
  '😀',
  '__proto__',
  '$&$1$`',
  '0',
];

describe('[INTG-02] the payload of a webhook', () => {
  it('is our message by default', () => {
    const data = lead();
    const { contentType, body } = messageOf(payload({}), data);
    expect([contentType, JSON.parse(body)]).toEqual([
      'application/json',
      { type: 'lead.created', timestamp: data.created_at, data },
    ]);
  });

  it('is one flat object or a form, with fields picked, renamed, and in order', () => {
    const fields = [
      { name: 'Mail', source: 'email' },
      { name: '2', source: 'first_name' },
      { name: '1', source: 'phone2' },
      { name: '__proto__', source: 'text:Web & more' },
      { name: 'LinkedIn', source: 'data_linkedin' },
      { name: 'Size', source: 'data_company_size' },
      { name: 'Test', source: 'is_test' },
    ];
    checkFields(fields);
    expect(messageOf(payload({ format: 'flat', fields }), lead())).toEqual({
      contentType: 'application/json',
      body: '{"Mail":"test.lead@example.com","2":"Test","1":null,"__proto__":"Web & more","LinkedIn":"https://linkedin.example/in/ada","Size":null,"Test":"true"}',
    });
    expect(messageOf(payload({ format: 'form', fields }), lead())).toEqual({
      contentType: 'application/x-www-form-urlencoded',
      body: 'Mail=test.lead%40example.com&2=Test&1=&__proto__=Web+%26+more&LinkedIn=https%3A%2F%2Flinkedin.example%2Fin%2Fada&Size=&Test=true',
    });
  });

  it('has every lead field under its own key unless fields are picked', () => {
    const fields = [...DEFAULT_FIELDS];
    checkFields(fields);
    const body = JSON.parse(messageOf(payload({ format: 'flat', fields }), lead()).body);
    expect(Object.keys(body)).toEqual(fields.map(({ name }) => name));
    expect(body).toMatchObject({ full_name: 'Test Lead', campaign_id: '7', referrer: null });
  });

  it('fills a template: missing values become null, or nothing within a text', () => {
    expect(
      become({
        name: '{{ first_name }} {{last_name}}',
        second: '{{phone2}}',
        text: 'Phone: {{phone2}}.',
        list: [{ deep: ['{{email}}', 1, true, null] }, 'plain', ''],
        __proto: '{{data_industry}}',
      }),
    ).toEqual({
      name: 'Test Lead',
      second: null,
      text: 'Phone: .',
      list: [{ deep: ['test.lead@example.com', 1, true, null] }, 'plain', ''],
      __proto: null,
    });
  });

  it('has a template with the keys of RB2B', () => {
    expect(become(RB2B_TEMPLATE)).toEqual({
      'LinkedIn URL': 'https://linkedin.example/in/ada',
      'First Name': 'Test',
      'Last Name': 'Lead',
      Title: 'Tester',
      'Company Name': 'Example Company',
      'Business Email': null,
      Website: 'https://example.com',
      Industry: null,
      'Employee Count': null,
      'Estimate Revenue': null,
      City: 'Springfield',
      State: 'IL',
      Zipcode: '62701',
      'Seen At': at.toISOString(),
      Referrer: null,
      'Captured URL': 'https://example.com/pricing',
      Tags: null,
    });
  });

  it('keeps its structure whatever a lead’s values are', () => {
    const fields = [
      { name: 'a"b', source: 'first_name' },
      { name: 'c', source: 'last_name' },
      { name: 'd', source: 'text:{{email}}' },
    ];
    const shape = {
      'a"b': '{{first_name}}',
      n: [1, { c: '<{{first_name}}|{{last_name}}>' }, 'x'],
      d: 'fixed',
    };
    for (const first of HOSTILE)
      for (const last of HOSTILE) {
        const data = lead({ first_name: first, last_name: last });
        expect(JSON.parse(messageOf(payload({ format: 'flat', fields }), data).body)).toEqual({
          'a"b': first,
          c: last,
          d: '{{email}}',
        });
        const form = messageOf(payload({ format: 'form', fields }), data).body;
        expect([...new URLSearchParams(form)]).toEqual([
          ['a"b', first.toWellFormed()],
          ['c', last.toWellFormed()],
          ['d', '{{email}}'],
        ]);
        expect(form).toMatch(/^[\w.*+%&=-]+$/);
        expect(become(shape, data)).toEqual({
          'a"b': first,
          n: [1, { c: `<${first}|${last}>` }, 'x'],
          d: 'fixed',
        });
      }
  });

  it('keeps the structure of made-up templates', () => {
    // A small generator with a fixed seed.
    let seed = 42;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * below);
    };
    const make = (depth: number): unknown => {
      const kind = random(depth > 6 ? 3 : 5);
      if (kind === 0) return [1, true, null, 'plain', ''][random(5)];
      if (kind < 3) return ['{{first_name}}', 'x{{first_name}}y{{phone2}}'][kind - 1];
      const parts = Array.from({ length: random(4) }, () => make(depth + 1));
      return kind === 3 ? parts : Object.fromEntries(parts.map((part, i) => [`k"${i}`, part]));
    };
    const expected = (value: unknown, first: string): unknown => {
      if (value === '{{first_name}}') return first;
      if (value === 'x{{first_name}}y{{phone2}}') return `x${first}y`;
      if (Array.isArray(value)) return value.map((one) => expected(one, first));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expected(one, first)]));
    };
    for (let i = 0; i < 300; i++) {
      const shape = { root: make(0) };
      const first = HOSTILE[random(HOSTILE.length)]!;
      expect(become(shape, lead({ first_name: first }))).toEqual(expected(shape, first));
    }
  });
});

describe('what a payload must not be', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}"{{email}}"${']'.repeat(levels)}`;
  it.each([
    ['', 'is required'],
    ['{', 'must be valid JSON'],
    ['{"a": {{email}}}', 'must be valid JSON, with each placeholder inside quotes'],
    ['{\n"a": 1,\n"b": 2 3}', '(line 3)'],
    ['{"a": "{{nope}}"}', 'has an unknown field “nope”'],
    ['{"a": "{{constructor}}"}', 'has an unknown field “constructor”'],
    ['{"a": "{{data_nope}}"}', 'has an unknown field “data_nope”'],
    ['{"a": "{{text:x}}"}', 'has an unknown field “text:x”'],
    ['{"a": "{{}}"}', 'has an unknown field “”'],
    [`{"a": "{{${'x'.repeat(1000)}}}"}`, `“${'x'.repeat(60)}…”`],
    ['{"a": "{{email"}', 'has a {{ without a }}'],
    ['{"{{email}}": 1}', 'must not have placeholders in names (“{{email}}”)'],
    ['{"__proto__": {"a": 1}}', 'must not use names such as “__proto__”'],
    [nested(21), 'must not be nested deeper than 20 levels'],
    [nested(9000), 'must not be nested deeper than 20 levels'],
    [JSON.stringify(Array.from({ length: 501 }, () => '{{email}}')), 'at most 500 placeholders'],
  ])('the template %.60s', (text, rule) => {
    expect(faults(() => checkTemplate(text))).toEqual({ template: [expect.stringContaining(rule)] });
  });

  it('but a template may be twenty levels deep', () => {
    expect(faults(() => checkTemplate(nested(20)))).toEqual({});
  });

  it('reads a long template of signs in no time', () => {
    for (const text of ['{{'.repeat(10_000), '}}'.repeat(10_000), '{{email}}'.repeat(2000)])
      for (const quoted of [text, JSON.stringify(text)]) {
        const began = performance.now();
        faults(() => checkTemplate(quoted));
        expect(performance.now() - began).toBeLessThan(1000);
      }
  });

  it('longer than a million characters of values', () => {
    const data = lead({ first_name: 'x'.repeat(600_000) });
    const twice = ['{{first_name}}', '{{first_name}}'];
    expect(faults(() => messageOf(template(twice), data))).toEqual({
      template: ['must not become longer than 1,000,000 characters'],
    });
    const fields = ['a', 'b'].map((name) => ({ name, source: 'first_name' }));
    expect(Object.keys(faults(() => messageOf(payload({ format: 'form', fields }), data)))).toEqual([
      'fields',
    ]);
    expect(faults(() => messageOf(payload({ format: 'flat', fields: fields.slice(1) }), data))).toEqual({});
  });

  it('fields that are no lead’s, or twice the same', () => {
    expect(faults(() => checkFields([]))).toEqual({ fields: ['must have at least one field'] });
    expect(
      faults(() =>
        checkFields([
          { name: 'a', source: 'email' },
          { name: 'b', source: 'toString' },
          { name: 'a', source: 'text:' },
        ]),
      ),
    ).toEqual({ 'fields.1.source': ['is not a field of a lead'], 'fields.2.name': ['is used twice'] });
  });

  it.each([
    'Host',
    'content-length',
    'Content-Type',
    'CONNECTION',
    'transfer-encoding',
    'Keep-Alive',
    'TE',
    'trailer',
    'upgrade',
    'proxy-authorization',
    'expect',
    'webhook-id',
    'Webhook-Signature',
    'webhook-anything',
  ])('the header %s', (name) => {
    expect(faults(() => headersFrom([{ name, value: 'x' }], []))).toEqual({
      'headers.0.name': ['is a reserved header'],
    });
  });

  it.each(['', 'a b', 'a:b', 'a\r\nb', 'a\n', 'ä', 'x'.repeat(101), '(a)'])('the header name %j', (name) => {
    expect(Object.keys(faults(() => headersFrom([{ name, value: 'x' }], [])))).toEqual(['headers.0.name']);
  });

  it.each(['a\r\nX: y', 'a\n', '\n', '€', 'a\u0000', '\u007f', '\u0085', 'x'.repeat(1001), '', ' '])(
    'the header value %.20j',
    (value) => {
      expect(Object.keys(faults(() => headersFrom([{ name: 'X-Key', value }], [])))).toEqual([
        'headers.0.value',
      ]);
    },
  );

  it('more than ten headers, or one twice', () => {
    const many = Array.from({ length: 11 }, (_, i) => ({ name: `X-${i}`, value: 'x' }));
    expect(Object.keys(faults(() => headersFrom(many, [])))).toEqual(['headers']);
    expect(
      faults(() =>
        headersFrom(
          [
            { name: 'X-Key', value: 'x' },
            { name: 'x-key', value: 'y' },
          ],
          [],
        ),
      ),
    ).toEqual({ 'headers.1.name': ['is used twice'] });
  });
});

describe('headers of a webhook', () => {
  it('keep the values that are left empty, whatever the case of their names', () => {
    const before = [{ name: 'X-Key', value: 'old' }];
    expect(
      headersFrom(
        [
          { name: 'x-key', value: '' },
          { name: 'X-Café', value: '' },
        ].slice(0, 1),
        before,
      ),
    ).toEqual([{ name: 'x-key', value: 'old' }]);
    expect(headersFrom([{ name: 'X-Key', value: ' né w ' }], before)).toEqual([
      { name: 'X-Key', value: 'né w' },
    ]);
  });

  it('do not get into the log when an endpoint repeats them', () => {
    const secrets = secretsOf([
      { name: 'Authorization', value: 'Bearer tok-12345678' },
      { name: 'X-Key', value: 'a"b\\c-secret' },
      { name: 'X-On', value: '1' },
    ]);
    const said = `1 {"auth":"Bearer tok-12345678","token":"tok-12345678","key":${JSON.stringify('a"b\\c-secret')}} a"b\\c-secret`;
    const redact = createRedactor([], secrets);
    expect(redact.answer(said, 400)).toBe('1 {"auth":"•••","token":"•••","key":"•••"} •••');
    // Also where the text is cut.
    const cut = `${'x'.repeat(1990)}Bearer tok-12345678`;
    expect(redact.answer(cut, 200)).toBe(`${'x'.repeat(1990)}•••`);
  });
});
