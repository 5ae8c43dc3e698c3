import { z } from 'zod';
import { call } from './base.ts';
import { CouponCode } from './costs.ts';
import { Paid } from './invoices.ts';
import { Id } from './primitives.ts';

/** The charge that an agency pays once, at its set-up (PAY-08). */
export const onboarding = {
  charge: call
    .route({
      method: 'POST',
      path: '/user/onboarding-charge',
      tags: ['Set-up'],
      summary: "Charge the own agency's onboarding charge to its card, less a coupon",
      description:
        'There is one charge, however often it is asked: later calls tell what has become of it. After a decline its invoice is paid (POST /billing/invoices/{id}/pay).',
    })
    .meta({ access: 'invoice.pay', notInView: true })
    .input(
      z.object({
        coupon_code: z
          .union([z.literal('').transform(() => undefined), CouponCode])
          .optional()
          .describe('Sent only when it is not blank'),
      }),
    )
    .output(
      Paid.extend({
        invoice_id: Id.nullable().describe('Its invoice; null: there was nothing to charge'),
        charge_id: Id.nullable().describe("With 'authenticate': what its holder can still confirm"),
      }),
    ),
};
