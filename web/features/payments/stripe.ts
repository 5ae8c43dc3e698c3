/** As much of Stripe's script as the card form uses. */
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
}
type Maker = (key: string, options?: { stripeAccount: string }) => StripeScript;

let loading: Promise<Maker> | undefined;

/** Fetches Stripe's script, once, and only where a card form is shown: it must come from Stripe itself. */
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
