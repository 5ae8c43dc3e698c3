import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { dollarsOf, microsOf } from '../../../../contract/dollars.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { money } from '../../../ui/format.ts';
import { keepFocus } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { confirmCharge } from '../../money/payments/confirmCharge.tsx';
import classes from './profile.module.css';
import { usePersonChanged } from './queries.ts';
import type { StepProps } from './SetupSteps.tsx';

type Look = Awaited<ReturnType<typeof api.pricing.coupon>>['data'];

/** Its key is below the queries that are reloaded when the user changes. */
const onboardingQuery = (id: string) =>
  queryOptions({
    queryKey: ['setup-check', id, 'onboarding'],
    queryFn: ({ signal }) => api.setup.onboarding({ id }, { signal }),
  });

const shown = (dollars: string): string => money(microsOf(dollars));

/** An agency's one-time charge: what it is, a coupon for it, and the button that pays it (PAY-08). */
export function OnboardingStep(props: StepProps) {
  const { formId, user, check, onNext } = props;
  const query = useQuery(onboardingQuery(user.id));
  const [fault, setFault] = useState<string>();
  const status = query.data;
  return (
    <form
      id={formId}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (check.onboarding_waiting) setFault('Pay the onboarding charge before you continue.');
        else onNext();
      }}
    >
      {query.error ? (
        <ErrorState
          error={query.error}
          what="The onboarding charge could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !status ? (
        <Skeleton height={160} aria-busy="true" />
      ) : status.onboarding_charged ? (
        <Notice tone="good" title="The onboarding charge is paid">
          There are no more charges for your setup.
        </Notice>
      ) : (
        <Pay {...props} status={status} fault={fault} setFault={setFault} />
      )}
    </form>
  );
}

function Pay(
  props: StepProps & {
    status: Awaited<ReturnType<typeof api.setup.onboarding>>;
    fault: string | undefined;
    setFault: (fault: string | undefined) => void;
  },
) {
  const { status, check, onBusy, fault, setFault } = props;
  const changed = usePersonChanged();
  const [code, setCode] = useState('');
  const [codeFault, setCodeFault] = useState<string>();
  const [coupon, setCoupon] = useState<Look>();
  const [busy, setBusy] = useState<'look' | 'pay'>();
  // An attempt whose response was lost is requested again rather than made twice.
  const key = useRef<string>(undefined);
  const invoice = status.onboarding_invoice_id;
  const total = invoice ? status.onboarding_due : (coupon?.total ?? status.onboarding_price);
  const isFree = microsOf(total) === 0n;
  const typed = code.trim();

  const look = async () => {
    setBusy('look');
    setCodeFault(undefined);
    try {
      setCoupon((await api.pricing.coupon({ coupon_code: typed })).data);
    } catch (error) {
      setCoupon(undefined);
      const fields = error instanceof ApiError ? error.errors : {};
      setCodeFault(fields.coupon_code?.join(' ') ?? wordsOf(error));
    } finally {
      setBusy(undefined);
    }
  };
  const pay = async () => {
    setBusy('pay');
    onBusy(true);
    setFault(undefined);
    try {
      key.current ??= crypto.randomUUID();
      const { result, message, client_secret, publishable_key, stripe_account, gateway, ...answer } = invoice
        ? { ...(await api.dunning.pay({ id: invoice, idempotency_key: key.current })), charge_id: null }
        : await api.onboardingCharge.charge(coupon ? { coupon_code: coupon.coupon_code } : {});
      key.current = undefined;
      if (result === 'success') notifyDone(message);
      else if (result === 'authenticate') {
        const newest = async () => {
          const [last] = (await api.invoices.one({ id: invoice! })).attempts;
          if (!last) throw new Error('No charge was found for this invoice.');
          return last.id;
        };
        await confirmCharge(
          answer.charge_id ?? newest,
          { succeeded: 'The onboarding charge is paid.' },
          { client_secret, publishable_key, stripe_account, gateway },
        );
      } else setFault(message);
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) key.current = undefined;
      setFault(wordsOf(error));
    } finally {
      setBusy(undefined);
      onBusy(false);
      await changed();
    }
  };
  return (
    <Stack gap="md">
      <dl className={classes.sum}>
        <div>
          <dt>Onboarding charge</dt>
          <dd className="num">{shown(status.onboarding_price)}</dd>
        </div>
        {coupon && !invoice && (
          <div>
            <dt>Coupon {coupon.coupon_code}</dt>
            <dd className="num">{shown(dollarsOf(-microsOf(coupon.discount)))}</dd>
          </div>
        )}
        <div className={classes.total}>
          <dt>{invoice ? 'Amount due' : 'Total'}</dt>
          <dd className="num" aria-live="polite">
            {shown(total)}
          </dd>
        </div>
      </dl>
      {invoice ? (
        <Text size="sm" c="dimmed">
          The charge is now on an invoice, minus any coupon you used. If the card was declined, go back a
          step, add another card, and pay again.
        </Text>
      ) : (
        status.enable_coupon && (
          <Group align="flex-start" gap="xs" wrap="nowrap">
            <TextInput
              label="Coupon"
              description="If you have one."
              autoComplete="off"
              spellCheck={false}
              maxLength={60}
              style={{ flex: '1 1 auto', maxWidth: 280 }}
              value={code}
              error={codeFault}
              onChange={(event) => {
                setCode(event.currentTarget.value);
                setCoupon(undefined);
                setCodeFault(undefined);
              }}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                if (typed) void look();
              }}
            />
            <Button
              variant="default"
              mt={43}
              disabled={!typed || busy !== undefined}
              loading={busy === 'look'}
              onClick={() => void look()}
              {...keepFocus}
            >
              Apply
            </Button>
          </Group>
        )
      )}
      {!check.card_set && !isFree && (
        <Notice tone="info">Add a card in the previous step. It is used to pay this charge.</Notice>
      )}
      <div role="alert">
        {fault && (
          <Text size="sm" style={{ color: 'var(--bad)' }}>
            {fault}
          </Text>
        )}
      </div>
      <Group>
        <Button
          loading={busy === 'pay'}
          disabled={busy === 'look' || (!check.card_set && !isFree) || (typed !== '' && !coupon && !invoice)}
          onClick={() => void pay()}
        >
          {isFree ? 'Apply coupon' : `Pay ${shown(total)} now`}
        </Button>
      </Group>
      {typed !== '' && !coupon && !invoice && (
        <Text size="sm" c="dimmed">
          Apply the coupon or clear the field, then pay.
        </Text>
      )}
    </Stack>
  );
}
