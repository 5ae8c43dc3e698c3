import { Alert, Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { ErrorState } from '../../../ui/states.tsx';
import classes from './payments.module.css';
import { loadStripe, type StripeScript } from './stripe.ts';

type Form = Awaited<ReturnType<Client['payments']['startCard']>>;
interface Props {
  /** The button's label. */
  verb: string;
  /** Called when the card is on file. */
  onSaved: (message: string) => void | Promise<void>;
}

/**
 * The form for a card: the payment provider's own element, or the sandbox's labeled form. It has no form element of its
 * own, so it can be used inside one. The number goes directly to the provider.
 */
export function CardForm(props: Props) {
  const query = useQuery({
    queryKey: ['payment', 'card', 'start'],
    queryFn: ({ signal }) => api.payments.startCard(undefined, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (query.error) {
    return (
      <ErrorState
        error={query.error}
        what="The card form could not be opened"
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (!query.data) {
    return (
      <Stack gap="sm" aria-busy="true" mih={160}>
        <Skeleton height={16} width="30%" />
        <Skeleton height={36} />
        <Skeleton height={36} width={120} />
      </Stack>
    );
  }
  const saved = async (message: string) => {
    await props.onSaved(message);
    // The next card needs a new form.
    await query.refetch();
  };
  return query.data.gateway === 'sandbox' ? (
    <SandboxForm key={query.data.setup} form={query.data} verb={props.verb} onSaved={saved} />
  ) : (
    <StripeForm key={query.data.setup} form={query.data} verb={props.verb} onSaved={saved} />
  );
}

interface FormProps extends Props {
  form: Form;
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'The card could not be saved.';

/** Runs a form's steps one at a time and keeps the failure's message. */
function useRun() {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const run = async (step: () => Promise<string | undefined>) => {
    setBusy(true);
    setFault(undefined);
    try {
      setFault(await step());
    } catch (error) {
      setFault(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, fault, run };
}

function Fault({ fault }: { fault: string | undefined }) {
  return fault ? (
    <Alert color="red" variant="light" role="alert">
      {fault}
    </Alert>
  ) : null;
}

/** The sandbox form: choose one of its test cards. */
function SandboxForm({ form, verb, onSaved }: FormProps) {
  const [number, setNumber] = useState(form.test_cards[0]?.number ?? '');
  const [isAsked, setAsked] = useState(false);
  const { isBusy, fault, run } = useRun();
  const { client_secret, setup } = form;
  const take = async (entered: { status: 'saved' | 'authenticate' | 'failed'; message: string }) => {
    setAsked(entered.status === 'authenticate');
    if (entered.status === 'failed') return entered.message;
    if (entered.status === 'saved') await onSaved((await api.payments.putCard({ setup })).message);
    return undefined;
  };
  const enter = () =>
    run(async () =>
      take(
        await api.payments.sandboxEnter({
          client_secret,
          number,
          exp_month: 12,
          exp_year: new Date().getFullYear() + 3,
          cvc: number.startsWith('37') ? '1234' : '123',
        }),
      ),
    );
  const answer = (passed: 'T' | 'F') =>
    run(async () => take(await api.payments.sandboxAuthenticate({ client_secret, passed })));
  return (
    <Stack gap="sm">
      <div>
        <span className={classes.sandbox}>
          <IconFlask size={14} aria-hidden="true" /> Sandbox
        </span>
        <Text size="sm" c="dimmed" mt={4}>
          No payment provider is connected, so only test cards are accepted. No money moves.
        </Text>
      </div>
      <Select
        label="Test card"
        data={form.test_cards.map((one) => ({
          value: one.number,
          label: `${one.number.replace(/(\d{4})(?=\d)/g, '$1 ')}: ${one.name}`,
        }))}
        value={number}
        onChange={(value) => value && setNumber(value)}
        disabled={isAsked}
        allowDeselect={false}
        searchable
      />
      <Fault fault={fault} />
      {isAsked ? (
        <Alert color="blue" variant="light" title="Your bank wants to confirm it’s you" role="alert">
          <Group gap="xs" mt="xs">
            <Button type="button" loading={isBusy} onClick={() => void answer('T')}>
              Confirm
            </Button>
            <Button type="button" variant="default" disabled={isBusy} onClick={() => void answer('F')}>
              Refuse
            </Button>
          </Group>
        </Alert>
      ) : (
        <Group justify="flex-end">
          <Button type="button" loading={isBusy} onClick={() => void enter()}>
            {verb}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Stripe's own element, in its own frame. */
function StripeForm({ form, verb, onSaved }: FormProps) {
  const place = useRef<HTMLDivElement>(null);
  const [parts, setParts] = useState<{ stripe: StripeScript; elements: object }>();
  const [failure, setFailure] = useState<string>();
  const { isBusy, fault, run } = useRun();
  useEffect(() => {
    let isGone = false;
    let unmount = () => {};
    loadStripe()
      .then((make) => {
        if (isGone || !place.current) return;
        const stripe = form.stripe_account
          ? make(form.publishable_key, { stripeAccount: form.stripe_account })
          : make(form.publishable_key);
        const isDark = document.documentElement.getAttribute('data-mantine-color-scheme') === 'dark';
        const elements = stripe.elements({
          clientSecret: form.client_secret,
          appearance: { theme: isDark ? 'night' : 'stripe' },
        });
        const element = elements.create('payment', { layout: 'tabs' });
        element.on('ready', () => setParts({ stripe, elements }));
        element.mount(place.current);
        unmount = () => element.unmount();
      })
      .catch((error) => setFailure(wordsOf(error)));
    return () => {
      isGone = true;
      unmount();
    };
  }, [form]);
  const save = () =>
    run(async () => {
      if (!parts) return undefined;
      const { error } = await parts.stripe.confirmSetup({
        elements: parts.elements,
        redirect: 'if_required',
        confirmParams: { return_url: window.location.href },
      });
      if (error) return error.message ?? 'The card was not accepted.';
      await onSaved((await api.payments.putCard({ setup: form.setup })).message);
      return undefined;
    });
  return (
    <Stack gap="sm">
      <div ref={place} className={classes.element} aria-busy={!parts && !failure} />
      <Fault fault={failure ?? fault} />
      <Group justify="flex-end">
        <Button type="button" loading={isBusy} disabled={!parts} onClick={() => void save()}>
          {verb}
        </Button>
      </Group>
    </Stack>
  );
}
