import { z } from 'zod';
import { call } from '../base.ts';
import { Id } from '../primitives.ts';
import { Paid } from './invoices.ts';
import { CouponCode } from './pricing.ts';

/** The one-time charge that an agency pays during setup (PAY-08). */
export const onboardingCharge = {
  charge: call
    .route({
      method: 'POST',
      path: '/user/onboarding-charge',
      tags: ['Set-up'],
      summary: "Charges your agency's onboarding charge to its card, minus any coupon",
      description:
        'The charge is made only once, even if you repeat the call. Later calls return its status. After a decline, pay its invoice (POST /billing/invoices/{id}/pay).',
    })
    .meta({ access: 'invoice.pay', notInView: true, fresh: true })
    .input(
      z.object({
        coupon_code: z
          .union([z.literal('').transform(() => undefined), CouponCode])
          .optional()
          .describe('Sent only if not blank'),
      }),
    )
    .output(
      Paid.extend({
        invoice_id: Id.nullable().describe('The invoice. null if there was nothing to charge'),
        charge_id: Id.nullable().describe("With 'authenticate': the charge the cardholder can still confirm"),
      }),
    ),
};
