import { Button, Group, Modal, Paper, Stack, Text } from '@mantine/core';
import { IconDownload, IconPackageExport, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { EXPORT_KEPT_HOURS } from '../../../../contract/accounts/company-exports.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { num } from '../../../ui/format.ts';
import { forgetFailed, notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { When } from '../../../ui/Values.tsx';

type Export = Awaited<ReturnType<Client['companyExports']['list']>>['data'][number];

const STATES = {
  queued: { status: 'queued', words: 'Waiting' },
  making: { status: 'running', words: 'Being made' },
  held: { status: 'held', words: 'On hold' },
  ready: { status: 'done', words: 'Ready' },
} as const;
const ASK_MS = 2000;

/** A size as people say it: 1.4 MB. */
function sizeWords(bytes: number): string {
  const [size, unit] =
    bytes < 1e6 ? [bytes / 1e3, 'KB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${size < 10 ? Math.max(size, 0.1).toFixed(1) : num(Math.round(size))} ${unit}`;
}

/** The browser saves the file as it arrives: an archive can be larger than its memory. */
async function save(id: string): Promise<void> {
  const { url } = await api.auth.downloadToken({ path: `/api/company-exports/${id}/file` });
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

/** Full exports of a company: those that are there, and a button to start another. */
export default function ExportsModal({
  company,
  onClose,
}: {
  company: { id: string; name: string; kind: 'agency' | 'client' };
  onClose: () => void;
}) {
  const cache = useQueryClient();
  const queryKey = ['company-exports', company.id];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.companyExports.list({ company_id: company.id }, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.data.some((one) => one.state === 'queued' || one.state === 'making') ? ASK_MS : false,
  });
  const reload = () => cache.invalidateQueries({ queryKey });
  const about = `export ${company.id}`;
  const start = useMutation({
    mutationFn: () => api.companyExports.start({ company_id: company.id }),
    onSuccess: async ({ message }) => {
      forgetFailed(about);
      notifyDone(message);
      await reload();
    },
    onError: (error) => notifyFailed(error, undefined, about),
  });
  const download = useMutation({
    mutationFn: save,
    onSuccess: () => forgetFailed(about),
    onError: (error) => notifyFailed(error, undefined, about),
  });
  const remove = async (one: Export) => {
    const isSure = await confirm({
      title: one.state === 'ready' ? 'Delete this export?' : 'Stop making this export?',
      body: 'Its file is deleted. You can start another export at any time.',
      verb: one.state === 'ready' ? 'Delete' : 'Stop',
      danger: true,
    });
    if (!isSure) return;
    try {
      const { message } = await api.companyExports.remove({ id: one.id });
      forgetFailed(about);
      notifyDone(message);
    } catch (error) {
      notifyFailed(error, undefined, about);
    }
    await reload();
  };
  const rows = query.data?.data;
  const isUnderWay = rows?.some((one) => one.state !== 'ready') ?? false;
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      size="lg"
      title={`Full export of ${company.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {company.kind === 'agency'
            ? 'Everything of the agency and its clients in one archive'
            : 'Everything of the client in one archive'}
          : users, campaigns, leads, visits, deliveries, lists, invoices, ledger lines, agreements, and files.
          Passwords, keys, and people on exclusion lists are left out. The file is deleted after{' '}
          {EXPORT_KEPT_HOURS} hours, and you get an email when it is ready. The owner of another installation
          of this platform can import it there.
        </Text>
        <Group>
          <Button
            leftSection={<IconPackageExport size={16} aria-hidden="true" />}
            loading={start.isPending}
            disabled={!rows || isUnderWay}
            onClick={() => start.mutate()}
          >
            Start export
          </Button>
        </Group>
        {query.error ? (
          <ErrorState
            error={query.error}
            what="The exports could not be loaded"
            onRetry={() => void query.refetch()}
          />
        ) : !rows ? (
          <SkeletonRows height={72} />
        ) : rows.length === 0 ? (
          <EmptyState
            icon={<IconPackageExport size={32} stroke={1.4} />}
            title="No exports yet"
            text="Start one. Large companies take a few minutes, and you can close this window meanwhile."
          />
        ) : (
          <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Exports">
            {rows.map((one) => (
              <Paper component="li" key={one.id} withBorder p="sm">
                <Group justify="space-between" gap="xs">
                  <StatusBadge status={STATES[one.state].status}>{STATES[one.state].words}</StatusBadge>
                  <Group gap="xs">
                    {one.state === 'ready' && (
                      <Button
                        size="xs"
                        variant="default"
                        leftSection={<IconDownload size={14} aria-hidden="true" />}
                        loading={download.isPending && download.variables === one.id}
                        onClick={() => download.mutate(one.id)}
                      >
                        Download
                      </Button>
                    )}
                    <Button
                      size="xs"
                      variant="subtle"
                      color="red"
                      leftSection={<IconTrash size={14} aria-hidden="true" />}
                      onClick={() => void remove(one)}
                    >
                      {one.state === 'ready' ? 'Delete' : 'Stop'}
                    </Button>
                  </Group>
                </Group>
                <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
                  Started <When at={one.created_at} />
                  {one.asked_by && ` by ${one.asked_by}`}
                  {one.state === 'ready' &&
                    `, ${num(one.tables.reduce((sum, { rows: count }) => sum + count, 0))} rows, ${sizeWords(one.bytes ?? 0)}`}
                </Text>
                {one.expires_at && (
                  <Text size="sm" c="dimmed">
                    Kept until <When at={one.expires_at} />
                  </Text>
                )}
                {one.error && <Text size="sm">{one.error}</Text>}
                {one.sha256 && (
                  <Group gap={4} wrap="nowrap" mt={4}>
                    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                      SHA-256 {one.sha256}
                    </Text>
                    <CopyButton text={one.sha256} what="the SHA-256" />
                  </Group>
                )}
              </Paper>
            ))}
          </Stack>
        )}
      </Stack>
    </Modal>
  );
}
