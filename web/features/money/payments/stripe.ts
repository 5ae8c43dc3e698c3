/** The part of a Stripe payment that the cardholder's browser sees. */
export interface StripePayment {
  status: string;
  last_payment_error?: { payment_method?: { id: string } } | null;
}
type PaymentAnswer = Promise<{ paymentIntent?: StripePayment; error?: { message?: string } }>;

/** The part of Stripe's script that we use. */
export interface StripeScript {
  elements(options: object): {
    create(
      kind: 'payment',
      options: object,
    ): {
      mount(element: HTMLElement): void;
      unmount(): void;
      on(event: 'ready', tell: () => void): void;
    };
  };
  confirmSetup(options: object): Promise<{ error?: { message?: string } }>;
  retrievePaymentIntent(secret: string): PaymentAnswer;
  confirmCardPayment(secret: string, options?: { payment_method: string }): PaymentAnswer;
}
type Maker = (key: string, options?: { stripeAccount: string }) => StripeScript;

let loading: Promise<Maker> | undefined;

/** Loads Stripe's script, once, and only where a card form is shown; it must come from Stripe itself. */
export function loadStripe(): Promise<Maker> {
  loading ??= new Promise<Maker>((done, fail) => {
    const script = document.createElement('script');
    script.src = 'https://js.stripe.com/v3/';
    script.onload = () => done((window as unknown as { Stripe: Maker }).Stripe);
    script.onerror = () => {
      loading = undefined;
      script.remove();
      fail(new Error('The card form of the payment provider could not be loaded.'));
    };
    document.head.append(script);
  });
  return loading;
}

/**
 * Lets the cardholder confirm a payment with their bank, in Stripe's own frame above the page. A payment that was
 * declined because it was not confirmed has been detached from its card, so it is confirmed with the same card again.
 * @throws Error with a message for the cardholder
 */
export async function confirmAtStripe(stripe: StripeScript, secret: string): Promise<void> {
  const { paymentIntent: now, error: away } = await stripe.retrievePaymentIntent(secret);
  if (!now) throw new Error(away?.message ?? 'The payment provider could not be reached.');
  if (now.status === 'succeeded' || now.status === 'processing') return;
  const card = now.last_payment_error?.payment_method?.id;
  const { error } = await (now.status === 'requires_payment_method' && card
    ? stripe.confirmCardPayment(secret, { payment_method: card })
    : stripe.confirmCardPayment(secret));
  if (error) throw new Error(error.message ?? 'Your bank has not confirmed the payment.');
}
