import { Button, Collapse, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DataWallet } from '../../../../contract/money/data-wallet.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { When } from '../../../ui/Values.tsx';
import classes from './data-wallet.module.css';
import { cleanAmount, signed } from './model.ts';

/** Describes the status of the automatic top-up. */
function standing(wallet: DataWallet): string {
  const { status, threshold_amount, next_try, reason } = wallet.auto_topup;
  const amount = signed(wallet.amount);
  if (status === 'charging' || status === 'due') return `${amount} is being charged now.`;
  if (status === 'stopped') return `Stopped: ${reason}`;
  if (status === 'waiting' && next_try) {
    const when = new Date(next_try).toLocaleString('en-US', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: wallet.time_zone,
    });
    return `${reason} Next attempt: ${when}.`;
  }
  if (wallet.stop_continual === 'T') return 'Off. The balance is topped up only when you do it here.';
  if (Number(wallet.amount) === 0) return 'Starts when you top up. No amount has been chosen yet.';
  if (status === 'armed')
    return `${amount} is charged when the balance falls to ${signed(threshold_amount)}.`;
  return 'The balance is already low, so this starts with your next top-up.';
}

/** The automatic top-up's status, its ceilings, and every attempt by card (BEY-03). */
export function AutoTopUp({ wallet, companyId }: { wallet: DataWallet; companyId: string }) {
  const { auto_topup: auto } = wallet;
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [day, setDay] = useState(auto.ceiling_day ?? '');
  const [month, setMonth] = useState(auto.ceiling_month ?? '');
  const [errors, setErrors] = useState<Record<string, string | undefined>>({});
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    setErrors({});
    try {
      await api.dataWallet.savePrepaidDirectPayment({
        company_id: companyId,
        amount: wallet.amount,
        custom_amount: wallet.custom_amount,
        stop_continual: wallet.stop_continual,
        ceiling_day: day,
        ceiling_month: month,
      });
      notifyDone('The limits have been saved.');
      await queryClient.invalidateQueries({ queryKey: ['wallet'] });
    } catch (error) {
      const fields = error instanceof ApiError ? error.errors : {};
      const words = (field: string) => fields[field]?.[0] && `The limit ${fields[field][0]}`;
      const own = { day: words('ceiling_day'), month: words('ceiling_month') };
      setErrors(own.day || own.month ? own : { month: wordsOf(error) });
    } finally {
      setSaving(false);
    }
  };
  const field = (
    name: 'day' | 'month',
    label: string,
    value: string,
    set: (value: string) => void,
    spent: string,
  ) => (
    <TextInput
      label={label}
      description={`${signed(spent)} so far`}
      placeholder="No limit"
      leftSection="$"
      inputMode="decimal"
      value={value}
      error={errors[name]}
      onChange={(event) => set(cleanAmount(event.currentTarget.value, value))}
      style={{ flex: '1 1 180px' }}
    />
  );
  return (
    <Stack gap={6}>
      <Text size="sm" role="status">
        {standing(wallet)}
      </Text>
      <UnstyledButton
        onClick={() => setOpen(!isOpen)}
        aria-expanded={isOpen}
        fz="sm"
        fw={500}
        w="fit-content"
      >
        <Group gap={4} component="span">
          {isOpen ? <IconChevronUp size={16} /> : <IconChevronDown size={16} />}
          Limits and card attempts
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Automatic top-ups never exceed these amounts, and only you can raise them. Top-ups you make
            yourself do not count.
          </Text>
          <Group align="flex-start" gap="sm">
            {field('day', 'Daily limit', day, setDay, auto.spent_day)}
            {field('month', 'Monthly limit', month, setMonth, auto.spent_month)}
          </Group>
          <Group justify="flex-end">
            <Button
              variant="default"
              size="compact-md"
              loading={isSaving}
              disabled={wallet.missing !== null}
              onClick={() => void save()}
            >
              Save limits
            </Button>
          </Group>
          {auto.attempts.length > 0 && (
            <ul className={classes.attempts} aria-label="Card attempts">
              {auto.attempts.map((one) => (
                <li key={one.id}>
                  <Group gap="xs" component="span">
                    <StatusBadge status={one.status} />
                    <span className="num">{signed(one.amount)}</span>
                    <span className={classes.small}>
                      {one.automatic ? 'automatic' : 'manual'}, <When at={one.created_at} />
                    </span>
                  </Group>
                  {one.reason && <span className={classes.small}>{one.reason}</span>}
                </li>
              ))}
            </ul>
          )}
        </Stack>
      </Collapse>
    </Stack>
  );
}
