import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Popover,
  Skeleton,
  Stack,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCoin } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { onboardingFault } from '../../../../contract/accounts/company-rules.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { focusFirstWrong, keepFocus } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import type { CompanyItem } from './companies.ts';

type Found = Awaited<ReturnType<typeof api.settings.onboarding>>['data'];

/** The one-time charge for an agency when it starts (spec product 5, Onboarding charge). */
export function OnboardingPopover({ row }: { row: CompanyItem }) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({
    queryKey: ['onboarding-charge', row.company_id],
    queryFn: ({ signal }) => api.settings.onboarding({ company_id: row.company_id }, { signal }),
    enabled: isOpen,
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      trapFocus
      withArrow
      width={300}
      shadow="md"
    >
      <Popover.Target>
        <Tooltip label="Onboarding charge" disabled={isOpen}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Onboarding charge for ${row.company_name}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <IconCoin size={18} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={`Onboarding charge for ${row.company_name}`}>
        {query.error ? (
          <ErrorState
            error={query.error}
            what="The charge could not be loaded"
            onRetry={() => void query.refetch()}
          />
        ) : query.data ? (
          <ChargeForm row={row} found={query.data.data} onClose={() => setOpen(false)} />
        ) : (
          <Skeleton height={150} />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function ChargeForm({ row, found, onClose }: { row: CompanyItem; found: Found; onClose: () => void }) {
  const form = useForm({
    initialValues: { amount: found.amount, enable_coupon: found.enable_coupon === 'T' },
    validate: { amount: (text: string) => onboardingFault(text.trim()) },
    validateInputOnBlur: true,
  });
  const send = async (values: typeof form.values) => {
    try {
      const { message } = await api.settings.saveOnboarding({
        company_id: row.company_id,
        amount: values.amount.trim(),
        enable_coupon: values.enable_coupon ? 'T' : 'F',
      });
      notifyDone(message);
      onClose();
    } catch (error) {
      const why = error instanceof ApiError ? error.errors.amount : undefined;
      if (why) form.setFieldError('amount', why.join(' '));
      else notifyFailed(messages.settingFailed);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="sm">
        <TextInput
          type="number"
          step="0.01"
          min={0}
          leftSection="$"
          label="Onboarding charge"
          description="Charged once when the agency starts. Enter 0 for no charge."
          data-autofocus
          {...form.getInputProps('amount')}
        />
        <Checkbox label="Enable coupon" {...form.getInputProps('enable_coupon', { type: 'checkbox' })} />
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="xs" type="submit" loading={form.submitting} {...keepFocus}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
