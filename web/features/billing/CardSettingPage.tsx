import { Button, Radio, Stack, Text, Title } from '@mantine/core';
import { IconCreditCard, IconFlask } from '@tabler/icons-react';
import { useState } from 'react';
import { paymentFailed } from '../../../contract/setup-rules.ts';
import { api } from '../../api/client.ts';
import { useMay, useSetup, useUser } from '../../api/user.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { EmptyState } from '../../ui/states.tsx';
import classes from './billing.module.css';
import { useStep } from './useStep.ts';

/** The card that what is bought is paid with (spec product 2, card-setting). */
export default function CardSettingPage() {
  const user = useUser();
  const setup = useSetup();
  const mayWrite = useMay('card.write');
  const hasFailed = paymentFailed(setup);
  return (
    <>
      <PageHeader
        title="Card Setting"
        line={`The card that ${user.company_name} pays with. Its number is kept by the payment provider, never here.`}
      />
      <div className={classes.column}>
        {hasFailed && (
          <Notice tone="bad" live="alert" title="The last payment was declined">
            Campaigns are paused until it is paid. Put a card on file that can be charged.
          </Notice>
        )}
        <section className={`card ${classes.box}`} aria-label="Card on file">
          <div className={classes.row}>
            <IconCreditCard size={24} stroke={1.4} aria-hidden="true" />
            <div className={classes.grow}>
              <Text fw={600}>{setup.card_set ? 'A card is on file' : 'No card is on file'}</Text>
              <Text size="sm" c="dimmed">
                {setup.card_set
                  ? 'It is charged for what your account buys.'
                  : 'A card is needed before anything can be bought.'}
              </Text>
            </div>
            <StatusBadge status={setup.card_set ? 'active' : 'none'} tone={setup.card_set ? 'good' : 'plain'}>
              {setup.card_set ? 'On file' : 'None'}
            </StatusBadge>
          </div>
        </section>
        {setup.paymentgateway === 'sandbox' && mayWrite && <SandboxCard isSet={setup.card_set} />}
        {setup.paymentgateway === 'none' && (
          <div className="card">
            <EmptyState
              title="Cards are not used here"
              text="What is owed is settled outside this system, as agreed with your platform."
            />
          </div>
        )}
        {setup.paymentgateway === 'stripe' && (
          <Notice tone="info" title="Changing the card">
            The payment provider&apos;s card form is not connected on this page yet. Ask support to have your
            card changed.
          </Notice>
        )}
        {!mayWrite && (
          <Text size="sm" c="dimmed">
            Your role does not allow changing the card.
          </Text>
        )}
      </div>
    </>
  );
}

const OUTCOMES = [
  { value: 'works', label: 'Visa ending in 4242', description: 'Every charge succeeds.' },
  { value: 'declines', label: 'Visa ending in 0002', description: 'Every charge is declined.' },
] as const;

/** The sandbox's cards, while no payment provider is configured: for trying things out, never charged. */
function SandboxCard({ isSet }: { isSet: boolean }) {
  const [outcome, setOutcome] = useState<'works' | 'declines'>('works');
  const save = useStep((chosen: 'works' | 'declines') => api.setup.sandboxCard({ outcome: chosen }));
  return (
    <section className={`card ${classes.box}`} aria-label="Sandbox card">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(outcome);
        }}
      >
        <div className={classes.row}>
          <Title order={2} size="h3" className={classes.grow}>
            {isSet ? 'Replace the card' : 'Add a card'}
          </Title>
          <span className={classes.sandbox}>
            <IconFlask size={14} aria-hidden="true" /> Sandbox
          </span>
        </div>
        <Text size="sm" c="dimmed" mt={4} mb="md">
          No payment provider is connected, so these cards are for trying things out. No money moves.
        </Text>
        <Radio.Group
          label="Card"
          value={outcome}
          onChange={(value) => setOutcome(value as 'works' | 'declines')}
        >
          <Stack gap="sm" mt="xs">
            {OUTCOMES.map((one) => (
              <Radio key={one.value} {...one} />
            ))}
          </Stack>
        </Radio.Group>
        <div className={classes.actions}>
          <Button type="submit" loading={save.isPending}>
            {isSet ? 'Replace card' : 'Save card'}
          </Button>
        </div>
      </form>
    </section>
  );
}
