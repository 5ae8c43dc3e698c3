import { Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type CreditReason, REASON_WORDS } from '../../../../contract/money/credits.ts';

interface Why {
  reason: CreditReason;
  note: string;
}

/** 'Other' needs a note to mean anything. */
export const noteFault = (note: string, { reason }: Why): string | null =>
  reason === 'other' && !note.trim() ? 'Enter a reason' : null;

/** Why money is granted: a selectable reason, and a note next to it. */
export function ReasonFields<T extends Why>(props: {
  form: UseFormReturnType<T>;
  reasons: readonly CreditReason[];
}) {
  const { form } = props;
  return (
    <>
      <Select
        label="Reason"
        allowDeselect={false}
        data={props.reasons.map((value) => ({ value, label: REASON_WORDS[value] }))}
        {...form.getInputProps('reason')}
      />
      <TextInput
        label="Note"
        description="Sent with the email. Don’t include anyone’s personal details."
        maxLength={255}
        withAsterisk={form.getValues().reason === 'other'}
        {...form.getInputProps('note')}
      />
    </>
  );
}
