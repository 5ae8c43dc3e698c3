import { Button, Group, Modal, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { microsOrNull, microsTyped, money } from '../../../../contract/dollars.ts';
import {
  type CreditReason,
  GRANT_MOST,
  GRANT_REASONS,
  REASON_WORDS,
} from '../../../../contract/money/credits.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { Money, When } from '../../../ui/Values.tsx';
import { noteFault, ReasonFields } from './ReasonFields.tsx';

interface Props {
  company: { company_id: string; company_name: string; kind: 'agency' | 'client' };
  onClose: () => void;
}

const amountFault = (text: string): string | null => {
  const micros = microsOrNull(text.trim(), 2);
  if (micros === null || micros <= 0n) return 'Enter an amount above 0 with up to two decimal places';
  return micros > BigInt(GRANT_MOST) * 1_000_000n ? `Enter up to ${money(GRANT_MOST * 1_000_000)}` : null;
};

/** Grants an agency credit in its Data Wallet, or a client in one of its campaigns; what it got before stands below. */
export default function GrantCreditModal({ company, onClose }: Props) {
  const isClient = company.kind === 'client';
  const campaigns = useQuery({
    queryKey: ['campaigns', 'to-credit', company.company_id],
    queryFn: ({ signal }) =>
      api.campaigns.list({ company_id: company.company_id, per_page: 100 }, { signal }),
    enabled: isClient,
    staleTime: 0,
  });
  const choices = campaigns.data?.data.map((one) => ({
    value: one.campaign_id,
    label: `#${one.campaign_number} ${one.campaign_name}`,
  }));
  return (
    <Modal opened onClose={onClose} centered title={`Grant ${company.company_name} credit`}>
      {campaigns.error ? (
        <ErrorState
          error={campaigns.error}
          what="The campaigns could not be loaded"
          onRetry={() => void campaigns.refetch()}
        />
      ) : isClient && !choices ? (
        <SkeletonRows height={60} />
      ) : isClient && choices?.length === 0 ? (
        <Notice tone="info" title="No campaigns yet">
          Credit applies to a campaign. Create one for this client first.
        </Notice>
      ) : (
        <GrantForm company={company} choices={choices} onClose={onClose} />
      )}
    </Modal>
  );
}

function GrantForm(props: Props & { choices: { value: string; label: string }[] | undefined }) {
  const { company, choices, onClose } = props;
  const cache = useQueryClient();
  // One key for the whole life of the modal: pressing the button again after a lost response grants nothing twice.
  const [key] = useState(() => crypto.randomUUID());
  /** Set when it is unknown whether the credit was granted; it must not be changed under the same key. */
  const [unsure, setUnsure] = useState<string>();
  const form = useForm({
    initialValues: {
      campaign_id: choices?.[0]?.value ?? null,
      amount: '',
      reason: 'goodwill' as CreditReason,
      note: '',
    },
    validate: { amount: amountFault, note: noteFault },
  });
  const send = async ({ campaign_id, amount, reason, note }: typeof form.values) => {
    try {
      await api.credits.grant({
        company_id: company.company_id,
        ...(campaign_id ? { campaign_id } : {}),
        amount: amount.trim(),
        reason,
        note,
        idempotency_key: key,
      });
      notifyDone(`Granted ${company.company_name} a credit of ${money(microsTyped(amount.trim()))}`);
      onClose();
      await cache.invalidateQueries({ queryKey: ['companies'] });
      await cache.invalidateQueries({ queryKey: ['credits', company.company_id] });
    } catch (error) {
      const status = error instanceof ApiError ? error.status : 0;
      if (status === 0 || status >= 500) setUnsure(wordsOf(error));
      else showFormError(form, error);
    }
  };
  const isFixed = unsure !== undefined;
  return (
    <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        <Text size="sm">
          {choices
            ? 'The credit is added to the balance of a prepaid campaign. For a campaign billed by invoice, it is deducted from the next invoice. It comes out of your revenue.'
            : 'The credit is added to the Data Wallet, where it can be used for 12 months. No card is charged.'}
        </Text>
        <fieldset disabled={isFixed} style={{ border: 0, margin: 0, padding: 0 }}>
          <Stack gap="md">
            {choices && (
              <Select
                label="Campaign"
                allowDeselect={false}
                searchable
                disabled={isFixed}
                data={choices}
                {...form.getInputProps('campaign_id')}
              />
            )}
            <TextInput
              label="Amount"
              description={`Up to ${money(GRANT_MOST * 1_000_000, { whole: true })} at a time`}
              leftSection="$"
              inputMode="decimal"
              withAsterisk
              data-autofocus
              {...form.getInputProps('amount')}
            />
            <ReasonFields form={form} reasons={GRANT_REASONS} />
          </Stack>
        </fieldset>
        {unsure && (
          <Notice tone="warn" live="alert" title="No response">
            {unsure} It’s safe to try again. The credit is granted only once.
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            {unsure ? 'Try again' : 'Grant credit'}
          </Button>
        </Group>
        <Before companyId={company.company_id} />
      </Stack>
    </form>
  );
}

/** The company's latest grants, so that no one repeats a colleague's grant. */
function Before({ companyId }: { companyId: string }) {
  const query = useQuery({
    queryKey: ['credits', companyId],
    queryFn: ({ signal }) => api.credits.list({ company_id: companyId, per_page: 5 }, { signal }),
    staleTime: 0,
  });
  if (!query.data || query.data.data.length === 0) return null;
  return (
    <section aria-label="Recent refunds and credits">
      <Title order={3} size="h5" mb="xs">
        Recent refunds and credits
      </Title>
      <Stack gap={4}>
        {query.data.data.map((one) => (
          <Text key={one.id} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            <When at={one.created_at} />: <Money micros={one.amount_micros} unit />{' '}
            {one.lead_id ? 'for a lead' : 'credit'}
            {one.campaign_name && ` in ${one.campaign_name}`}, {REASON_WORDS[one.reason].toLowerCase()}
          </Text>
        ))}
      </Stack>
    </section>
  );
}
