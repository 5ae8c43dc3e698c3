import { Button, Group, Loader, Text } from '@mantine/core';
import { IconFileDownload, IconFileOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';

/** /download-auth/{pkdoc}: starts the download of a document for users who may have it (ROUT-09, DOC-02, DOC-03). */
export default function DownloadPage() {
  const { pkdoc = '' } = useParams({ strict: false }) as { pkdoc?: string };
  const [state, setState] = useState<'preparing' | 'done' | 'failed'>('preparing');
  const isStarted = useRef(false);
  const query = useQuery({
    queryKey: ['docauth', pkdoc],
    queryFn: ({ signal }) => api.agreementText.docauth({ pkdoc }, { signal }),
    retry: false,
    staleTime: 0,
  });
  const path = query.data?.path;

  const start = (from: string) => {
    setState('preparing');
    void download(from).then((ok) => setState(ok ? 'done' : 'failed'));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a visit, also where effects run twice
  useEffect(() => {
    if (!path || isStarted.current) return;
    isStarted.current = true;
    start(path);
  }, [path]);

  if (query.error) {
    return (
      <>
        <PageHeader title="Download" line="Documents for your account." />
        <div className="card">
          <EmptyState
            icon={<IconFileOff size={32} stroke={1.4} />}
            title={messages.documentMissingTitle}
            text={messages.documentMissingText}
            action={
              <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
                {messages.tryAgain}
              </Button>
            }
          />
        </div>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Download" line="Your browser downloads the file, ready to print." />
      <div className="card">
        <EmptyState
          icon={<IconFileDownload size={32} stroke={1.4} />}
          title={query.data?.title ?? ''}
          text={
            state === 'preparing' ? (
              <Group gap="xs" justify="center" role="status" component="span">
                <Loader size="xs" /> {messages.preparingFile}
              </Group>
            ) : (
              <Text component="span" size="sm" role={state === 'failed' ? 'alert' : 'status'}>
                {state === 'done' ? messages.downloadDone : messages.downloadFailed}
              </Text>
            )
          }
          action={
            <Button variant="default" onClick={() => path && start(path)} disabled={state === 'preparing'}>
              {state === 'failed' ? messages.tryAgain : 'Download again'}
            </Button>
          }
        />
      </div>
    </>
  );
}
