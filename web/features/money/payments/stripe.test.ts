import { describe, expect, test } from 'vitest';
import { confirmAtStripe, type StripePayment, type StripeScript } from './stripe.ts';

/** Stripe's script with one payment; records what it was confirmed with. */
function script(payment: StripePayment | undefined, refusal?: string) {
  const asked: unknown[] = [];
  const answer = {
    retrievePaymentIntent: async () =>
      payment ? { paymentIntent: payment } : { error: { message: 'No such payment' } },
    confirmCardPayment: async (...given: unknown[]) => {
      asked.push(given);
      return refusal ? { error: { message: refusal } } : { paymentIntent: { status: 'succeeded' } };
    },
  };
  return { stripe: answer as unknown as StripeScript, asked };
}

describe('[PAY-04] confirming a declined payment with the bank, at Stripe', () => {
  test('one that let go of its card is confirmed with the same card', async () => {
    const { stripe, asked } = script({
      status: 'requires_payment_method',
      last_payment_error: { payment_method: { id: 'pm_1' } },
    });
    await confirmAtStripe(stripe, 'secret');
    expect(asked).toEqual([['secret', { payment_method: 'pm_1' }]]);
  });
  test('one that waits for the holder is confirmed as it is', async () => {
    const { stripe, asked } = script({ status: 'requires_action' });
    await confirmAtStripe(stripe, 'secret');
    expect(asked).toEqual([['secret']]);
  });
  test('one that has succeeded meanwhile is left alone', async () => {
    const { stripe, asked } = script({ status: 'succeeded' });
    await confirmAtStripe(stripe, 'secret');
    expect(asked).toEqual([]);
  });
  test('a refusal is told in the words of the bank', async () => {
    await expect(
      confirmAtStripe(script({ status: 'requires_action' }, 'Refused').stripe, 's'),
    ).rejects.toThrow('Refused');
    await expect(confirmAtStripe(script(undefined).stripe, 's')).rejects.toThrow('No such payment');
  });
});
