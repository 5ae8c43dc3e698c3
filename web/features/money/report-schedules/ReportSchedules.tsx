import {
  ActionIcon,
  Button,
  Group,
  Menu,
  Modal,
  MultiSelect,
  Select,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { IconDots, IconMailPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import {
  MOST_RECIPIENTS,
  PERIOD_WORDS,
  REPORT_WORDS,
  SCHEDULED_REPORTS,
} from '../../../../contract/money/report-schedules.ts';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { wordsOf } from '../../../api/errors.ts';
import { useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { forgetFailed, notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { None, When } from '../../../ui/Values.tsx';
import { COMPARE_WORDS } from '../report-analytics/period.ts';

type Answer = Awaited<ReturnType<Client['reportSchedules']['list']>>;
type Schedule = Answer['data'][number];
type Form = Pick<Schedule, 'report' | 'period' | 'compare' | 'every' | 'user_ids'>;

const EVERY = { week: 'Every Monday at 8:00 AM', month: 'On the first of each month at 8:00 AM' };
const KEY = ['report-schedules'];

const choices = <T extends string>(words: Record<T, string>) =>
  Object.entries<string>(words).map(([value, label]) => ({ value: value as T, label }));

/** The reports that the company has emailed as PDFs: who gets which and when, and what became of the last one. */
export default function ReportSchedules() {
  const user = useUser();
  const cache = useQueryClient();
  const [edited, setEdited] = useState<Schedule | 'new'>();
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.reportSchedules.list(undefined, { signal }),
  });
  const act = async (id: string, work: () => Promise<{ message: string }>) => {
    try {
      notifyDone((await work()).message);
      forgetFailed(id);
    } catch (error) {
      notifyFailed(error, undefined, id);
    }
    await cache.invalidateQueries({ queryKey: KEY });
  };
  const remove = async (row: Schedule) => {
    const isSure = await confirm({
      title: `Stop emailing “${REPORT_WORDS[row.report]}”?`,
      body: 'It is removed for everyone who gets it.',
      verb: 'Remove',
      danger: true,
    });
    if (isSure) await act(row.id, () => api.reportSchedules.remove({ id: row.id }));
  };
  const answer = query.data;
  const people = new Map(answer?.people.map((one) => [one.id, one]));
  return (
    <section className="card" aria-labelledby="report-schedules" style={{ marginTop: 24, padding: 16 }}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h3" id="report-schedules">
          Reports by email
        </Title>
        {!user.in_view_mode && (
          <Button
            variant="default"
            leftSection={<IconMailPlus size={16} aria-hidden="true" />}
            disabled={!answer}
            onClick={() => setEdited('new')}
          >
            Schedule a report
          </Button>
        )}
      </Group>
      {query.error && !answer ? (
        <ErrorState
          error={query.error}
          what="Scheduled reports could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !answer ? (
        <SkeletonRows height={56} />
      ) : answer.data.length === 0 ? (
        <Text c="dimmed" size="sm">
          No report is emailed yet. Schedule one to send it as a PDF every week or month.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={640}>
          <Table aria-label="Reports by email">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Report</Table.Th>
                <Table.Th>Recipients</Table.Th>
                <Table.Th>Next</Table.Th>
                <Table.Th>Last</Table.Th>
                <Table.Th w={56} aria-label="Actions" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {answer.data.map((row) => (
                <Table.Tr key={row.id}>
                  <Table.Td>
                    {REPORT_WORDS[row.report]}
                    <Text size="xs" c="dimmed">
                      {PERIOD_WORDS[row.period]}, {COMPARE_WORDS[row.compare]}. {EVERY[row.every]}
                    </Text>
                  </Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    <Recipients row={row} people={people} />
                  </Table.Td>
                  <Table.Td>
                    {row.is_paused ? (
                      <StatusBadge status="paused">Paused</StatusBadge>
                    ) : (
                      <When at={row.next_at} />
                    )}
                  </Table.Td>
                  <Table.Td>
                    <Last row={row} />
                  </Table.Td>
                  <Table.Td>
                    <Menu position="bottom-end">
                      <Menu.Target>
                        <ActionIcon
                          variant="subtle"
                          color="gray"
                          aria-label={`Actions for ${REPORT_WORDS[row.report]}`}
                        >
                          <IconDots size={18} />
                        </ActionIcon>
                      </Menu.Target>
                      <Menu.Dropdown>
                        <Menu.Item
                          onClick={() => void download(`/configuration/report-schedules/${row.id}/pdf`)}
                        >
                          Download PDF
                        </Menu.Item>
                        {!user.in_view_mode && (
                          <>
                            <Menu.Item onClick={() => setEdited(row)}>Edit</Menu.Item>
                            <Menu.Item
                              onClick={() =>
                                void act(row.id, () =>
                                  api.reportSchedules.set({
                                    ...formOf(row),
                                    id: row.id,
                                    // Whoever may no longer read reports is left out.
                                    user_ids: row.user_ids.filter((id) => people.has(id)),
                                    is_paused: !row.is_paused,
                                  }),
                                )
                              }
                            >
                              {row.is_paused ? 'Resume' : 'Pause'}
                            </Menu.Item>
                            <Menu.Item c="var(--bad)" onClick={() => void remove(row)}>
                              Remove
                            </Menu.Item>
                          </>
                        )}
                      </Menu.Dropdown>
                    </Menu>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {edited && answer && (
        <ScheduleModal
          row={edited === 'new' ? undefined : edited}
          people={answer.people}
          isRoot={user.company_kind === 'root'}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}

const formOf = ({ report, period, compare, every, user_ids }: Schedule): Form => ({
  ...{ report, period, compare, every, user_ids },
});

function Recipients({ row, people }: { row: Schedule; people: Map<string, { name: string }> }) {
  const names = row.user_ids.flatMap((id) => people.get(id)?.name ?? []);
  const lost = row.user_ids.length - names.length;
  if (row.user_ids.length === 0) return 'No one';
  return (
    <>
      {names.join(', ')}
      {lost > 0 && (
        <Text size="xs" c="dimmed">
          {num(lost)} {lost === 1 ? 'user' : 'users'} without access to reports {lost === 1 ? 'gets' : 'get'}{' '}
          nothing
        </Text>
      )}
    </>
  );
}

function Last({ row }: { row: Schedule }) {
  if (!row.last_at) return <None />;
  return (
    <>
      {row.last_sent === null ? (
        <StatusBadge status="failed">Failed, will be retried</StatusBadge>
      ) : row.last_sent === 0 ? (
        'No one to send it to'
      ) : (
        `Sent to ${num(row.last_sent)} ${row.last_sent === 1 ? 'user' : 'users'}`
      )}
      <Text size="xs" c="dimmed">
        <When at={row.last_at} />
      </Text>
    </>
  );
}

function ScheduleModal(props: {
  row: Schedule | undefined;
  people: Answer['people'];
  isRoot: boolean;
  onClose: () => void;
}) {
  const { row, people, isRoot, onClose } = props;
  const user = useUser();
  const cache = useQueryClient();
  const [form, setForm] = useState<Form>(() =>
    row
      ? { ...formOf(row), user_ids: row.user_ids.filter((id) => people.some((one) => one.id === id)) }
      : {
          ...{ report: 'month', period: 'month', compare: 'previous', every: 'month' },
          user_ids: people.flatMap(({ id }) => (id === user.id ? id : [])),
        },
  );
  const save = useMutation({
    mutationFn: () =>
      row
        ? api.reportSchedules.set({ ...form, id: row.id, is_paused: row.is_paused })
        : api.reportSchedules.add(form),
    onSuccess: async ({ message }) => {
      notifyDone(message);
      await cache.invalidateQueries({ queryKey: KEY });
      onClose();
    },
  });
  const reports = SCHEDULED_REPORTS.filter((one) => isRoot || (one !== 'revenue' && one !== 'agency'));
  const patch = (some: Partial<Form>) => setForm({ ...form, ...some });
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      title={row ? 'Emailed report' : 'Schedule a report'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack gap="md">
          <Select
            label="Report"
            allowDeselect={false}
            data={reports.map((value) => ({ value, label: REPORT_WORDS[value] }))}
            value={form.report}
            onChange={(report) => report && patch({ report: report as Form['report'] })}
          />
          <Select
            label="Period"
            allowDeselect={false}
            data={choices(PERIOD_WORDS)}
            value={form.period}
            onChange={(period) => period && patch({ period: period as Form['period'] })}
          />
          <Select
            label="Comparison"
            allowDeselect={false}
            data={choices(COMPARE_WORDS)}
            value={form.compare}
            onChange={(compare) => compare && patch({ compare: compare as Form['compare'] })}
          />
          <Select
            label="Frequency"
            allowDeselect={false}
            data={choices(EVERY)}
            value={form.every}
            onChange={(every) => every && patch({ every: every as Form['every'] })}
          />
          <MultiSelect
            label="Recipients"
            description="Users of your company who may read reports."
            searchable
            maxValues={MOST_RECIPIENTS}
            data={people.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))}
            value={form.user_ids}
            onChange={(user_ids) => patch({ user_ids })}
          />
          {save.error && (
            <Notice tone="bad" live="alert">
              {wordsOf(save.error)}
            </Notice>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={form.user_ids.length === 0}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
