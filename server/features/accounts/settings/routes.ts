import { PictureUpload } from '../../../../contract/accounts/settings.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { dollarsOf } from '../../../../contract/primitives.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import type { Upload } from '../../../platform/http/uploads.ts';
import { PICTURE_BYTES } from '../../../platform/image.ts';
import { domainMessage } from './domain.service.ts';
import type { Settings } from './service.ts';
import type { Tried } from './smtp.service.ts';

/**
 * Reads a body up to a maximum number of bytes; the rest is not read, so that an oversized body is refused like any
 * other fault.
 */
async function readUpTo(body: Upload, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(Buffer.from(part.buffer, part.byteOffset, part.length));
    size += part.length;
    if (size >= most) break;
  }
  return Buffer.concat(parts);
}

const done = <T>(message: string, data: T) => ({ result: 'success' as const, message, data });

const told = ({ ok, message, answer }: Tried) => ({
  result: ok ? ('success' as const) : ('failed' as const),
  message,
  answer,
});

/** The endpoints of the feature, and its picture upload. */
export function settingsRoutes(settings: Settings): {
  handlers: Handlers<typeof contract.settings>;
  plain: PlainRoute[];
} {
  return {
    handlers: {
      all: async (ctx, input) => ({ data: await settings.list(ctx, input.company_id, input.setting) }),
      get: async (ctx, input) => (await settings.list(ctx, input.company_id, input.setting))[0]!,
      save: async (ctx, input) => done(messages.settingSaved, await settings.save(ctx, input)),
      async onboarding(ctx, { company_id }) {
        const { amountMicros, couponsOn } = await settings.onboardingOf(ctx, company_id);
        return {
          data: {
            amount: dollarsOf(amountMicros),
            enable_coupon: couponsOn ? ('T' as const) : ('F' as const),
          },
        };
      },
      async saveOnboarding(ctx, { company_id, amount, enable_coupon }) {
        await settings.save(ctx, {
          company_id: company_id,
          setting: 'onboarding_charge',
          value: { amount, enable_coupon },
        });
        return { status: 'success', result: 'success', message: messages.settingSaved };
      },
      domain: (ctx, input) => settings.domainState(ctx, input.company_id),
      async saveSubdomain(ctx, input) {
        const { state } = await settings.changeDomain(ctx, input.company_id, (tx, company) =>
          settings.domains.saveSubdomain(tx, ctx, company, input.subdomain),
        );
        return done(messages.settingSaved, state);
      },
      async saveDomain(ctx, input) {
        const result = await settings.changeDomain(ctx, input.company_id, (tx, company) =>
          settings.domains.saveDomain(tx, ctx, company, input.domain),
        );
        return done(domainMessage[result.done], result.state);
      },
      async checkDomain(ctx, input) {
        await settings.domains.check(ctx, await settings.target(ctx, input.company_id));
        return done(ownMessages.domainChecked, await settings.domainState(ctx, input.company_id));
      },
      testSmtp: async (ctx, input) => told(await settings.testSmtp(ctx, input.company_id, input.smtp)),
      testEmail: async (ctx, input) => told(await settings.testEmail(ctx, input.company_id)),
    },
    plain: [
      {
        method: 'POST',
        url: '/api/configuration/setting/picture',
        access: 'setting.write',
        tag: 'Settings',
        summary:
          'Uploads an image (?purpose=logo or favicon) as the request body: PNG, JPEG, WebP, or SVG, up to 2 MB. Returns its ID to save with the branding',
        input: PictureUpload,
        bodyLimit: PICTURE_BYTES + 1024,
        streamed: true,
        async handler(ctx, request, _reply, upload) {
          const { purpose, company_id } = await checkInput(PictureUpload, request.query);
          const bytes = await readUpTo(upload, PICTURE_BYTES + 1);
          return { result: 'success', data: await settings.upload(ctx, company_id, purpose, bytes) };
        },
      },
    ],
  };
}
