import type { ProfileForm } from '../../../../contract/accounts/profile.ts';
import type { Questionnaire } from '../../../../contract/accounts/questionnaire.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { reencodePicture } from '../../../platform/image.ts';
import type { Platform } from '../../../platform/platform.ts';
import { readPhone } from '../users/index.ts';
import type { SetupParts } from './facts.service.ts';

const PICTURE_SIDE = 192;

/** The fields that each step of the form requires (spec calls 7: profile steps 1 and 2). */
const REQUIRED = {
  1: ['name', 'email', 'phone'],
  2: [
    'company_name',
    'company_phone',
    'company_address',
    'company_city',
    'company_zip',
    'company_country_code',
  ],
} as const;

/** The values that were given, without those that were left out. */
const given = <T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

/** The user's own profile and picture, the company details, and the questionnaire. */
export function createProfile({ db }: Platform, { users, tenants, auth, audit }: SetupParts) {
  return {
    /**
     * Saves the user's own profile. 'error_email': another account has the new address, and nothing was saved. A new
     * address must be confirmed first; all other changes take effect at once.
     * @throws Refusal 422 naming the field, 403 for company fields from someone who is not its owner and
     * for a new address in a session that is not confirmed, 404 for another
     * person
     */
    async update(
      ctx: Ctx,
      form: ProfileForm,
      picture: Uint8Array | null,
    ): Promise<'success' | 'error_email'> {
      const { actor } = ctx;
      if (form.user_id && form.user_id !== actor.userId) throw new Refusal('not_found', ownMessages.notFound);
      for (const field of form.step ? REQUIRED[form.step] : [])
        if (!form[field]) throw refusalOf(field, field === 'phone' ? messages.phoneInvalid : 'is required');
      // A U.S. address is incomplete without its state.
      if (form.step === '2' && form.company_country_code === 'US' && !form.company_state_code)
        throw refusalOf('company_state_code', 'is required for U.S. addresses');
      const company = companyFields(form);
      if (Object.keys(company).length > 0 && !actor.grade.endsWith('.owner'))
        throw new Refusal('forbidden', ownMessages.companyByOwner);

      const person = personFields(form);
      const encoded =
        picture &&
        (await reencodePicture(picture, {
          maxSide: PICTURE_SIDE,
          square: true,
          field: 'picture_url',
          by: actor.companyId,
        }));
      const before = await inScope(db.app, ctx.scope, (tx) => users.person(tx, actor.userId));
      const newEmail = form.email && form.email !== before?.email ? form.email : null;
      if (newEmail && actor.trueActor) throw new Refusal('forbidden', ownMessages.notInView);
      // The password alone would lead around an authenticator: links for new passwords go to the address.
      if (newEmail) await ctx.mustBeConfirmed();
      const proof = newEmail && (await auth.emails.mayAsk(ctx, newEmail, form.current_password ?? ''));
      if (newEmail && !proof) return 'error_email';

      const names = [...Object.keys(person), ...Object.keys(company)];
      const pictured = Boolean(encoded) || form.remove_pict === 'T';
      await inScope(db.app, ctx.scope, async (tx) => {
        const owner = { root_id: actor.rootId, agency_id: actor.agencyId, company_id: actor.companyId };
        await users.lock(tx, actor.userId);
        if (pictured) {
          const now = (await users.person(tx, actor.userId))?.picture;
          if (now) await tenants.dropPicture(tx, now.split('.')[0]!);
          const kept = encoded && (await tenants.addPicture(tx, owner, 'profile', encoded));
          const file = kept && `${kept.id}.${kept.type === 'image/jpeg' ? 'jpg' : 'png'}`;
          await users.setProfile(tx, actor.userId, { picture: file });
        }
        if (Object.keys(person).length > 0) await users.setProfile(tx, actor.userId, person);
        if (Object.keys(company).length > 0) await tenants.setDetails(tx, actor.companyId, company);
        if (names.length > 0 || pictured) {
          await audit.record(tx, ctx, {
            action: 'profile.updated',
            objectKind: 'user',
            objectId: actor.userId,
            description: `Changed ${[...names, ...(pictured ? ['picture'] : [])].join(', ')}`,
          });
        }
      });
      if (newEmail && proof) await auth.emails.ask(ctx, newEmail, proof);
      return 'success';
    },

    /** Returns the user's own answers; null if there are none. */
    questionnaire: (ctx: Ctx): Promise<Questionnaire | null> =>
      inScope(
        db.app,
        ctx.scope,
        (tx) => users.answers(tx, ctx.actor.userId) as Promise<Questionnaire | null>,
      ),

    /** Saves the user's own answers. */
    saveQuestionnaire: (ctx: Ctx, answers: Questionnaire): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { actor } = ctx;
        await users.saveAnswers(tx, {
          user_id: actor.userId,
          root_id: actor.rootId,
          agency_id: actor.agencyId,
          company_id: actor.companyId,
          industry_id: answers.industry_id,
          franchise: answers.franchise === 'T',
          franchise_director: answers.franchise_director === 'T',
          office_manager: answers.office_manager === 'T',
          answers: JSON.stringify(answers),
          saved_at: ctx.clock.now(),
        });
        await audit.record(tx, ctx, {
          action: 'questionnaire.saved',
          objectKind: 'user',
          objectId: actor.userId,
          description: 'Completed the questionnaire',
        });
      }),
  };
}

/**
 * Returns the columns of a person that the form changes.
 * @throws Refusal 422 for an invalid phone number
 */
function personFields(form: ProfileForm) {
  const { name, address, city, zip, state_code, country_code } = form;
  const phone = form.phone && readPhone(form.phone, form.phone_country, form.phone_calling);
  if (phone === null) throw refusalOf('phone', messages.phoneInvalid);
  return given({
    name,
    address,
    city,
    zip,
    state_code,
    country_code,
    phone: phone ? phone.number : form.phone,
    phone_country: phone ? phone.country : form.phone === '' ? '' : undefined,
    phone_calling: phone ? phone.calling : form.phone === '' ? '' : undefined,
  });
}

/**
 * Returns the columns of the company that the form changes.
 * @throws Refusal 422 for an invalid phone number
 */
function companyFields(form: ProfileForm) {
  const phone = form.company_phone && readPhone(form.company_phone, form.company_country_code);
  if (phone === null) throw refusalOf('company_phone', messages.phoneInvalid);
  return given({
    name: form.company_name,
    phone: phone ? `${phone.calling}${phone.number}` : form.company_phone,
    email: form.company_email,
    address: form.company_address,
    city: form.company_city,
    zip: form.company_zip,
    state_code: form.company_state_code,
    country_code: form.company_country_code,
  });
}
