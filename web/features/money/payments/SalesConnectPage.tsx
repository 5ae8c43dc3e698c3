import { Button, Text, Title } from '@mantine/core';
import { IconCheck, IconFlask } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../../api/client.ts';
import { userQuery, useSetup, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { prettyCode } from '../../../ui/format.ts';
import { HelpButton } from '../../../ui/HelpModal.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import classes from './billing.module.css';
import film from './connect-account.webm';
import { useStep } from './useStep.ts';

/**
 * How often to poll the provider while it verifies the account. Each poll also updates the server, so the next request
 * sees the result.
 */
const ASK_MS = 10_000;

const STEPS = [
  { title: 'Connect', text: 'Choose where your commissions are paid.' },
  { title: 'Complete the form', text: 'Your details and bank account, entered with the payment provider.' },
  { title: 'Verification', text: 'The provider verifies what you entered.' },
] as const;

/** What each status says and offers the user (spec product 4, Sales-connect statuses; ROUT-14). */
const STATUSES = {
  '': {
    at: 0,
    tone: 'info',
    title: 'Connect your payment account',
    text: 'Your commissions are paid to your own account. Connect it to continue to your agencies.',
    form: 'Connect account',
    reset: undefined,
    loses: undefined,
  },
  pending: {
    at: 1,
    tone: 'warn',
    title: 'Complete the form',
    text: 'You started your account, but its form is not complete. Finish the form so your account can be verified.',
    form: 'Complete the form',
    reset: 'Start over',
    loses: 'The details you have entered with the payment provider so far are lost.',
  },
  inverification: {
    at: 2,
    tone: 'info',
    title: 'Verification in progress',
    text: 'Your details are being checked. You don’t need to do anything. This page updates when the check is done.',
    form: undefined,
    reset: undefined,
    loses: undefined,
  },
  completed: {
    at: 3,
    tone: 'good',
    title: 'Your account is connected',
    text: 'Commissions are paid to it. You can continue to your agencies.',
    form: undefined,
    reset: 'Disconnect',
    loses: 'Only this page is available to you until you connect another account.',
  },
  failed: {
    at: 0,
    tone: 'bad',
    title: 'Your account could not be verified',
    text: 'The provider did not accept your details. Start over and check what you enter.',
    form: undefined,
    reset: 'Start over',
    loses: undefined,
  },
} as const;

/** Where salespeople connect the account their commissions are paid to, before they can do anything else. */
export default function SalesConnectPage() {
  const setup = useSetup();
  const { in_view_mode } = useUser();
  const queryClient = useQueryClient();
  const known = setup.account_status;
  // Users returning from the provider's form see its current status, not the one cached before.
  const { data: account } = useQuery({
    queryKey: ['payment', 'own-account', known],
    queryFn: ({ signal }) => api.payments.checkAccount(undefined, { signal }),
    enabled: known !== '' && !in_view_mode,
    refetchInterval: known === 'inverification' ? ASK_MS : false,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const heard = account?.account_status;
  useEffect(() => {
    if (heard !== undefined && heard !== known)
      void queryClient.invalidateQueries({ queryKey: userQuery.queryKey });
  }, [heard, known, queryClient]);
  const form = useStep(async () => {
    try {
      const { message } = await api.payments.createAccount();
      const { url } = await api.payments.linkAccount({});
      window.location.assign(url);
      return { message };
    } catch (error) {
      // The account may have been created even though its form could not be opened; the page shows how far it got.
      await queryClient.invalidateQueries({ queryKey: userQuery.queryKey });
      throw error;
    }
  });
  const reset = useStep(() => api.payments.resetAccount());
  const status = STATUSES[known];
  const letGo = async () => {
    const title = known === 'completed' ? 'Disconnect your account?' : 'Start over with another account?';
    if (!status.loses || (await confirm({ title, body: status.loses, verb: status.reset, danger: true })))
      reset.mutate({});
  };
  const isSandbox = setup.gateway === 'sandbox';
  const lacks = known === 'pending' ? (account?.account_requirements ?? setup.account_requirements) : [];
  const busy = form.isPending || reset.isPending;
  return (
    <>
      <PageHeader
        title="Connect your account"
        line="Where your commissions are paid."
        primary={
          <HelpButton
            title="How connecting works"
            video={film}
            description="Choose where to be paid, fill in the payment provider’s form, and wait while it checks your details. That usually takes minutes and up to two business days. Until then, only this page is available to you."
          />
        }
      />
      <div className={classes.column}>
        <Notice tone={status.tone} live="status" title={status.title}>
          {status.text}
        </Notice>
        <section className={`card ${classes.box}`} aria-label="Steps">
          <div className={classes.row} style={{ marginBottom: 16 }}>
            <Title order={2} size="h3" className={classes.grow}>
              Three steps
            </Title>
            {isSandbox && (
              <span className={classes.sandbox}>
                <IconFlask size={14} aria-hidden="true" /> Sandbox
              </span>
            )}
          </div>
          <ol className={classes.steps}>
            {STEPS.map(({ title, text }, i) => (
              <li
                key={title}
                className={classes.step}
                data-state={i < status.at ? 'done' : i === status.at ? 'now' : 'later'}
                aria-current={i === status.at ? 'step' : undefined}
              >
                <span className={classes.dot} aria-hidden="true">
                  {i < status.at ? <IconCheck size={14} /> : i + 1}
                </span>
                <div>
                  <Text fw={600}>
                    {title}
                    {i < status.at && <span className="sr-only"> (done)</span>}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {text}
                  </Text>
                </div>
              </li>
            ))}
          </ol>
          {lacks.length > 0 && (
            <>
              <Text size="sm">The payment provider still needs:</Text>
              <ul>
                {lacks.map((one) => (
                  <li key={one}>
                    <Text size="sm">{prettyCode(one.replaceAll('.', '_'))}</Text>
                  </li>
                ))}
              </ul>
            </>
          )}
          {isSandbox && (
            <Text size="sm" c="dimmed">
              No payment provider is connected, so the sandbox&apos;s own form is used instead. No money
              moves.
            </Text>
          )}
          {in_view_mode ? (
            <Text size="sm" c="dimmed">
              Only the account holder can connect this account.
            </Text>
          ) : (
            <div className={classes.actions}>
              {status.reset && (
                <Button variant="default" onClick={() => void letGo()} disabled={busy}>
                  {status.reset}
                </Button>
              )}
              {status.form && (
                <Button onClick={() => form.mutate({})} loading={form.isPending} disabled={busy}>
                  {status.form}
                </Button>
              )}
            </div>
          )}
        </section>
      </div>
    </>
  );
}
