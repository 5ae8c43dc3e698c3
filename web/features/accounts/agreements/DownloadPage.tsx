import { Button, Group, Loader, Text } from '@mantine/core';
import { IconFileDownload, IconFileOff } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { isLegalName, legalDocument } from '../../../../contract/accounts/legal.ts';
import { messages } from '../../../../contract/messages.ts';
import { download } from '../../../api/download.ts';
import { useBrand } from '../../../brand/brand.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';

/** /download-auth/{pkdoc}: starts the download of a document for users who may have it (ROUT-09). */
export default function DownloadPage() {
  const brand = useBrand();
  const { pkdoc = '' } = useParams({ strict: false }) as { pkdoc?: string };
  const [state, setState] = useState<'preparing' | 'done' | 'failed'>('preparing');
  const isStarted = useRef(false);
  const known = isLegalName(pkdoc);

  const start = () => {
    setState('preparing');
    void download(`/general/document/${encodeURIComponent(pkdoc)}/file`).then((ok) =>
      setState(ok ? 'done' : 'failed'),
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a visit, also where effects run twice
  useEffect(() => {
    if (!known || isStarted.current) return;
    isStarted.current = true;
    start();
  }, [known]);

  if (!known) {
    return (
      <>
        <PageHeader title="Download" line="Documents for your account." />
        <div className="card">
          <EmptyState
            icon={<IconFileOff size={32} stroke={1.4} />}
            title={messages.documentMissingTitle}
            text={messages.documentMissingText}
            action={
              <Button variant="default" renderRoot={(props) => <Link {...props} to="/" />}>
                {messages.goHome}
              </Button>
            }
          />
        </div>
      </>
    );
  }
  const { title } = legalDocument(pkdoc, brand.name);
  return (
    <>
      <PageHeader title="Download" line="Your browser downloads the file, ready to print." />
      <div className="card">
        <EmptyState
          icon={<IconFileDownload size={32} stroke={1.4} />}
          title={title}
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
            <Button variant="default" onClick={start} disabled={state === 'preparing'}>
              {state === 'failed' ? messages.tryAgain : 'Download again'}
            </Button>
          }
        />
      </div>
    </>
  );
}
