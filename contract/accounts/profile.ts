import { z } from 'zod';
import { call } from '../base.ts';
import { US_STATES } from '../choices.ts';
import { Done, Email, Flag, hasControls, Id, Line } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { Questionnaire } from './questionnaire.ts';
import { SessionUser } from './users.ts';

const Text = (max: number) =>
  z
    .string()
    .trim()
    .max(max, `must not exceed ${max} characters`)
    .refine((text) => !hasControls(text), 'must not contain control characters');
const Country = z.union([
  z.literal(''),
  z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{2}$/, 'must be a two-letter country code'),
]);

/**
 * The fields of the profile form (spec calls 7: POST /user/update, steps 1 and 2). Fields left out stay as they are.
 */
export const ProfileForm = z
  .object({
    usrID: Id.optional().describe('Your user ID'),
    step: z
      .enum(['1', '2'])
      .optional()
      .describe('1: the user, 2: the company. Requires the fields of that step'),
    name: Line.optional(),
    email: Email.optional(),
    currpassword: z.string().max(1024).optional().describe('Required for a new email address'),
    phonenum: Text(32).optional(),
    phone_country_code: Country.optional(),
    phone_country_calling_code: Text(5).optional(),
    address: Text(255).optional(),
    city: Text(255).optional(),
    zip: Text(20).optional(),
    state_code: Text(10).optional(),
    country_code: Country.optional(),
    remove_pict: Flag.optional(),
    profile_pict: z.unknown().optional().describe('An image of up to 2 MB'),
    company_name: Line.optional(),
    company_phone: Text(32).optional(),
    company_email: z.union([z.literal(''), Email]).optional(),
    company_address: Text(255).optional(),
    company_city: Text(255).optional(),
    company_zip: Text(20).optional(),
    company_state_code: Text(10).optional(),
    company_country_code: Country.optional(),
  })
  .superRefine((form, at) => {
    for (const prefix of ['', 'company_'] as const) {
      const state = form[`${prefix}state_code`];
      const zip = form[`${prefix}zip`];
      if (form[`${prefix}country_code`] !== 'US') continue;
      if (state && !US_STATES[state])
        at.addIssue({
          code: 'custom',
          path: [`${prefix}state_code`],
          message: 'must be a listed state',
        });
      if (zip && !/^\d{5}(-\d{4})?$/.test(zip))
        at.addIssue({ code: 'custom', path: [`${prefix}zip`], message: 'must have 5 digits' });
    }
  })
  .describe(
    'Saves your own profile. Send a multipart form with the fields of ProfileForm (steps 1 and 2) and profile_pict, an image of up to 2 MB. Returns ProfileAnswer, with result error_email when another account uses the email address',
  );
export type ProfileForm = Inside<z.output<typeof ProfileForm>>;

/** The response of POST /user/update. error_email: another account has the address; nothing was saved. */
export const ProfileAnswer = z.object({
  result: z.enum(['success', 'error_email']),
  message: z.string(),
  user: SessionUser.nullable(),
  email_pending: z.string().nullable().describe('An address awaiting confirmation'),
});

const Place = z.object({ value: z.string(), label: z.string() });

export const profile = {
  confirmEmail: call
    .route({
      method: 'POST',
      path: '/user/confirm-email',
      tags: ['Users'],
      summary: 'Confirms a new email address with the token sent to it',
    })
    .meta({ access: 'public' })
    .input(z.object({ token: z.string().min(1).max(256) }))
    .output(Done),
  stopEmail: call
    .route({
      method: 'POST',
      path: '/user/stop-email',
      tags: ['Users'],
      summary:
        'Stops a change of your email address that another user requested, with the token sent to the old address',
    })
    .meta({ access: 'public' })
    .input(z.object({ token: z.string().min(1).max(256) }))
    .output(Done),
  questionnaire: call
    .route({
      method: 'GET',
      path: '/user/questionnaire',
      tags: ['Users'],
      summary: 'Returns your answers. null if there are none',
    })
    .meta({ access: 'questionnaire.own' })
    .output(z.object({ data: Questionnaire.nullable() })),
  saveQuestionnaire: call
    .route({
      method: 'PUT',
      path: '/user/questionnaire',
      tags: ['Users'],
      summary: 'Saves your answers',
    })
    .meta({ access: 'questionnaire.own' })
    .input(Questionnaire)
    .output(Done),
  states: call
    .route({
      method: 'GET',
      path: '/general/states',
      tags: ['Lists'],
      summary: 'Lists the states of the United States',
    })
    .meta({ access: 'session.own', salesView: true })
    .output(z.object({ data: z.array(Place) })),
  cities: call
    .route({
      method: 'GET',
      path: '/general/cities',
      tags: ['Lists'],
      summary: 'Lists the cities of a state with at least 1,000 people. Other names are also accepted',
    })
    .meta({ access: 'session.own', salesView: true })
    .input(
      z.object({
        state: z
          .string()
          .toUpperCase()
          .refine((code) => code in US_STATES, 'must be a listed state'),
      }),
    )
    .output(z.object({ data: z.array(z.string()) })),
  timezones: call
    .route({
      method: 'GET',
      path: '/general/timezones',
      tags: ['Lists'],
      summary: 'Lists time zones with their current offset',
    })
    .meta({ access: 'session.own', salesView: true })
    .output(z.object({ default: z.string(), data: z.array(Place) })),
  visitorCountry: call
    .route({
      method: 'GET',
      path: '/general/visitor-country',
      tags: ['Lists'],
      summary:
        'Returns the country of the requesting address, used to preselect the phone country. US if unknown',
    })
    .meta({ access: 'public' })
    .output(z.object({ country_code: z.string(), known: z.boolean() })),
};
