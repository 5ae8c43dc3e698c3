import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InformationKey } from '../../../contract/audience/enrichment-fields.ts';
import type { DataVendor } from '../../platform/data-vendor.ts';
import { createOutbound } from '../../platform/outbound.ts';
import { startPdlServer } from '../../test/pdl-server.ts';
import { createPdl } from './index.ts';

let server: Awaited<ReturnType<typeof startPdlServer>>;
let pdl: DataVendor;
const NOBODY = {
  email: null,
  phone: null,
  first_name: null,
  last_name: null,
  address: null,
  city: null,
  state: null,
  zip: null,
};
const ann = { ...NOBODY, email: 'ann@x.example', zip: '78701' };

beforeAll(async () => {
  server = await startPdlServer('right');
  pdl = createPdl({
    outbound: createOutbound({ allow: [new URL(server.base).host] }),
    base: server.base,
    now: () => new Date('2026-03-10T12:00:00Z'),
    timeoutMs: 300,
  });
});
afterAll(() => server.close());

const ask = (wanted: InformationKey[], who = ann, key = 'right') => pdl.enrich(key, who, wanted);

test('asks for what is wanted and answers no more than that, in our words', async () => {
  server.people.set('ann@x.example', {
    birth_year: 1986,
    sex: 'female',
    job_title: ' baker ',
    job_title_levels: ['director', 'manager'],
    job_company_size: '51-200',
    linkedin_url: 'linkedin.com/in/ann',
    work_email: true, // a plan that may not see it
    headline: null,
    job_company_industry: 42,
  });
  expect(
    await ask([
      'age_range',
      'gender',
      'seniority',
      'company_size',
      'linkedin',
      'business_email',
      'headline',
      'industry',
    ]),
  ).toEqual({
    kind: 'found',
    values: {
      age_range: '35-44',
      gender: 'F',
      seniority: 'director',
      company_size: '51-200',
      linkedin: 'https://linkedin.com/in/ann',
    },
  });
  expect(server.asked.at(-1)).toEqual({
    key: 'right',
    body: {
      email: 'ann@x.example',
      postal_code: '78701',
      min_likelihood: 6,
      required:
        'birth_year OR sex OR job_title_levels OR job_company_size OR linkedin_url OR work_email OR headline OR job_company_industry',
    },
  });
  expect(await ask(['job_title'])).toEqual({ kind: 'found', values: { job_title: 'baker' } });
});

test('404 is no one, another key is refused; neither is tried again', async () => {
  expect(await ask(['gender'], { ...ann, email: 'nobody@x.example' })).toEqual({ kind: 'none' });
  expect(await ask(['gender'], ann, 'wrong')).toEqual({
    kind: 'refused',
    why: 'It did not accept the key (401).',
  });
  server.faults.push((reply) => reply.writeHead(402).end('{}'));
  expect(await ask(['gender'])).toMatchObject({ kind: 'refused', why: expect.stringContaining('credits') });
});

const again =
  (status: number, headers = {}) =>
  (reply: ServerResponse) =>
    void reply.writeHead(status, headers).end('{}');
test.each<[string, (reply: ServerResponse) => void, object]>([
  [
    '429 with seconds',
    again(429, { 'retry-after': '7' }),
    { againMs: 7000, why: 'It received too many requests (429).' },
  ],
  ['429 with a date', again(429, { 'retry-after': 'Tue, 10 Mar 2026 12:00:20 GMT' }), { againMs: 20_000 }],
  ['429 without', again(429), { againMs: 2000 }],
  ['503', again(503), { againMs: 2000, why: 'It returned 503.' }],
  ['no response', () => undefined, { againMs: 2000 }],
  ['a cut connection', (reply) => void reply.destroy(), { againMs: 2000 }],
  ['no JSON', (reply) => void reply.writeHead(200).end('<html>'), { why: 'Its response could not be read.' }],
  [
    'other JSON',
    (reply) => void reply.writeHead(200).end('{"status":200}'),
    { why: 'Its response could not be read.' },
  ],
])('%s: it may be asked again', async (_what, fault, expected) => {
  server.faults.push(fault);
  expect(await ask(['gender'])).toMatchObject({ kind: 'busy', ...expected });
});

test('leaves out of an answer what the database cannot store', async () => {
  server.people.set('ann@x.example', {
    job_title: 'ba\u0000ker\ud83d',
    headline: `${'x'.repeat(999)}\u{1f389}`,
    job_company_name: '\u0000',
  });
  expect(await ask(['job_title', 'headline', 'company_name'])).toEqual({
    kind: 'found',
    values: { job_title: 'baker\ufffd', headline: `${'x'.repeat(999)}\ufffd` },
  });
});
