import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  MODULES,
  type ModuleType,
  PAYMENT_TERMS,
  type PaymentTermName,
} from '../../../../contract/choices.ts';
import { messages } from '../../../../contract/messages.ts';
import { modulesOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useFacts, useMay } from '../../../api/user.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { showFormError } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { type CompanyItem, named } from './companies.ts';

type Costs = Awaited<ReturnType<typeof api.pricing.client>>;
interface Props {
  row: CompanyItem;
  onClose: () => void;
}

/**
 * What the next campaigns of a client cost, product by product; its agency sets it, those above only read it (spec product 2,
 * price setup).
 */
export function PriceModal({ row, onClose }: Props) {
  const facts = useFacts();
  const has = row.selected_modules.filter(({ status }) => status).map(({ type }) => type);
  // Advertising campaigns have their own kind of prices, which are not set here.
  const modules = MODULES.filter(({ module }) => module !== 'simplifi' && has.includes(module));
  const shown = modulesOf(facts);
  const [module, setModule] = useState<ModuleType>(modules[0]?.module ?? 'local');
  const query = useQuery({
    queryKey: ['client-costs', row.company_id, module],
    queryFn: ({ signal }) => api.pricing.client({ company_id: row.company_id, module }, { signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const [isDirty, setDirty] = useState(false);
  return (
    <Modal opened onClose={onClose} centered title={`Price setup for ${named(row.company_name)}`}>
      {modules.length === 0 ? (
        <Notice tone="info" title="No products have prices here">
          This client has no products that sell leads.
        </Notice>
      ) : (
        <Stack gap="md">
          <Select
            label="Product"
            description={isDirty ? 'Save or cancel before you choose another product.' : undefined}
            allowDeselect={false}
            disabled={isDirty}
            data={modules.map((one) => ({
              value: one.module,
              label: shown.find((own) => own.module === one.module)?.name ?? one.name,
            }))}
            value={module}
            onChange={(next) => next && setModule(next as ModuleType)}
          />
          {query.error ? (
            <ErrorState
              error={query.error}
              what="The prices could not be loaded"
              onRetry={() => void query.refetch()}
            />
          ) : query.data ? (
            <PriceForm
              key={module}
              row={row}
              module={module}
              found={query.data}
              onDirty={setDirty}
              onClose={onClose}
            />
          ) : (
            <SkeletonRows height={60} />
          )}
        </Stack>
      )}
    </Modal>
  );
}

function PriceForm(props: Props & { module: ModuleType; found: Costs; onDirty: (is: boolean) => void }) {
  const { row, module, found, onDirty, onClose } = props;
  const maySave = useMay('campaign.price');
  const rich = module === 'b2b' ? ('lead_price_b2b' as const) : ('lead_price_advanced' as const);
  const initialValues = {
    lead_price: found.lead_price,
    [rich]: found[rich],
    lead_price_company: found.lead_price_company,
    lead_price_max: found.lead_price_max,
    platform_fee: found.platform_fee,
    monthly_fee: found.monthly_fee,
    term: found.term as PaymentTermName,
  };
  const form = useForm({
    initialValues,
    onValuesChange: (values) =>
      onDirty(Object.entries(initialValues).some(([field, was]) => was !== values[field as typeof rich])),
  });
  const send = async (values: typeof form.values) => {
    try {
      const { message } = await api.pricing.saveClient({
        company_id: row.company_id,
        module,
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
  const price = (
    field:
      | 'lead_price'
      | 'lead_price_company'
      | typeof rich
      | 'lead_price_max'
      | 'platform_fee'
      | 'monthly_fee',
    label: string,
    description?: string,
  ) => (
    <CurrencyInput
      label={label}
      description={description}
      readOnly={!maySave}
      {...form.getInputProps(field)}
    />
  );
  return (
    <form noValidate onSubmit={form.onSubmit(send)}>
      <Stack gap="md">
        <Text size="sm">
          {maySave
            ? 'What this client’s next campaigns cost. Existing campaigns keep their prices.'
            : 'What this client’s next campaigns cost. The client’s agency sets the prices.'}
        </Text>
        <Select
          label="Payment term"
          allowDeselect={false}
          disabled={!maySave}
          data={[...PAYMENT_TERMS]}
          {...form.getInputProps('term')}
        />
        {price('lead_price', 'Cost per lead')}
        {price(
          rich,
          module === 'b2b' ? 'Cost per lead with company data' : 'Cost per lead with personal data',
          'For leads with data fields. Enter 0 to use the cost per lead.',
        )}
        {module === 'local' &&
          price(
            'lead_price_company',
            'Cost per company',
            'For companies without a person, where a campaign includes them.',
          )}
        {price('lead_price_max', 'Maximum cost per lead')}
        {price('platform_fee', 'One-time setup fee')}
        {price('monthly_fee', 'Monthly platform fee')}
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
