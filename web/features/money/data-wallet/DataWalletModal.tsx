import {
  Badge,
  Button,
  Group,
  Modal,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ClipboardEvent, useEffect, useState } from 'react';
import { microsTyped } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import {
  type DataWallet,
  type WALLET_NEEDS,
  WALLET_PRESETS,
} from '../../../../contract/money/data-wallet.ts';
import { screenMessages } from '../../../../contract/screen-messages.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { money } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageZone } from '../../../ui/zone.ts';
import { confirmCharge } from '../payments/confirmCharge.tsx';
import { AutoTopUp } from './AutoTopUp.tsx';
import classes from './data-wallet.module.css';
import { History } from './History.tsx';
import { cleanAmount, dollars, keyAllowed, missed, presetOf, raised, signed, switched } from './model.ts';

const needs: Record<(typeof WALLET_NEEDS)[number], string> = {
  system: 'The Data Wallet is only for agencies of the master platform.',
  beta: 'The Data Wallet is in beta and not available to your agency yet.',
  agreement: 'Accept the Data Wallet agreement to top up.',
  card: 'Add a card in Card Setting to top up.',
};

/** The Data Wallet (spec calls 2 to 9). `wallet` is missing if it could not be loaded; the modal opens anyway. */
export function DataWalletModal(props: {
  opened: boolean;
  wallet: DataWallet | undefined;
  isLoading: boolean;
  month: string;
  onRetry: () => void;
  onClose: () => void;
}) {
  const { wallet, onClose } = props;
  const user = useUser();
  const queryClient = useQueryClient();
  const [amount, setAmount] = useState('0');
  const [custom, setCustom] = useState(false);
  const [stopped, setStopped] = useState(true);
  const [busy, setBusy] = useState<'toggle' | 'send'>();

  const [touched, setTouched] = useState(false);

  // The form resets when the modal opens. Reloading the wallet while the user is choosing an amount, as happens after
  // each change of the continual top-up, keeps their choice.
  useEffect(() => {
    if (!props.opened) setTouched(false);
  }, [props.opened]);
  useEffect(() => {
    if (!wallet) return;
    // Use the saved choice, unless it was made before there was an amount to save it with.
    if (touched && microsTyped(wallet.amount) === 0) return;
    setStopped(wallet.stop_continual === 'T');
    if (touched) return;
    setAmount(raised(wallet.amount, wallet.custom_amount === 'T'));
    setCustom(wallet.custom_amount === 'T');
  }, [wallet, touched]);
  const choose = (chosen: string, isCustom: boolean): void => {
    setTouched(true);
    setAmount(chosen);
    setCustom(isCustom);
  };

  const minimum = missed(amount, custom);
  const isCharge = microsTyped(amount) > 0;
  const isStopped = stopped || !isCharge;
  const preset = presetOf(amount, custom);
  const isOff = !wallet || wallet.missing !== null || user.in_view_mode;
  const refuse = (event: ClipboardEvent) => event.preventDefault();

  const toggle = async () => {
    // Without a saved amount there is nothing to start yet; the choice is sent with the top-up.
    if (stopped && microsTyped(wallet?.amount ?? '') === 0) {
      setTouched(true);
      setStopped(false);
      return;
    }
    setBusy('toggle');
    try {
      const answer = await api.dataWallet.stopContinualTopupDirectPayment({
        company_id: user.company_id,
        stop_continual: stopped ? 'F' : 'T',
      });
      setStopped(answer.stop_continual === 'T');
      queryClient.setQueriesData<DataWallet>({ queryKey: ['wallet'] }, (was) =>
        was && 'auto_topup' in was ? { ...was, stop_continual: answer.stop_continual } : was,
      );
      notifyDone(answer.message);
      // Whether it is armed now, only the server knows.
      void queryClient.invalidateQueries({ queryKey: ['wallet'] });
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(undefined);
    }
  };

  const send = async () => {
    if (minimum !== null) {
      notifyFailed(messages.walletMinimum(minimum));
      return;
    }
    const again = isStopped
      ? ''
      : ` The same amount is charged again whenever the balance falls to 10% of it (${money(microsTyped(amount) / 10)}), until you stop automatic top-ups.`;
    const isAgreed = await confirm(
      isCharge
        ? {
            title: messages.walletTopUpTitle,
            body: (
              <>
                {messages.walletTopUp(dollars(amount))}
                {again} The wallet expires after 12 months if unused, is non-refundable and has no cash value.
              </>
            ),
            verb: messages.walletAgree,
          }
        : {
            title: messages.walletSaveTitle,
            body: 'A $0 amount will not charge your card.',
            verb: messages.walletAgree,
          },
    );
    if (!isAgreed) return;
    setBusy('send');
    let toConfirm: string | undefined;
    const settings = {
      company_id: user.company_id,
      amount: String(Number(amount || '0')),
      custom_amount: custom ? ('T' as const) : ('F' as const),
      stop_continual: isStopped ? ('T' as const) : ('F' as const),
    };
    try {
      if (isCharge) {
        const answer = await api.dataWallet.chargePrepaidDirectPayment({
          ...settings,
          ip_user: user.ip ?? '',
          time_zone: Intl.DateTimeFormat('en-US').resolvedOptions().timeZone,
          payment_type: 'credit_card',
          idempotency_key: crypto.randomUUID(),
        });
        if (answer.result === 'success') notifyDone(answer.message);
        else if (answer.result === 'authenticate') toConfirm = answer.charge_id;
        else notifyFailed(answer.message);
      } else notifyDone((await api.dataWallet.savePrepaidDirectPayment(settings)).message);
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(undefined);
      // Whatever the result (spec calls 4); a failure stays on the screen as a notification.
      onClose();
      // The bank's confirmation is requested after the wallet has closed.
      if (toConfirm)
        await confirmCharge(toConfirm, {
          succeeded: screenMessages.walletToppedUp(dollars(settings.amount)),
        });
      void queryClient.invalidateQueries({ queryKey: ['wallet'] });
      void queryClient.invalidateQueries({ queryKey: ['wallet-history'] });
    }
  };

  const tile = (label: string, value: string | undefined, help: string) => (
    <div className={classes.tile}>
      <div className={classes.small} title={help}>
        {label}
      </div>
      {value === undefined ? (
        <div className={`${classes.figure} dim`}>
          {props.isLoading ? <Skeleton height={20} my={2} /> : '–'}
        </div>
      ) : (
        <div className={`${classes.figure} num`}>{signed(value)}</div>
      )}
    </div>
  );
  return (
    <Modal
      opened={props.opened}
      onClose={onClose}
      centered
      size="lg"
      title={
        <Group gap="xs" component="span">
          Data Wallet
          <Badge variant="default" size="sm" tt="none">
            beta
          </Badge>
        </Group>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        {!wallet && !props.isLoading && (
          <Notice
            tone="bad"
            live="alert"
            title="The Data Wallet could not be loaded"
            action={
              <Button size="compact-sm" variant="default" onClick={props.onRetry}>
                Retry
              </Button>
            }
          >
            Nothing can be saved or charged until it loads.
          </Notice>
        )}
        {wallet?.missing && <Notice tone="warn">{needs[wallet.missing]}</Notice>}
        {user.in_view_mode && (
          <Notice tone="info">You are viewing as someone else, so nothing can be charged.</Notice>
        )}
        <div className={classes.tiles}>
          {tile('Balance', wallet?.balance_amount, 'Available balance')}
          {tile('Total', wallet?.total_amount, 'Total topped up or credited to date')}
          {tile('Last balance', wallet?.last_balance_amount, 'Balance before the latest transaction')}
        </div>
        <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <Text component="legend" size="sm" fw={600} mb={6}>
            Top-up amount
          </Text>
          <div className={classes.presets}>
            {WALLET_PRESETS.map((one) => (
              <UnstyledButton
                key={one}
                className={classes.preset}
                aria-pressed={preset === one}
                disabled={isOff}
                onClick={() => {
                  choose(String(one), false);
                }}
              >
                ${dollars(String(one))}
              </UnstyledButton>
            ))}
            <UnstyledButton
              className={classes.preset}
              aria-pressed={custom}
              disabled={isOff}
              onClick={() => {
                choose(switched(amount, !custom), !custom);
              }}
            >
              Custom
            </UnstyledButton>
          </div>
          <TextInput
            mt="sm"
            label="Amount in US dollars"
            leftSection="$"
            inputMode="decimal"
            autoComplete="off"
            disabled={isOff}
            value={amount}
            error={minimum !== null && messages.walletMinimumHint(minimum)}
            onKeyDown={(event) => {
              if (!keyAllowed(event, amount)) event.preventDefault();
            }}
            onChange={(event) => choose(cleanAmount(event.currentTarget.value, amount), custom)}
            onBlur={() => setAmount(raised(amount, custom))}
            onCopy={refuse}
            onCut={refuse}
            onPaste={refuse}
            onDrop={(event) => event.preventDefault()}
          />
        </fieldset>
        <PageZone value={wallet?.time_zone}>
          <Stack gap={4}>
            <Switch
              label={isStopped ? messages.continualOn : messages.continualStop}
              checked={!isStopped}
              disabled={isOff || !isCharge || busy !== undefined}
              onChange={() => void toggle()}
            />
            {wallet && (
              <AutoTopUp
                key={`${wallet.auto_topup.ceiling_day} ${wallet.auto_topup.ceiling_month}`}
                wallet={wallet}
                companyId={user.company_id}
              />
            )}
          </Stack>
          <History
            key={props.opened ? 'open' : 'closed'}
            companyId={user.company_id}
            loaded={wallet}
            timeZone={wallet?.time_zone ?? user.time_zone}
            month={props.month}
          />
        </PageZone>
      </Stack>
      <Group justify="space-between" gap="xs" mt="lg">
        <Text size="sm" c="dimmed">
          {wallet?.card ? `Charged to ${wallet.card.replace(' ', ' ending in ')}` : ''}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button disabled={isOff} loading={busy === 'send'} onClick={() => void send()}>
            {isCharge ? `Top up ${signed(amount)}` : 'Save'}
          </Button>
        </Group>
      </Group>
    </Modal>
  );
}
