import { z } from 'zod';
import type { InformationKey } from '../../../contract/audience/enrichment-fields.ts';
import type { DataVendor, VendorAnswer } from '../../platform/data-vendor.ts';
import { jsonOf, type Outbound, OutboundError } from '../../platform/outbound.ts';

/** Longer than a user should wait for one answer; the lead waits for several at most. */
const TIMEOUT_MS = 8_000;
const MOST_BYTES = 1_000_000;
/** Used when a busy vendor does not say when to retry. */
const AGAIN_MS = 2_000;
/** Out of 10: below this, it may well be someone else. */
const LEAST_LIKELIHOOD = 6;

/** The vendor's names for our fields; they are also sent as 'required', so that a match without them costs nothing. */
const NAMES = {
  age_range: 'birth_year',
  gender: 'sex',
  job_title: 'job_title',
  headline: 'headline',
  seniority: 'job_title_levels',
  department: 'job_title_role',
  company_name: 'job_company_name',
  company_domain: 'job_company_website',
  industry: 'job_company_industry',
  company_size: 'job_company_size',
  company_revenue: 'job_company_inferred_revenue',
  business_email: 'work_email',
  linkedin: 'linkedin_url',
} as const satisfies Partial<Record<InformationKey, string>>;
type Known = keyof typeof NAMES;

const Found = z.object({
  status: z.literal(200),
  likelihood: z.number(),
  data: z.record(z.string(), z.unknown()),
});

const WHY: Record<number, string> = {
  400: 'It did not understand the request (400).',
  401: 'It did not accept the key (401).',
  402: 'The account has no credits left (402).',
  403: 'The key is not allowed to look up people (403).',
};

/** People Data Labs' person enrichment (POST /v5/person/enrich) at `base`; `now` is used to compute ages. */
export function createPdl(parts: {
  outbound: Outbound;
  base: string;
  now: () => Date;
  timeoutMs?: number;
}): DataVendor {
  const { outbound, base, now, timeoutMs = TIMEOUT_MS } = parts;

  const textOf = (key: Known, value: unknown): string | undefined => {
    const one = Array.isArray(value) ? value[0] : value;
    if (key === 'age_range') return ageRange(one, now());
    // A plan that may not see a value gets `true` instead.
    if (typeof one !== 'string' || one.trim() === '') return undefined;
    const text = one.trim().slice(0, 1000).toWellFormed();
    if (key === 'gender') return text === 'female' ? 'F' : text === 'male' ? 'M' : undefined;
    return key === 'linkedin' && !/^https?:/i.test(text) ? `https://${text}` : text;
  };

  return {
    knows: new Set(Object.keys(NAMES) as Known[]),

    async enrich(apiKey, who, wanted): Promise<VendorAnswer> {
      const keys = wanted.filter((key): key is Known => Object.hasOwn(NAMES, key));
      const asked = {
        email: who.email,
        phone: who.phone,
        first_name: who.first_name,
        last_name: who.last_name,
        street_address: who.address,
        locality: who.city,
        region: who.state,
        postal_code: who.zip,
      };
      const body = {
        ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value)),
        min_likelihood: LEAST_LIKELIHOOD,
        required: keys.map((key) => NAMES[key]).join(' OR '),
      };
      try {
        const answer = await outbound.fetch(`${base}/v5/person/enrich`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
          body: JSON.stringify(body),
          timeoutMs,
          maxBytes: MOST_BYTES,
        });
        const { status } = answer;
        if (status === 404) return { kind: 'none' };
        if (status === 429 || status >= 500)
          return {
            kind: 'busy',
            why: status === 429 ? 'It received too many requests (429).' : `It returned ${status}.`,
            againMs: waitOf(answer.headers['retry-after'], now()),
          };
        if (status !== 200) return { kind: 'refused', why: WHY[status] ?? `It returned ${status}.` };
        const found = read(answer.body);
        if (!found) return { kind: 'busy', why: 'Its response could not be read.', againMs: AGAIN_MS };
        if (found.likelihood < LEAST_LIKELIHOOD) return { kind: 'none' };
        const values: Partial<Record<InformationKey, string>> = {};
        for (const key of keys) {
          const value = textOf(key, found.data[NAMES[key]]);
          if (value) values[key] = value;
        }
        return { kind: 'found', values };
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        return { kind: 'busy', why: `${error.message}.`, againMs: AGAIN_MS };
      }
    },
  };
}

function read(body: Buffer): z.output<typeof Found> | null {
  try {
    return Found.parse(jsonOf(body));
  } catch {
    return null;
  }
}

/** A Retry-After header (seconds or a date) in milliseconds. */
function waitOf(header: string | undefined, now: Date): number {
  if (!header) return AGAIN_MS;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return Number.isFinite(ms) ? Math.max(ms, 0) : AGAIN_MS;
}

const AGES = [18, 25, 35, 45, 55, 65] as const;
function ageRange(year: unknown, now: Date): string | undefined {
  if (typeof year !== 'number' || !Number.isInteger(year)) return undefined;
  const age = now.getUTCFullYear() - year;
  const at = AGES.findLastIndex((from) => age >= from);
  if (at < 0 || age > 120) return undefined;
  const next = AGES[at + 1];
  return next === undefined ? '65 and older' : `${AGES[at]}-${next - 1}`;
}
