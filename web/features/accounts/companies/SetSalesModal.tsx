import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';

type Found = Awaited<ReturnType<typeof api.sales.getSalesList>>;
interface Props {
  company: { company_id: string; company_name: string };
  onClose: () => void;
}

/** Sets a company's salespeople: three searchable selects, each with a way to clear it (spec product 2). */
export function SetSalesModal({ company, onClose }: Props) {
  const query = useQuery({
    queryKey: ['sales-list', company.company_id],
    queryFn: ({ signal }) => api.sales.getSalesList({ company_id: company.company_id }, { signal }),
    // A stale copy must not overwrite what others have set in the meantime.
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Modal opened onClose={onClose} centered title="Set Sales Person">
      {query.error ? (
        <ErrorState
          error={query.error}
          what="The salespeople could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : query.data ? (
        <SalesForm company={company} found={query.data} onClose={onClose} />
      ) : (
        <SkeletonRows height={60} />
      )}
    </Modal>
  );
}

function SalesForm({ company, found, onClose }: Props & { found: Found }) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: {
      sales_rep_id: found.sales_rep_id || null,
      account_executive_id: found.account_executive_id || null,
      referrer_id: found.referrer_id || null,
    },
  });
  const send = async (values: typeof form.values) => {
    try {
      const { message } = await api.sales.setSalesPerson({ company_id: company.company_id, ...values });
      notifyDone(message);
      await queryClient.invalidateQueries({ queryKey: ['companies'] });
      onClose();
    } catch (error) {
      showFormError(form, error, messages.settingFailed);
    }
  };
  /** All available people, plus the current holder of the role even if they have left. */
  const choices = (id: string, name: string) => {
    const all = found.data.map((one) => ({ value: one.id, label: one.name }));
    return id && !all.some((one) => one.value === id) ? [...all, { value: id, label: name }] : all;
  };
  const field = (key: keyof typeof form.values, label: string, id: string, name: string) => (
    <Select
      label={label}
      placeholder="No one"
      data={choices(id, name)}
      searchable
      clearable
      // Makes it reachable by keyboard; by default it works only with the mouse.
      clearButtonProps={{ 'aria-label': `Clear ${label}`, 'aria-hidden': false, tabIndex: 0 }}
      nothingFoundMessage="No one found"
      {...form.getInputProps(key)}
    />
  );
  return (
    <form noValidate onSubmit={form.onSubmit(send)}>
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Who manages {company.company_name}. They see it in their list.
        </Text>
        {field('sales_rep_id', 'Sales Representative', found.sales_rep_id, found.sales_rep)}
        {field(
          'account_executive_id',
          'Account Executive',
          found.account_executive_id,
          found.account_executive,
        )}
        {field('referrer_id', 'Referral Account', found.referrer_id, found.referrer)}
        {found.data.length === 0 && (
          <Text size="sm" c="dimmed">
            There are no salespeople yet.
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
