import { Button, Group, Select, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { microsOf, usd } from '../../../../contract/dollars.ts';
import { api } from '../../../api/client.ts';
import { CurrencyInput } from '../../../ui/CurrencyInput.tsx';
import { currencyPlain } from '../../../ui/currency.ts';
import { DayInput } from '../../../ui/DayInput.tsx';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';
import { zoneWords } from '../../../ui/zone.ts';

/** What a lead of each product costs the root, and the form that changes it. */
export function SupplierCosts() {
  const cache = useQueryClient();
  const query = useQuery({
    queryKey: ['supplier-costs'],
    queryFn: ({ signal }) => api.pricing.supplierCosts(undefined, { signal }),
  });
  const form = useForm({
    initialValues: { module: 'local', cost: '', effective_from: '' },
    validateInputOnBlur: true,
    validate: { cost: (value) => (currencyPlain(value) === '' ? 'Enter the cost of one lead.' : null) },
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The supplier costs could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <Skeleton height={320} aria-busy="true" />;
  const { data, time_zone } = query.data;
  const save = async (values: typeof form.values) => {
    try {
      const { message } = await api.pricing.setSupplierCost({
        module: values.module as 'local',
        cost: currencyPlain(values.cost),
        ...(values.effective_from ? { effective_from: values.effective_from } : {}),
      });
      await cache.invalidateQueries({ queryKey: ['supplier-costs'] });
      form.reset();
      notifyDone(message);
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Stack gap="lg">
      <Text size="sm" c="dimmed">
        What you pay your suppliers per lead. Past leads keep their original cost.
      </Text>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Product</Table.Th>
            <Table.Th ta="right">Cost per lead</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map((row) => (
            <Table.Tr key={row.module}>
              <Table.Th scope="row" fw={400}>
                {row.name}
                {row.planned.map((plan) => (
                  <Text key={plan.effective_from} size="xs" c="dimmed">
                    ${plan.cost} from <When at={plan.effective_from} />
                  </Text>
                ))}
              </Table.Th>
              <Table.Td ta="right" className="num">
                {row.is_set ? usd(microsOf(row.cost)) : <Text c="dimmed">Not set</Text>}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
        <Stack gap="md">
          <Select
            label="Product"
            allowDeselect={false}
            maw={240}
            data={data.map((row) => ({ value: row.module, label: row.name }))}
            {...form.getInputProps('module')}
          />
          <CurrencyInput label="Cost per lead" withAsterisk mayBeEmpty {...form.getInputProps('cost')} />
          <DayInput
            label="Takes effect"
            description={`Starts at the beginning of the day in ${zoneWords(time_zone)}. Leave blank to start now.`}
            maw={240}
            {...form.getInputProps('effective_from')}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={form.submitting} {...keepFocus}>
              Save cost
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}
