import { ProfileAnswer, ProfileForm } from '../../../../contract/accounts/profile.ts';
import { US_STATES } from '../../../../contract/choices.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { countryOf } from '../../../platform/geo.ts';
import { checkForm } from '../../../platform/http/form.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { PICTURE_BYTES } from '../../../platform/image.ts';
import { citiesOf } from '../../../platform/places.ts';
import type { Setup } from './service.ts';

/** A picture plus the text fields of the form. */
const FORM_BYTES = PICTURE_BYTES + 64 * 1024;
/** The system's time zone (calls 9). */
const DEFAULT_ZONE = 'America/Chicago';
const done = (message: string) => ({ result: 'success' as const, message });

/** Offsets change at a quarter of an hour, if they do. */
const QUARTER_HOUR = 900_000;
let zones: { quarter: number; list: { value: string; label: string }[] } | undefined;

/**
 * Time zones with their offset at an instant, such as 'America/Chicago (GMT-06:00)'. Kept until offsets can change: to
 * compute them takes 30 ms, in the thread that serves everyone.
 */
function timeZones(at: Date) {
  const quarter = Math.floor(at.getTime() / QUARTER_HOUR);
  if (zones?.quarter !== quarter) {
    const list = Intl.supportedValuesOf('timeZone').map((value) => {
      const parts = new Intl.DateTimeFormat('en-US', { timeZone: value, timeZoneName: 'longOffset' });
      const offset = parts.formatToParts(at).find((part) => part.type === 'timeZoneName')?.value ?? '';
      return { value, label: `${value.replaceAll('_', ' ')} (${offset})` };
    });
    zones = { quarter, list };
  }
  return zones.list;
}

/** The profile endpoints: the form, the questionnaire, and the lists its fields choose from. */
export function profileRoutes(setup: Setup): {
  handlers: Handlers<typeof contract.profile>;
  plain: PlainRoute[];
} {
  const { profile } = setup;
  return {
    handlers: {
      async confirmEmail(ctx, input) {
        await setup.confirmEmail(ctx, input.token);
        return done(ownMessages.emailChanged);
      },
      async stopEmail(ctx, input) {
        await setup.stopEmail(ctx, input.token);
        return done(ownMessages.emailStopped);
      },
      questionnaire: async (ctx) => ({ data: await profile.questionnaire(ctx) }),
      async saveQuestionnaire(ctx, input) {
        await profile.saveQuestionnaire(ctx, input);
        return done(ownMessages.questionnaireSaved);
      },
      states: async () => ({
        data: Object.entries(US_STATES).map(([value, label]) => ({ value, label })),
      }),
      cities: async (_ctx, input) => ({ data: citiesOf(input.state) }),
      timezones: async (ctx) => ({ default: DEFAULT_ZONE, data: timeZones(ctx.clock.now()) }),
      async visitorCountry(ctx) {
        const code = countryOf(ctx.ip);
        return { country_code: code ?? 'US', known: code !== null };
      },
    },
    plain: [
      {
        method: 'POST',
        url: '/api/user/update',
        access: 'account.own',
        tag: 'Users',
        summary: ProfileForm.description!,
        input: ProfileForm,
        answer: ProfileAnswer,
        bodyLimit: FORM_BYTES,
        streamed: true,
        async handler(ctx, _request, _reply, upload) {
          const { fields: form, files } = await checkForm(ProfileForm, upload, FORM_BYTES);
          const result = await profile.update(ctx, form, files.picture_url ?? null);
          const pending = await setup.emailPending(ctx);
          const asked = pending !== null && pending === form.email;
          return result === 'error_email'
            ? { result, message: ownMessages.emailTaken, user: null, email_pending: pending }
            : {
                result,
                message: asked ? ownMessages.emailConfirm : messages.updated,
                user: await setup.user(ctx),
                email_pending: pending,
              };
        },
      },
      {
        method: 'GET',
        url: '/profile-picture/:file',
        access: 'public',
        tag: 'Users',
        summary: 'Returns a person’s picture on their system’s hosts. A changed picture gets a new address',
        async handler(ctx, request, reply) {
          const { file } = request.params as { file: string };
          const [, id] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:png|jpg)$/.exec(file) ?? [];
          const picture = id ? await setup.picture(ctx.tenant, id) : undefined;
          if (!picture) throw new Refusal('not_found', messages.notFoundText);
          return reply
            .header('Cache-Control', 'private, max-age=31536000, immutable')
            .header('Content-Security-Policy', "default-src 'none'")
            .header('Cross-Origin-Resource-Policy', 'same-origin')
            .type(picture.type)
            .send(picture.bytes);
        },
      },
    ],
  };
}
