import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { PAYMENT_TERMS, type PaymentTermName } from '../../../contract/choices.ts';
import { messages } from '../../../contract/messages.ts';
import { api } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useMay } from '../../api/user.ts';
import { CurrencyInput } from '../../ui/CurrencyInput.tsx';
import { showFormError } from '../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../ui/notify.ts';
import { SkeletonRows } from '../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { type CompanyItem, named } from './companies.ts';

type Costs = Awaited<ReturnType<typeof api.costs.client>>;
interface Props {
  row: CompanyItem;
  onClose: () => void;
}

/** What the next campaigns of a client cost; its agency sets it, those above only read it (spec product 2, price setup). */
export function PriceModal({ row, onClose }: Props) {
  const query = useQuery({
    queryKey: ['client-costs', row.company_id],
    queryFn: ({ signal }) => api.costs.client({ companyID: row.company_id, module: 'local' }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Modal opened onClose={onClose} centered title={`Price set-up of ${named(row.company_name)}`}>
      {query.error ? (
        <ErrorState
          error={query.error}
          what="The prices could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : query.data ? (
        <PriceForm row={row} found={query.data} onClose={onClose} />
      ) : (
        <SkeletonRows height={60} />
      )}
    </Modal>
  );
}

function PriceForm({ row, found, onClose }: Props & { found: Costs }) {
  const maySave = useMay('campaign.price');
  const form = useForm({
    initialValues: {
      CostSet: found.CostSet,
      CostMaxLead: found.CostMaxLead,
      PlatformFee: found.PlatformFee,
      CostMonth: found.CostMonth,
      PaymentTerm: found.PaymentTerm as PaymentTermName,
    },
  });
  const send = async (values: typeof form.values) => {
    try {
      const { message } = await api.costs.saveClient({
        companyID: row.company_id,
        module: 'local',
        ...values,
        version: found.version,
      });
      notifyDone(message);
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) showFormError(form, error);
      else notifyFailed(messages.settingFailed);
    }
  };
  const price = (field: 'CostSet' | 'CostMaxLead' | 'PlatformFee' | 'CostMonth', label: string) => (
    <CurrencyInput label={label} readOnly={!maySave} {...form.getInputProps(field)} />
  );
  return (
    <form noValidate onSubmit={form.onSubmit(send)}>
      <Stack gap="md">
        <Text size="sm">
          {maySave
            ? 'What the next campaigns of this client cost. Campaigns that exist keep their prices.'
            : 'What the next campaigns of this client cost. Its agency sets it.'}
        </Text>
        <Select
          label="Payment term"
          allowDeselect={false}
          disabled={!maySave}
          data={[...PAYMENT_TERMS]}
          {...form.getInputProps('PaymentTerm')}
        />
        {price('CostSet', 'Cost per lead')}
        {price('CostMaxLead', 'Highest cost of one lead')}
        {price('PlatformFee', 'One-time set-up fee')}
        {price('CostMonth', 'Platform fee per month')}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {maySave ? 'Cancel' : 'Close'}
          </Button>
          {maySave && (
            <Button type="submit" loading={form.submitting} disabled={!form.isDirty()}>
              Save
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
