import { z } from 'zod';

/**
 * A whole number within bounds, as a number or as its digits. Anything that would merely convert to one (true, [7],
 * 0x1f) is refused.
 */
export const Whole = (least: number, most: number) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .trim()
          .regex(/^-?\d{1,15}$/)
          .transform(Number),
      ],
      'must be a whole number',
    )
    .pipe(
      z
        .number()
        .int('must be a whole number')
        .min(least, `must be at least ${least}`)
        .max(most, `must not exceed ${most}`),
    );

/** An opaque id. */
export const Id = z.uuid();

/** A yes/no value on the wire: 'T' or 'F'. */
export const Flag = z.enum(['T', 'F']);

/** Micro-dollars: 1 USD = 1,000,000. Whole, exact up to nine billion dollars. */
export const Micros = z.int();

/** US dollars as people write them, without a sign or separators: '2.50'. At most six places. */
export const Dollars = z
  .string()
  .regex(
    /^\d{1,9}(\.\d{1,6})?$/,
    'must be an amount in US dollars such as 2.50, with up to 6 decimal places',
  );

/** An amount as it is sent: text, or the equivalent number. */
export const given = <T extends z.ZodType<string, string>>(amount: T) =>
  z
    .union([z.string(), z.number().transform(String)], 'must be an amount in US dollars such as 2.50')
    .pipe(amount);

/** Several choices in one string: 'local|locator'. */
export const PipeList = <T extends string>(names: readonly [T, ...T[]], fault: string) =>
  z
    .string()
    .max(200, 'must not exceed 200 characters')
    .transform((text, ctx) => {
      const found = text.split('|').map((one) => names.find((name) => name === one.trim()));
      if (found.includes(undefined)) ctx.addIssue({ code: 'custom', message: fault });
      return found.filter((one) => one !== undefined);
    });

/** Frequency, for limits of leads and for reports. Weeks begin on Monday; days are in the client's time zone. */
export const FREQUENCIES = ['day', 'week', 'month'] as const;

/** An ISO 8601 instant. */
export const Instant = z.iso.datetime();

/** A calendar day, YYYY-MM-DD. */
export const Day = z.iso.date();

/** A calendar day that a user requests or enters; the database and the calendars have no year 0. */
export const GivenDay = Day.refine((day) => day >= '1900-01-01', 'must not be before 1900-01-01');

/** An email address, lowercased, at most 70 characters. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(70, 'must not exceed 70 characters')
  .pipe(z.email('must be a valid email address'));

/**
 * A new password: 12 to 1,024 characters, at least five of them different. Length is what counts
 * (docs/decisions/0011-passwords-and-attempts.md); the service checks that it is not the user's own email address.
 */
export const NewPassword = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(1024, 'must not exceed 1024 characters')
  .refine(
    (text) => text.length < 12 || new Set(text.toLowerCase()).size >= 5,
    'must have at least 5 different characters',
  );

/** Whether a text has control characters, line breaks included. */
export const hasControls = (text: string): boolean => [...text].some((c) => c < ' ' || c === '\u007f');

/** A line of text a person typed: trimmed, 1 to 255 characters, no control characters. */
export const Line = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(255, 'must not exceed 255 characters')
  .refine((text) => !hasControls(text), 'must not contain control characters');

/** An http or https address of at most 2,048 characters. */
export const WebUrl = z
  .string()
  .trim()
  .max(2048, 'must not exceed 2048 characters')
  .refine((text) => !hasControls(text), 'must not contain control characters')
  .pipe(z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' }));

/** A brand's picture with its size, so that it takes its room before it has loaded. */
export const Picture = z.object({ url: z.string(), width: z.int(), height: z.int() }).nullable();

/** The query parameters of a paged list. */
export const PageQuery = z.object({
  Page: z.coerce.number().int().min(1).max(100_000).default(1),
  PerPage: z.coerce.number().int().min(1).max(100).default(10),
  sortby: z.string().max(40).optional(),
  order: z.enum(['asc', 'desc']).optional(),
  searchQuery: z.string().trim().max(200).optional(),
});

/** A page of rows, as returned by every list on the screens. `from` and `to` are 1-based, null on an empty page. */
export const Page = <T extends z.ZodType>(row: T) =>
  z.object({
    data: z.array(row),
    current_page: z.int(),
    last_page: z.int(),
    per_page: z.int(),
    total: z.int(),
    from: z.int().nullable(),
    to: z.int().nullable(),
  });

/** The response to a change: what happened, in words for the user. */
export const Done = z.object({ result: z.literal('success'), message: z.string() });

export { dollarsOf, microsOf, usd } from './dollars.ts';

/** A two-letter country code. */
export const Country = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/, 'must be a two-letter country code such as US or GB');

/** The shape of an object schema made from a table of fields, whose names the table's type knows. */
export const shapeOf = <Shape>(entries: readonly (readonly [name: string, schema: z.ZodType])[]): Shape =>
  Object.fromEntries(entries) as Shape;
