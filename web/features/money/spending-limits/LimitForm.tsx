import { Button, Radio, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { profileMenu } from '../../../../contract/routing/routing-menu.ts';
import { api } from '../../../api/client.ts';
import { useFacts } from '../../../api/user.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { SaveBar } from '../../../ui/SaveBar.tsx';
import { SearchSelect, type SearchSelectField } from '../../../ui/SearchSelect.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { ClientSelect } from '../../campaigns/campaigns/ClientSelect.tsx';
import {
  amountOf,
  type Limit,
  type LimitValues,
  limitFaults,
  nameOf,
  PERIOD_WORDS,
  type Subject,
  spentOf,
} from './model.ts';

/** What is limited, for which period, and at which amounts. */
export function LimitForm(props: { known: Limit | undefined; mayEdit: boolean; onClose: () => void }) {
  const { known, mayEdit } = props;
  const facts = useFacts();
  const { user } = facts;
  const cache = useQueryClient();
  const isClient = user.company_kind === 'client';
  const subjects: { value: Subject; label: string }[] = isClient
    ? [
        { value: 'client', label: 'All our campaigns combined' },
        { value: 'campaign', label: 'One campaign' },
      ]
    : [
        ...(profileMenu(facts).includes('dataWallet')
          ? [{ value: 'wallet' as const, label: 'Our Data Wallet' }]
          : []),
        { value: 'client', label: 'All campaigns of a client' },
        { value: 'campaign', label: 'One campaign' },
      ];
  /** For subjects that need no choice, the id they apply to. */
  const fixedId = (subject: Subject): string =>
    subject === 'wallet' || (subject === 'client' && isClient) ? user.company_id : '';
  const first = subjects[0]!.value;
  const form = useForm<LimitValues>({
    initialValues: {
      subject: known?.subject ?? first,
      subject_id: known?.subject_id ?? fixedId(first),
      period: known?.period ?? 'month',
      hard: known?.hard ?? '',
      soft: known?.soft ?? '',
    },
    validateInputOnBlur: true,
    validate: limitFaults,
  });
  const { subject, period } = form.values;
  const leave = useLeaveGuard(form.isDirty(), 'Your changes to this limit will be lost.', ['limit']);
  const save = async (values: LimitValues) => {
    try {
      const given = { ...values, hard: amountOf(values.hard), soft: amountOf(values.soft) };
      const { message } = await api.spendingLimits.set(given);
      await cache.invalidateQueries({ queryKey: ['caps'] });
      leave();
      notifyDone(message);
      props.onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        {known ? (
          <div>
            <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
              {nameOf(known)}, {PERIOD_WORDS[known.period]}
            </Text>
            <Text size="sm" c="dimmed">
              {spentOf(known).words} spent so far.
            </Text>
          </div>
        ) : (
          <>
            <Radio.Group
              label="Limit on"
              value={subject}
              onChange={(value) => {
                form.setFieldValue('subject', value as Subject);
                form.setFieldValue('subject_id', fixedId(value as Subject));
                form.clearFieldError('subject_id');
              }}
            >
              <Stack gap="xs" mt={4}>
                {subjects.map(({ value, label }) => (
                  <Radio key={value} value={value} label={label} />
                ))}
              </Stack>
            </Radio.Group>
            {subject === 'client' && !isClient && (
              <ClientSelect
                description="The client whose spending is limited."
                {...form.getInputProps('subject_id')}
                data-path="subject_id"
              />
            )}
            {subject === 'campaign' && <CampaignField {...form.getInputProps('subject_id')} />}
            <Radio.Group label="For" {...form.getInputProps('period')}>
              <Stack gap="xs" mt={4}>
                <Radio value="day" label="Each day" />
                <Radio value="month" label="Each calendar month" />
              </Stack>
            </Radio.Group>
          </>
        )}
        {mayEdit ? (
          <>
            <CurrencyInput
              label="Stop at"
              description={`Spending that would exceed this amount in a ${period} is not accepted. Campaigns it stops show the reason.`}
              mayBeEmpty
              {...form.getInputProps('hard')}
            />
            <CurrencyInput
              label="Notify us at"
              description={`An email is sent once a day when spending exceeds this amount in a ${period}. Nothing stops.`}
              mayBeEmpty
              {...form.getInputProps('soft')}
            />
            <Text size="sm" c="dimmed">
              {subject === 'wallet'
                ? 'Counts what is drawn from the wallet, by day and month in your time zone.'
                : `Counts what leads cost, by day and month in ${isClient ? 'your' : 'the client’s'} time zone. If ${isClient ? 'your agency' : 'the client'} sets the same kind of limit, the lower one applies.`}
            </Text>
          </>
        ) : (
          <>
            <Notice tone="info">
              {known?.set_by === 'agency' ? 'Your agency' : 'The client'} set this limit and can change it.
            </Notice>
            <CurrencyInput label="Stops at" value={known?.hard ?? ''} onChange={() => undefined} readOnly />
            <CurrencyInput
              label="Notifies at"
              value={known?.soft ?? ''}
              onChange={() => undefined}
              readOnly
            />
          </>
        )}
      </Stack>
      {mayEdit && (
        <SaveBar isDirty={form.isDirty()}>
          <Button
            type="submit"
            disabled={Boolean(known) && !form.isDirty()}
            loading={form.submitting}
            {...keepFocus}
          >
            {known ? 'Save' : 'Set limit'}
          </Button>
        </SaveBar>
      )}
    </form>
  );
}

/** Selects one of the user's own campaigns. */
function CampaignField(props: SearchSelectField) {
  return (
    <SearchSelect
      data-path="subject_id"
      {...props}
      label="Campaign"
      queryKey={['campaigns', 'choice']}
      find={async (search, signal) => {
        const { data } = await api.campaigns.list(
          { page: 1, per_page: 50, ...(search ? { search } : {}) },
          { signal },
        );
        return data.map((one) => ({
          value: one.campaign_id,
          label: `${one.campaign_name} #${one.campaign_number}`,
        }));
      }}
    />
  );
}
