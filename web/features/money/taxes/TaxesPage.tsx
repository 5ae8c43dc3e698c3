import {
  ActionIcon,
  Alert,
  Button,
  Checkbox,
  Group,
  Radio,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle, IconReceiptTax, IconTrash } from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { US_STATES } from '../../../../contract/choices.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { CountrySelect } from '../../../ui/CountrySelect.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { Clip, None, When } from '../../../ui/Values.tsx';

type Payer = Awaited<ReturnType<Client['taxes']['payers']>>['data'][number];
type Known = Awaited<ReturnType<Client['taxes']['rates']>>;
type Rate = Known['data'][number];

const ratesQuery = queryOptions({
  queryKey: ['taxes', 'rates'],
  queryFn: ({ signal }) => api.taxes.rates(undefined, { signal }),
});
const PERCENT = /^\d{1,2}(\.\d{1,4})?$/;
const placeOf = (rate: Rate): string =>
  rate.country === 'US'
    ? (US_STATES[rate.state] ?? 'All other states')
    : [rate.country, rate.state].filter(Boolean).join(', ');

/** The platform's tax rates, and what is known about each billed company: tax ID, exemption, its own rate. */
export default function TaxesPage() {
  const user = useUser();
  const isRoot = user.company_kind === 'root';
  const mayWrite = useMay('invoice.write') && !user.in_view_mode;
  const rateDrawer = useDrawer('rate');
  const payerDrawer = useDrawer('payer');
  const ownDrawer = useDrawer('own');
  const state = useListState({ sort: 'name', dir: 'asc', perPage: 25 });
  const rates = useQuery(ratesQuery);
  const payers = useQuery({
    queryKey: ['taxes', 'payers', state.input],
    queryFn: ({ signal }) => api.taxes.payers(state.input, { signal }),
    placeholderData: keepPreviousData,
  });
  const columns: Column<Payer>[] = [
    { key: 'name', title: isRoot ? 'Agency' : 'Client', render: (row) => <Clip text={row.company_name} /> },
    { key: 'place', phone: 'line', title: 'Location', render: (row) => <Clip text={row.place} max={160} /> },
    { key: 'tax_id', phone: 'line', title: 'Tax ID', render: (row) => <Clip text={row.tax_id} max={180} /> },
    { key: 'holds', phone: 'end', title: 'Tax on invoices', render: (row) => row.holds || <None /> },
  ];
  return (
    <>
      <PageHeader
        title="Taxes"
        line={
          isRoot
            ? 'Tax rates by location, and the tax details of your agencies. Changes apply to new invoices.'
            : 'Tax details of your clients. Changes apply to new invoices.'
        }
        primary={
          mayWrite && (
            <Group gap="xs">
              <Button variant="default" onClick={() => ownDrawer.open('id')}>
                Your tax ID
              </Button>
              {isRoot && <Button onClick={() => rateDrawer.open('new')}>Set rate</Button>}
            </Group>
          )
        }
      />
      <Stack gap="xl">
        {rates.data && <Calculator known={rates.data} mayWrite={isRoot && mayWrite} />}
        <Rates query={rates} mayWrite={isRoot && mayWrite} />
        <DataTable
          label={isRoot ? 'Agencies' : 'Clients'}
          download={{ list: 'tax-payers', of: 'taxes.payers', query: state.input }}
          name="tax-payers"
          columns={columns}
          query={payers}
          state={state}
          search="Search by name"
          rowKey={(row) => row.company_id}
          {...(mayWrite ? { onRow: (row: Payer) => payerDrawer.open(row.company_id) } : {})}
          empty={
            <EmptyState
              icon={<IconReceiptTax size={32} stroke={1.4} />}
              title={isRoot ? 'No agencies yet' : 'No clients yet'}
              text="Companies you bill are listed here with their tax ID and exemption."
            />
          }
        />
      </Stack>
      <DetailDrawer param="rate" title="Set a tax rate">
        {() => <RateForm onClose={rateDrawer.close} />}
      </DetailDrawer>
      <DetailDrawer param="own" title="Your tax ID">
        {() =>
          rates.data ? (
            <OwnForm company={user.company_id} taxId={rates.data.own_tax_id} onClose={ownDrawer.close} />
          ) : (
            <Skeleton height={120} />
          )
        }
      </DetailDrawer>
      <DetailDrawer
        param="payer"
        title={
          payers.data?.data.find((row) => row.company_id === payerDrawer.id)?.company_name ?? 'Tax details'
        }
      >
        {(id) => {
          const payer = payers.data?.data.find((row) => row.company_id === id);
          return payer ? (
            <PayerForm key={id} payer={payer} onClose={payerDrawer.close} />
          ) : (
            <Skeleton height={240} />
          );
        }}
      </DetailDrawer>
    </>
  );
}

const CALCULATORS = {
  table: {
    label: 'Rates on this page',
    description: 'Each location has the rate you set here. Nothing is sent anywhere.',
  },
  stripe: {
    label: 'Stripe Tax',
    description:
      'Stripe calculates each invoice by address and tax ID, and keeps the tax report. Invoices wait while Stripe cannot answer.',
  },
} as const;

/** Makes a notice's title as dark as its text: on yellow, its own color is too light to read. */
const noticeTitle = { title: { color: 'var(--mantine-color-text)' } };

/** Who calculates taxes, and whose invoices wait for it. Roots choose, agencies see it. */
function Calculator({ known, mayWrite }: { known: Known; mayWrite: boolean }) {
  const cache = useQueryClient();
  const choose = async (calculator: Known['calculator']) => {
    if (calculator === known.calculator) return;
    const isSure = await confirm({
      title: `Use ${calculator === 'stripe' ? 'Stripe Tax' : 'the rates on this page'} to calculate taxes?`,
      body:
        calculator === 'stripe'
          ? 'Applies to new invoices and receipts of your agencies and their clients. Stripe Tax must be set up in Stripe first, including by agencies that charge on their own account.'
          : 'Applies to new invoices and receipts. Those already issued keep their tax.',
      verb: 'Change',
    });
    if (!isSure) return;
    try {
      notifyDone((await api.taxes.setCalculator({ calculator })).message);
    } catch (error) {
      notifyFailed(error);
    } finally {
      void cache.invalidateQueries({ queryKey: ['taxes'] });
    }
  };
  const more = known.waiting_count - known.waiting.length;
  return (
    <section aria-label="Calculation">
      <Title order={2} size="h4" mb="xs">
        Calculation
      </Title>
      {mayWrite ? (
        <Radio.Group
          aria-label="Taxes are calculated by"
          value={known.calculator}
          onChange={(value) => void choose(value as Known['calculator'])}
        >
          <Stack gap="sm">
            <Radio value="table" {...CALCULATORS.table} />
            <Radio
              value="stripe"
              label={CALCULATORS.stripe.label}
              description={
                known.has_stripe
                  ? CALCULATORS.stripe.description
                  : 'Not available: this platform has no Stripe keys, and cards run in the sandbox.'
              }
              disabled={!known.has_stripe && known.calculator !== 'stripe'}
            />
          </Stack>
        </Radio.Group>
      ) : (
        <Text size="sm">
          {known.calculator === 'stripe'
            ? 'Taxes are calculated by Stripe Tax, by address and tax ID.'
            : 'Taxes are calculated by the rates below.'}
        </Text>
      )}
      {known.calculator === 'stripe' && !known.has_stripe && (
        <Alert
          mt="md"
          color="red"
          icon={<IconAlertTriangle size={18} />}
          title="The Stripe keys are missing"
          styles={noticeTitle}
        >
          No invoice is issued until they are set again, or the rates on this page are used.
        </Alert>
      )}
      {known.waiting.length > 0 && (
        <Alert
          mt="md"
          color="yellow"
          icon={<IconAlertTriangle size={18} />}
          title="Invoices waiting for their tax"
          styles={noticeTitle}
        >
          <Stack gap={4} component="ul" pl="md" m={0}>
            {known.waiting.map((one) => (
              <Text key={one.company_id} size="sm" component="li" style={{ overflowWrap: 'anywhere' }}>
                {one.company_name}: {one.reason} Last attempt <When at={one.since} />
              </Text>
            ))}
            {more > 0 && (
              <Text size="sm" component="li">
                And {more} more
              </Text>
            )}
          </Stack>
          <Text size="sm" mt="xs">
            They are retried every hour.
          </Text>
        </Alert>
      )}
    </section>
  );
}

function Rates({
  query,
  mayWrite,
}: {
  query: { data?: Known | undefined; error: unknown; refetch: () => unknown };
  mayWrite: boolean;
}) {
  const cache = useQueryClient();
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The rates could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  const remove = async (rate: Rate) => {
    const isSure = await confirm({
      title: `Remove ${rate.name} for ${placeOf(rate)}?`,
      body: 'New invoices there will not include this tax. Invoices already issued keep it.',
      verb: 'Remove',
      danger: true,
    });
    if (!isSure) return;
    try {
      notifyDone((await api.taxes.removeRate({ id: rate.id })).message);
    } catch (error) {
      notifyFailed(error);
    } finally {
      void cache.invalidateQueries({ queryKey: ['taxes'] });
    }
  };
  return (
    <section aria-label="Rates">
      <Title order={2} size="h4" mb="xs">
        Rates
      </Title>
      {query.data?.calculator === 'stripe' && (
        <Text size="sm" c="dimmed" mb="xs">
          Not used while Stripe Tax calculates taxes.
        </Text>
      )}
      {!query.data ? (
        <Skeleton height={40} />
      ) : query.data.data.length === 0 ? (
        <Text size="sm" c="dimmed">
          No tax rates yet.{query.data.calculator === 'table' && ' Invoices do not include tax.'}
        </Text>
      ) : (
        <Stack gap={4}>
          {query.data.data.map((rate) => (
            <Group key={rate.id} gap="md" wrap="nowrap" className="card" px="md" py="xs">
              <Text size="sm" flex={1} style={{ overflowWrap: 'anywhere' }}>
                {placeOf(rate)}
              </Text>
              <Text size="sm" className="num">
                {rate.name} {rate.rate}%
              </Text>
              {mayWrite && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove the rate for ${placeOf(rate)}`}
                  onClick={() => void remove(rate)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              )}
            </Group>
          ))}
        </Stack>
      )}
    </section>
  );
}

function RateForm({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const form = useForm({
    initialValues: { country: 'US', state: '', name: 'Sales tax', rate: '' },
    validateInputOnBlur: true,
    validate: {
      name: (value) => (value.trim() ? null : 'Enter the name shown on invoices.'),
      rate: (value) => (PERCENT.test(value.trim()) ? null : 'Enter a percentage such as 8.25.'),
    },
  });
  const isUs = form.values.country === 'US';
  const save = async (values: typeof form.values) => {
    try {
      notifyDone((await api.taxes.setRate({ ...values, rate: values.rate.trim() })).message);
      await cache.invalidateQueries({ queryKey: ['taxes'] });
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        <CountrySelect
          label="Country"
          withAsterisk
          maw={320}
          {...form.getInputProps('country')}
          value={form.values.country}
          onChange={(country) => {
            form.setFieldValue('country', country);
            form.setFieldValue('state', '');
          }}
        />
        {isUs ? (
          <Select
            label="State"
            description="Leave blank for all states without their own rate"
            searchable
            clearable
            styles={{ wrapper: { maxWidth: 320 } }}
            data={Object.entries(US_STATES).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('state')}
            value={form.values.state || null}
            onChange={(value) => form.setFieldValue('state', value ?? '')}
          />
        ) : (
          <TextInput
            label="State or province"
            description="Its code. Leave blank for the whole country."
            maxLength={3}
            styles={{ wrapper: { maxWidth: 240 } }}
            {...form.getInputProps('state')}
          />
        )}
        <TextInput label="Name on invoices" withAsterisk maxLength={60} {...form.getInputProps('name')} />
        <TextInput
          label="Rate"
          withAsterisk
          rightSection="%"
          inputMode="decimal"
          maw={240}
          {...form.getInputProps('rate')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={form.submitting} {...keepFocus}>
            Save rate
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function OwnForm({ company, taxId, onClose }: { company: string; taxId: string; onClose: () => void }) {
  const cache = useQueryClient();
  const form = useForm({ initialValues: { tax_id: taxId } });
  const save = async (values: typeof form.values) => {
    try {
      notifyDone((await api.taxes.setPayer({ company_id: company, ...values })).message);
      await cache.invalidateQueries({ queryKey: ['taxes'] });
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save)}>
      <Stack gap="md">
        <TextInput
          label="Tax ID"
          description="Shown with your address on invoices. Leave blank for none."
          maxLength={40}
          {...form.getInputProps('tax_id')}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={form.submitting} {...keepFocus}>
            Save tax ID
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PayerForm({ payer, onClose }: { payer: Payer; onClose: () => void }) {
  const cache = useQueryClient();
  const form = useForm({
    initialValues: {
      tax_id: payer.tax_id,
      isExempt: payer.exempt === 'T',
      exempt_reason: payer.exempt_reason,
      rate: payer.rate ?? '',
      rate_name: payer.rate_name,
    },
    validateInputOnBlur: true,
    validate: {
      rate: (value) =>
        !value.trim() || PERCENT.test(value.trim())
          ? null
          : 'Enter a percentage such as 8.25, or leave it blank.',
    },
  });
  const save = async ({ isExempt, rate, ...values }: typeof form.values) => {
    try {
      const { message } = await api.taxes.setPayer({
        company_id: payer.company_id,
        ...values,
        exempt: isExempt ? 'T' : 'F',
        rate: rate.trim() || null,
      });
      notifyDone(message);
      await cache.invalidateQueries({ queryKey: ['taxes'] });
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        <TextInput
          label="Tax ID"
          description="Shown with their address on invoices"
          maxLength={40}
          {...form.getInputProps('tax_id')}
        />
        <Checkbox label="Tax exempt" {...form.getInputProps('isExempt', { type: 'checkbox' })} />
        {form.values.isExempt ? (
          <TextInput
            label="Reason"
            description="For example, the exemption certificate number"
            maxLength={200}
            {...form.getInputProps('exempt_reason')}
          />
        ) : (
          <>
            <TextInput
              label="Custom rate"
              description="Leave blank for the rate of their location. 0 charges no tax."
              rightSection="%"
              inputMode="decimal"
              styles={{ wrapper: { maxWidth: 240 } }}
              {...form.getInputProps('rate')}
            />
            {form.values.rate.trim() !== '' && (
              <TextInput label="Name on invoices" maxLength={60} {...form.getInputProps('rate_name')} />
            )}
          </>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={form.submitting} {...keepFocus}>
            Save tax details
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
