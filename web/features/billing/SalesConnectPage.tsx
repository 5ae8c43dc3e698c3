import { Button, Text, Title } from '@mantine/core';
import { IconCheck, IconFlask } from '@tabler/icons-react';
import { api } from '../../api/client.ts';
import { useSetup } from '../../api/user.ts';
import { HelpButton } from '../../ui/HelpModal.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import classes from './billing.module.css';
import film from './connect-account.webm';
import { useStep } from './useStep.ts';

type Step = Parameters<typeof api.sales.sandboxAccount>[0]['step'];

const STEPS = [
  { title: 'Connect the payment account', text: 'Say where your commissions are to be paid.' },
  { title: 'Finish the form', text: 'Your details and your bank account, at the payment provider.' },
  { title: 'Verification', text: 'The provider checks what you entered.' },
] as const;

/** What each status says and offers (spec product 4, Sales-connect statuses; ROUT-14). */
const STATUSES = {
  '': {
    at: 0,
    tone: 'info',
    title: 'Connect your payment account',
    text: 'Your commissions are paid to an account of your own. Connect it to go on to your agencies.',
    main: { step: 'start', words: 'Connect account' },
    others: [],
  },
  pending: {
    at: 1,
    tone: 'warn',
    title: 'Finish the form',
    text: 'Your account is begun, but its form is not complete. Finish it, so that it can be verified.',
    main: { step: 'submit', words: 'Finish the form' },
    others: [{ step: 'reset', words: 'Start again' }],
  },
  inverification: {
    at: 2,
    tone: 'info',
    title: 'Verification in progress',
    text: 'Your details are being checked. There is nothing to do; this page changes when it is done.',
    main: undefined,
    others: [],
  },
  completed: {
    at: 3,
    tone: 'good',
    title: 'Your account is connected',
    text: 'Commissions are paid to it. You can go on to your agencies.',
    main: undefined,
    others: [{ step: 'reset', words: 'Disconnect' }],
  },
  failed: {
    at: 0,
    tone: 'bad',
    title: 'Your account could not be verified',
    text: 'The provider did not accept the details. Connect the account again and check what you enter.',
    main: { step: 'start', words: 'Connect account again' },
    others: [],
  },
} as const;

/** Where sales people connect the account their commissions are paid to, before anything else. */
export default function SalesConnectPage() {
  const setup = useSetup();
  const go = useStep((step: Step) => api.sales.sandboxAccount({ step }));
  const status = STATUSES[setup.accountconnected];
  const isSandbox = setup.paymentgateway === 'sandbox';
  const verify = setup.accountconnected === 'inverification';
  return (
    <>
      <PageHeader
        title="Connect your account"
        line="Where your commissions are paid to."
        primary={
          <HelpButton
            title="How connecting works"
            video={film}
            description="You say where to be paid, fill in the payment provider's form, and wait until it has checked your details. That usually takes minutes, at most two working days. Until then only this page is open to you."
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
          {isSandbox ? (
            <Text size="sm" c="dimmed">
              No payment provider is connected, so each step is done here at once. No money moves.
            </Text>
          ) : (
            <Text size="sm" c="dimmed">
              The payment provider&apos;s form is not connected on this page yet. Ask support to connect your
              account.
            </Text>
          )}
          {isSandbox && (
            <div className={classes.actions}>
              {status.others.map(({ step, words }) => (
                <Button key={step} variant="default" onClick={() => go.mutate(step)} disabled={go.isPending}>
                  {words}
                </Button>
              ))}
              {verify && (
                <>
                  <Button variant="default" onClick={() => go.mutate('reject')} disabled={go.isPending}>
                    Let it be refused
                  </Button>
                  <Button onClick={() => go.mutate('approve')} loading={go.isPending}>
                    Let it be verified
                  </Button>
                </>
              )}
              {status.main && (
                <Button onClick={() => go.mutate(status.main.step)} loading={go.isPending}>
                  {status.main.words}
                </Button>
              )}
            </div>
          )}
        </section>
      </div>
    </>
  );
}
