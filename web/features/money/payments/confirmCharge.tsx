import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconFlask } from '@tabler/icons-react';
import { useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed, notifyOpen } from '../../../ui/notify.ts';
import { overlaysReady } from '../../../ui/overlays.ts';
import classes from './payments.module.css';
import { confirmAtStripe, loadStripe } from './stripe.ts';

/** What the browser needs to let a cardholder confirm a charge. */
export type Confirmation = Awaited<ReturnType<Client['payments']['authentication']>>;

/**
 * Asks the cardholder's bank; false if the cardholder closed the dialog.
 * @throws Error with a message for the cardholder
 */
async function askBank(needed: Confirmation): Promise<boolean> {
  if (needed.gateway === 'sandbox') return askSandboxBank(needed.client_secret);
  const id = modals.open({
    title: 'Your bank asks you to confirm',
    centered: true,
    withCloseButton: false,
    closeOnClickOutside: false,
    closeOnEscape: false,
    children: (
      <Group gap="sm" role="status">
        <Loader size="sm" />
        <Text size="sm">Confirm the payment in your bank’s window.</Text>
      </Group>
    ),
  });
  try {
    const make = await loadStripe();
    const { publishable_key: key, stripe_account: account } = needed;
    const stripe = account ? make(key, { stripeAccount: account }) : make(key);
    // The bank's window takes the focus, which an open modal of ours would take back.
    modals.close(id);
    await confirmAtStripe(stripe, needed.client_secret);
    return true;
  } finally {
    modals.close(id);
  }
}

function askSandboxBank(secret: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let end = () => resolve(false);
    const id = modals.open({
      title: 'Your bank wants to confirm it’s you',
      size: 'sm',
      centered: true,
      onClose: () => end(),
      children: (
        <SandboxBank
          secret={secret}
          onAnswered={(refusal) => {
            end = () => (refusal ? reject(new Error(refusal)) : resolve(true));
            modals.close(id);
          }}
        />
      ),
    });
  });
}

/** Stands in for the bank's own page if no payment provider is connected. */
function SandboxBank(props: { secret: string; onAnswered: (refusal?: string) => void }) {
  const [busy, setBusy] = useState<'T' | 'F'>();
  const [fault, setFault] = useState<string>();
  const answer = async (passed: 'T' | 'F') => {
    setBusy(passed);
    setFault(undefined);
    try {
      const { status, message } = await api.payments.sandboxAuthenticate({
        client_secret: props.secret,
        passed,
      });
      props.onAnswered(
        status === 'saved' ? undefined : message || 'Your bank has not confirmed the payment.',
      );
    } catch (error) {
      setFault(wordsOf(error));
      setBusy(undefined);
    }
  };
  return (
    <Stack gap="sm">
      <div>
        <span className={classes.sandbox}>
          <IconFlask size={14} aria-hidden="true" /> Sandbox bank
        </span>
      </div>
      <Text size="sm">
        No payment provider is connected, so this stands in for the cardholder’s bank page. No money moves.
      </Text>
      {fault && (
        <Notice tone="bad" live="alert">
          {fault}
        </Notice>
      )}
      <Group justify="flex-end" gap="xs">
        <Button
          variant="default"
          loading={busy === 'F'}
          disabled={busy === 'T'}
          onClick={() => void answer('F')}
        >
          Refuse
        </Button>
        <Button
          data-autofocus
          loading={busy === 'T'}
          disabled={busy === 'F'}
          onClick={() => void answer('T')}
        >
          Approve
        </Button>
      </Group>
    </Stack>
  );
}

/**
 * Lets a cardholder confirm a declined charge with their bank (3-D Secure), then checks and shows the result; a failed
 * or unknown result stays on the screen.
 * @param charge its id, or how to find it
 * @param needed the confirmation data, if a response already included it; otherwise it is fetched
 */
export async function confirmCharge(
  charge: string | (() => Promise<string>),
  words: { succeeded: string },
  needed?: Confirmation,
): Promise<void> {
  await overlaysReady();
  try {
    const id = typeof charge === 'string' ? charge : await charge();
    const isAsked = await askBank(needed ?? (await api.payments.authentication({ id })));
    if (!isAsked) {
      notifyOpen('It will be paid once you confirm it with your bank.', 'The payment is not confirmed');
      return;
    }
    const { status, message } = await api.payments.checkCharge({ id });
    if (status === 'succeeded') notifyDone(words.succeeded || message);
    else if (status === 'unknown') notifyOpen(message, 'Waiting for a response');
    else notifyFailed(message || 'The payment was declined.', 'Not paid');
  } catch (error) {
    notifyFailed(error, 'Not paid');
  }
}
