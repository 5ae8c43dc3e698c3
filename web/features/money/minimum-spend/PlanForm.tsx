import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { FLAT_MINIMUM } from '../../../../contract/choices.ts';
import { api } from '../../../api/client.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { SaveBar } from '../../../ui/SaveBar.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import classes from './minimum-spend.module.css';
import { cents, centsFault, monthLabel, planWords } from './model.ts';
import type { Plan } from './queries.ts';

const MOST_MONTHS = 60;

interface Values {
  plan_name: string;
  months: string[];
  flat: string;
}

const faultsOf = (values: Values): Record<string, string> => {
  const faults: Record<string, string> = {};
  const name = values.plan_name.trim();
  if (!name) faults.plan_name = 'Enter a name';
  else if (name.length > 255) faults.plan_name = 'Use up to 255 characters';
  for (const [at, amount] of values.months.entries()) {
    const fault = centsFault(amount);
    if (fault) faults[`months.${at}`] = fault;
  }
  const fault = centsFault(values.flat);
  if (fault) faults.flat = fault;
  return faults;
};

/** A plan's name and its minimum for each month. */
export function PlanForm({ known, onClose }: { known: Plan | undefined; onClose: () => void }) {
  const cache = useQueryClient();
  const form = useForm<Values>({
    initialValues: {
      plan_name: known?.plan_name ?? '',
      months: known?.months ?? [],
      flat: known?.flat ?? FLAT_MINIMUM,
    },
    validateInputOnBlur: true,
    validate: faultsOf,
  });
  const { months, flat } = form.values;
  const leave = useLeaveGuard(form.isDirty(), 'Your changes to this plan will be lost.', ['plan']);
  const isWhole = [...months, flat].every((amount) => centsFault(amount) === null);
  const save = async (values: Values) => {
    const given = {
      plan_name: values.plan_name.trim(),
      months: values.months.map(cents),
      flat: cents(values.flat),
    };
    try {
      const { message } = known
        ? await api.pricing.updatePlan({ ...given, id: known.id, version: known.version })
        : await api.pricing.createPlan(given);
      await cache.invalidateQueries({ queryKey: ['minspend'] });
      leave();
      notifyDone(message);
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Shown to the agencies that have this plan."
          withAsterisk
          maxLength={300}
          {...form.getInputProps('plan_name')}
        />
        <div>
          <Text size="sm" fw={600}>
            First months
          </Text>
          <Text size="xs" c="dimmed">
            Minimums for an agency’s first full months. Enter 0 for no minimum.
          </Text>
        </div>
        {months.map((_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a month is its place in the list
          <div key={at} className={classes.month}>
            <CurrencyInput
              label={monthLabel(at)}
              withAsterisk
              mayBeEmpty
              {...form.getInputProps(`months.${at}`)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              className={classes.remove}
              aria-label={`Remove the ${monthLabel(at).toLowerCase()}`}
              onClick={() => form.removeListItem('months', at)}
              {...keepFocus}
            >
              <IconX size={16} />
            </ActionIcon>
          </div>
        ))}
        {months.length < MOST_MONTHS && (
          <Group>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden="true" />}
              onClick={() => form.insertListItem('months', '')}
              {...keepFocus}
            >
              Add a month
            </Button>
          </Group>
        )}
        <CurrencyInput
          label={months.length === 0 ? 'Per month' : 'Every month after that'}
          withAsterisk
          mayBeEmpty
          {...form.getInputProps('flat')}
        />
        <Text size="sm" c="dimmed" role="status">
          {isWhole && `Minimum: ${planWords(months, flat)}.`}
          {known && ' Changes apply starting with the current month.'}
        </Text>
      </Stack>
      <SaveBar isDirty={form.isDirty()}>
        <Button
          type="submit"
          disabled={Boolean(known) && !form.isDirty()}
          loading={form.submitting}
          {...keepFocus}
        >
          {known ? 'Save' : 'Add plan'}
        </Button>
      </SaveBar>
    </form>
  );
}
