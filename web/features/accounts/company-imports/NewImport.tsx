import { Button, Group, Select, Stack, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { IMPORT_BYTES } from '../../../../contract/accounts/company-imports.ts';
import { api } from '../../../api/client.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { upload } from '../../../api/upload.ts';
import { useUser } from '../../../api/user.ts';
import { FileDrop, type Sending } from '../../../ui/FileDrop.tsx';
import { shortDay } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { SearchSelect } from '../../../ui/SearchSelect.tsx';
import { readCompanies } from '../companies/companies.ts';

/** Uploads an archive, or takes a full export of this server, and says which agency receives a client. */
export function NewImport({ onStarted }: { onStarted: (id: string) => void }) {
  const user = useUser();
  const [receiver, setReceiver] = useState('');
  const [source, setSource] = useState<string | null>(null);
  const [sending, setSending] = useState<Sending>();
  const [fault, setFault] = useState<string>();
  // Leaving the page cancels the upload; the rest runs on the server.
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const sources = useQuery({
    queryKey: ['company-imports', 'sources'],
    queryFn: ({ signal }) => api.companyImports.sources(undefined, { signal }),
  });
  const given = receiver ? { receiver_id: receiver } : {};
  const take = async (file: File) => {
    const wrong = !/\.(tar\.gz|tgz)$/i.test(file.name)
      ? 'Choose the archive of a full export. Its name ends in .tar.gz.'
      : file.size > IMPORT_BYTES
        ? `The archive must not be larger than ${IMPORT_BYTES / 1024 ** 3} GiB.`
        : undefined;
    setFault(wrong);
    if (wrong) return;
    const stop = new AbortController();
    running.current = stop;
    const { name, size } = file;
    setSending({ name, size, sent: 0, stop });
    try {
      const { data } = await upload<{ data: { id: string } }>(
        `/company-imports/upload?${new URLSearchParams({ file_name: name.slice(-255), ...(receiver && { receiver_id: receiver }) })}`,
        file,
        { signal: stop.signal, onProgress: (sent) => setSending({ name, size, sent, stop }) },
      );
      onStarted(data.id);
    } catch (error) {
      const rules = error instanceof ApiError ? Object.values(error.errors).flat().join(' ') : '';
      if (!stop.signal.aborted) setFault(rules ? `The archive ${rules}.` : wordsOf(error));
    } finally {
      running.current = undefined;
      setSending(undefined);
    }
  };
  const start = useMutation({
    mutationFn: () => api.companyImports.fromExport({ export_id: source!, ...given }),
    onSuccess: ({ data }) => {
      setSource(null);
      onStarted(data.id);
    },
  });
  const now = new Date();
  return (
    <section className="card" aria-labelledby="new-import">
      <Stack gap="md" p="md">
        <Title order={2} size="h3" id="new-import">
          New import
        </Title>
        <SearchSelect
          label="Receiving agency"
          description="Who the client of the archive will belong to. The archive of an agency needs none."
          none="None: the archive is of an agency"
          value={receiver}
          onChange={setReceiver}
          queryKey={['agencies', 'choice']}
          find={async (search, signal) => {
            const { data } = await readCompanies(
              api,
              user,
              { kind: 'agency', page: 1, per_page: 50, ...(search ? { search } : {}) },
              { signal },
            );
            return data.map((one) => ({ value: one.company_id, label: one.company_name }));
          }}
        />
        <FileDrop
          title="Drop an archive here"
          text={`A full export (.tar.gz) up to ${IMPORT_BYTES / 1024 ** 3} GiB. You review it before anything is imported.`}
          accept=".tar.gz,.tgz,application/gzip"
          sending={sending}
          fault={fault}
          onFile={(file) => void take(file)}
          onMany={() => setFault('Choose one file at a time.')}
        />
        {(sources.data?.data.length ?? 0) > 0 && (
          <Group align="flex-end" gap="sm">
            <Select
              label="Or a full export of this server"
              placeholder="Choose an export"
              clearable
              style={{ flex: '1 1 240px' }}
              data={sources.data!.data.map((one) => ({
                value: one.id,
                label: `${one.name}, ${one.kind}, ${shortDay(one.created_at, now)}`,
              }))}
              value={source}
              onChange={setSource}
            />
            <Button
              variant="default"
              disabled={!source}
              loading={start.isPending}
              onClick={() => start.mutate()}
            >
              Check export
            </Button>
          </Group>
        )}
        {start.error && (
          <Notice tone="bad" live="alert">
            {wordsOf(start.error)}
          </Notice>
        )}
      </Stack>
    </section>
  );
}
