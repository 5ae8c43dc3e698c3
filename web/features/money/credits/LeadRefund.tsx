import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type CreditReason, LEAD_REASONS, REASON_WORDS } from '../../../../contract/money/credits.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { focusFirstWrong, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { Money, When } from '../../../ui/Values.tsx';
import { noteFault, ReasonFields } from './ReasonFields.tsx';

/** A lead by its id, and the client that it was sold to. */
interface Lead {
  id: string;
  company_name: string;
}

/**
 * What was refunded for a lead, and a way to refund what the user's own company charged for it. Renders nothing if
 * there is neither.
 */
export function LeadRefund({ lead }: { lead: Lead }) {
  const user = useUser();
  const mayRefund = useMay('lead.refund') && !user.in_view_mode;
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({
    queryKey: ['lead-refunds', lead.id],
    queryFn: ({ signal }) => api.credits.ofLead({ id: lead.id }, { signal }),
  });
  const found = query.data;
  if (!found || (found.data.length === 0 && !(mayRefund && found.refundable_micros > 0))) return null;
  return (
    <section aria-label="Refunds">
      <Title order={3} mb="xs">
        Refunds
      </Title>
      <Stack gap="xs" align="flex-start">
        {found.data.map((one) => (
          <Text key={one.id} size="sm" style={{ overflowWrap: 'anywhere' }}>
            <Money micros={one.amount_micros} unit /> to {one.company_name} on <When at={one.created_at} />.{' '}
            {REASON_WORDS[one.reason]}
            {one.note && `: ${one.note}`}
          </Text>
        ))}
        {mayRefund && found.refundable_micros > 0 && (
          <Button variant="default" size="xs" onClick={() => setOpen(true)}>
            Refund lead
          </Button>
        )}
      </Stack>
      {isOpen && <RefundModal lead={lead} micros={found.refundable_micros} onClose={() => setOpen(false)} />}
    </section>
  );
}

function RefundModal({ lead, micros, onClose }: { lead: Lead; micros: number; onClose: () => void }) {
  const isRoot = useUser().company_kind === 'root';
  const cache = useQueryClient();
  const form = useForm({
    initialValues: { reason: 'wrong_person' as CreditReason, note: '' },
    validate: { note: noteFault },
  });
  const send = async (values: typeof form.values) => {
    try {
      const { message } = await api.credits.refundLead({ id: lead.id, ...values });
      notifyDone(message);
      onClose();
      await cache.invalidateQueries({ queryKey: ['lead-refunds', lead.id] });
      await cache.invalidateQueries({ queryKey: ['statement'] });
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Modal opened onClose={onClose} centered title="Refund this lead">
      <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Text size="sm">
            {isRoot ? 'The agency of ' : ''}
            {lead.company_name} gets <Money micros={micros} unit /> back:{' '}
            {isRoot
              ? 'in its Data Wallet if the wallet paid for the lead, otherwise as a deduction from its next invoice. It is up to the agency to refund what its client paid.'
              : 'in the campaign balance if the balance paid for the lead, otherwise as a deduction from the next invoice. What the lead cost you is not included.'}{' '}
            They get an email with the reason.
          </Text>
          <ReasonFields form={form} reasons={LEAD_REASONS} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              Refund lead
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
