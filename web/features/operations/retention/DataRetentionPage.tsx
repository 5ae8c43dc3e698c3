import { Button, Group, NumberInput, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { FIXED_RETENTION, RETENTION } from '../../../../contract/operations/retention.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { num } from '../../../ui/format.ts';
import { focusFirstWrong, keepFocus, showFormError } from '../../../ui/forms.ts';
import { notifyDone } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { None, When } from '../../../ui/Values.tsx';

type Row = Awaited<ReturnType<Client['retention']['list']>>['data'][number];
type Due = Pick<Row, 'due' | 'is_due_more'>;

const keptFor = (days: number | null): string => (days === null ? 'No limit' : `${num(days)} days`);
const amount = (kind: Row['kind'], count: number, isMore = false): string => {
  const [one, many] = RETENTION[kind].unit;
  return isMore ? `More than ${num(count)} ${many}` : `${num(count)} ${count === 1 ? one : many}`;
};

/** How long each kind of data is kept on the whole platform, and what its cleanup does. */
export default function DataRetentionPage() {
  const user = useUser();
  const drawer = useDrawer('kind');
  const state = useListState({ perPage: 25 });
  const query = useQuery({
    queryKey: ['retention', state.input],
    queryFn: ({ signal }) => api.retention.list(state.input, { signal }),
    placeholderData: keepPreviousData,
  });
  const columns: Column<Row>[] = [
    { key: 'title', title: 'Data', render: (row) => row.title },
    {
      key: 'days',
      phone: 'end',
      title: 'Kept for',
      render: (row) =>
        row.is_changed
          ? `${keptFor(row.days)} (default ${row.default_days ?? 'no limit'})`
          : keptFor(row.days),
    },
    {
      key: 'allowed',
      phone: false,
      title: 'Allowed',
      render: (row) => `${num(RETENTION[row.kind].min)} to ${num(RETENTION[row.kind].max)} days`,
    },
    {
      key: 'due',
      phone: false,
      title: 'Next run deletes',
      render: (row) => (row.due === 0 ? <None /> : amount(row.kind, row.due, row.is_due_more)),
    },
    {
      key: 'ran',
      phone: false,
      title: 'Last run',
      render: (row) => (row.started_at === null ? <None /> : <When at={row.started_at} />),
    },
    {
      key: 'removed',
      phone: false,
      title: 'Deleted',
      render: (row) =>
        row.started_at === null || (row.removed === 0 && row.finished_at !== null) ? (
          <None />
        ) : (
          `${amount(row.kind, row.removed)}${row.finished_at === null ? ' so far' : ''}`
        ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Data retention"
        line="How long data is kept on the whole platform, for all roots. Older data is deleted every hour. The privacy policy shows these periods."
      />
      <Stack gap="xl">
        <DataTable
          label="Data that is deleted"
          name="retention"
          download={{ list: 'retention', of: 'retention.list', query: state.input }}
          columns={columns}
          query={query}
          state={state}
          rowKey={(row) => row.kind}
          {...(user.in_view_mode ? {} : { onRow: (row: Row) => drawer.open(row.kind) })}
          empty={null}
        />
        <section aria-label="Fixed periods">
          <Title order={2} size="h4" mb="xs">
            Fixed periods
          </Title>
          <div className="card">
            {FIXED_RETENTION.map((one, at) => (
              <Group
                key={one.title}
                gap="md"
                px="md"
                py="xs"
                align="flex-start"
                style={at > 0 ? { borderTop: '1px solid var(--hairline)' } : {}}
              >
                <Stack gap={0} flex="999 1 240px">
                  <Text size="sm">{one.title}</Text>
                  <Text size="xs" c="dimmed">
                    {one.why}
                  </Text>
                </Stack>
                <Text size="sm" flex="1 1 240px">
                  {one.kept}
                </Text>
              </Group>
            ))}
          </div>
        </section>
      </Stack>
      <DetailDrawer
        param="kind"
        title={query.data?.data.find((row) => row.kind === drawer.id)?.title ?? 'Data retention'}
      >
        {(id) => {
          const row = query.data?.data.find((one) => one.kind === id);
          return row ? <PeriodForm key={id} row={row} onClose={drawer.close} /> : <Skeleton height={200} />;
        }}
      </DetailDrawer>
    </>
  );
}

function PeriodForm({ row, onClose }: { row: Row; onClose: () => void }) {
  const cache = useQueryClient();
  const { what, why, min, max } = RETENTION[row.kind];
  const form = useForm<{ days: number | string }>({
    initialValues: { days: (row.is_changed && row.days) || '' },
    validate: {
      days: (value) =>
        value === '' || (Number(value) >= min && Number(value) <= max)
          ? null
          : `Enter ${num(min)} to ${num(max)} days.`,
    },
  });
  const save = async (values: typeof form.values) => {
    const days = values.days === '' ? null : Number(values.days);
    const next = days ?? row.default_days;
    try {
      if (next !== null && (row.days === null || next < row.days)) {
        const { due, is_due_more }: Due = await api.retention.preview({ kind: row.kind, days: next });
        const isSure = await confirm({
          title: `Keep ${row.title.toLowerCase()} for ${num(next)} days?`,
          body:
            due === 0
              ? 'Nothing is older than that now. From then on, data is deleted when it reaches that age.'
              : `The next run, within the hour, deletes ${amount(row.kind, due, is_due_more).toLowerCase()}. This cannot be undone.`,
          verb: 'Change',
          danger: due > 0,
        });
        if (!isSure) return;
      }
      notifyDone((await api.retention.change({ kind: row.kind, days })).message);
      await cache.invalidateQueries({ queryKey: ['retention'] });
      onClose();
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <form noValidate onSubmit={form.onSubmit(save, (errors) => focusFirstWrong(form, errors))}>
      <Stack gap="md">
        <Text size="sm">{what}</Text>
        <NumberInput
          label="Days"
          description={`${num(min)} to ${num(max)}. Leave blank for the default: ${keptFor(row.default_days).toLowerCase()}.`}
          allowDecimal={false}
          allowNegative={false}
          styles={{ wrapper: { maxWidth: 240 } }}
          {...form.getInputProps('days')}
        />
        <Text size="sm" c="dimmed">
          {why}
        </Text>
        <Text size="sm">
          {row.due === 0
            ? 'The next run has nothing to delete.'
            : `The next run deletes: ${amount(row.kind, row.due, row.is_due_more).toLowerCase()}.`}
          {row.started_at !== null && (
            <>
              {' '}
              The last one, <When at={row.started_at} />, deleted {amount(row.kind, row.removed)}
              {row.finished_at === null && ' and has not finished'}.
            </>
          )}
        </Text>
        <Group justify="flex-end">
          <Button type="submit" loading={form.submitting} {...keepFocus}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
