import { describe, expect, it } from 'vitest';
import { createRedactor } from './record.ts';
import { LEAD } from './suite.ts';

const redact = createRedactor([LEAD], ['s3cret-key']);

describe('[BEY-04] what is stored of requests and responses', () => {
  it('shows the fields of a lead in place of their values', () => {
    const body = {
      email: 'ZOE@example.com ',
      name: 'Zoë O\'Hara <b>&"',
      phone: '(202) 555-0123',
      note: 'Call Zoë in Springfield, IL',
      list: 7,
      list_id: 'a1',
      key: 's3cret-key',
      api_key: 'x',
      'zoe@example.com': true,
    };
    expect(JSON.parse(redact.body(JSON.stringify(body), 'application/json'))).toEqual({
      email: '{{email}}',
      name: '{{first_name}} {{last_name}}',
      phone: '{{phone}}',
      note: 'Call {{first_name}} in {{city}}, {{state}}',
      list: 7,
      list_id: 'a1',
      key: '•••',
      api_key: '•••',
      '{{email}}': true,
    });
    const form = new URLSearchParams({ 'lead[email]': LEAD.email, password: 'p', cmd: 'create_lead' });
    expect(redact.body(form.toString(), 'application/x-www-form-urlencoded')).toBe(
      'lead[email]={{email}}&password=•••&cmd=create_lead',
    );
    expect(redact.url('https://crm.example/contacts/zoe%40example.com?query=O%27Hara&key=s3cret-key')).toBe(
      "https://crm.example/contacts/{{email}}?query=O'Hara&key=•••",
    );
  });

  it('takes a word for a state only where it is written as one', () => {
    const oregon = createRedactor([{ ...LEAD, state: 'OR' }], []);
    expect(oregon.words('expired or revoked in Salem, OR.')).toBe('expired or revoked in Salem, {{state}}.');
  });

  it('keeps of a success what tells what became of it, and of a refusal everything', () => {
    const answer = { id: 'c1', status: 'ok', contact: { owner: 'Someone Else', id: 'c1' } };
    expect(redact.answer(JSON.stringify(answer), 200)).toBe(
      '{"id":"c1","status":"ok","contact":{"owner":"•••","id":"c1"}}',
    );
    expect(redact.answer(JSON.stringify({ detail: `${LEAD.email} is not valid` }), 422)).toBe(
      '{"detail":"{{email}} is not valid"}',
    );
    expect(redact.answer('<p>O&#39;Hara &lt;b&gt;&amp;&quot; is unknown</p>', 404)).toBe(
      '<p>{{last_name}} is unknown</p>',
    );
  });

  it('keeps what can be stored and shown, in bounds', () => {
    expect(redact.answer('ok\u0000\u001b[31m\u0085 <b>\n\tend', 200)).toBe('ok[31m <b>\n\tend');
    expect(redact.answer('x'.repeat(5000), 200)).toHaveLength(2000);
    expect(redact.answer(`${'x'.repeat(1999)}😀`, 200).isWellFormed()).toBe(true);
    const many = JSON.parse(redact.body(JSON.stringify(Array(100).fill(1)), 'application/json'));
    expect(many).toHaveLength(21);
    const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`);
    expect(redact.body(JSON.stringify(deep), 'application/json')).toContain('…');
    // Anyone who answers decides how many values there are, and each is compared with all of the lead's.
    const wide = Array(20).fill(Array(20).fill(Array(20).fill(1)));
    const shown = redact.body(JSON.stringify(wide), 'application/json');
    expect(shown.match(/1/g)!.length).toBeLessThan(1_000);
    expect(shown).toContain('"…"');
  });
});
