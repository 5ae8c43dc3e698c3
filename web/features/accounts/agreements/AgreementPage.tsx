import { Button, Group, Stack } from '@mantine/core';
import { IconDownload, IconFileOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { exactTime } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { usePersonChanged } from '../profile/queries.ts';
import { AgreementFields, AgreementText } from './AgreementText.tsx';
import classes from './agreements.module.css';
import {
  type AgreementRead,
  DOCUMENT_NAMES,
  type Document,
  readOf,
  readQuery,
  useAcceptance,
} from './agreements.ts';
import { downloadSigned } from './download.ts';

const isDocument = (name: string): name is Document => Object.hasOwn(DOCUMENT_NAMES, name);

/** The viewer of an agreement: its newest version, to read, accept, and download (DOC-01, DOC-02). */
export default function AgreementPage() {
  const user = useUser();
  const { document = '' } = useParams({ strict: false }) as { document?: string };
  const query = useQuery({ ...readQuery(document as Document), enabled: isDocument(document), retry: false });
  const text = query.data;
  return (
    <div className={classes.page}>
      <PageHeader
        title={text?.title ?? 'Agreement'}
        line={text ? `Between ${text.party} and ${text.company}.` : 'One of your company’s agreements.'}
        primary={
          text?.accepted_version && (
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden="true" />}
              onClick={() => void downloadSigned(user.id, document as Document)}
            >
              Download PDF
            </Button>
          )
        }
      />
      {text ? (
        <Viewer key={text.text_hash} text={text} onChanged={() => void query.refetch()} />
      ) : query.isFetching ? (
        <div className="card" style={{ height: 320 }} aria-busy="true" />
      ) : (
        <div className="card">
          <EmptyState
            icon={<IconFileOff size={32} stroke={1.4} />}
            title={messages.documentMissingTitle}
            text={messages.documentMissingText}
            action={
              <Button variant="default" onClick={() => void query.refetch()} disabled={!isDocument(document)}>
                {messages.tryAgain}
              </Button>
            }
          />
        </div>
      )}
      <Group mt="lg">
        <Button
          variant="transparent"
          px={0}
          renderRoot={(props) => <Link {...props} to={'/configuration/agreements' as '/'} />}
        >
          All agreements
        </Button>
      </Group>
    </div>
  );
}

function Viewer({ text, onChanged }: { text: AgreementRead; onChanged: () => void }) {
  const user = useUser();
  const mayAccept = useMay('agreement.accept') && !user.in_view_mode;
  const acceptance = useAcceptance();
  const changed = usePersonChanged();
  const [isSending, setSending] = useState(false);
  // The developer agreement is accepted with its fee.
  const isOpen = text.state !== 'accepted' && text.document_type !== 'developer';
  const accept = async () => {
    if (!acceptance.check()) return;
    setSending(true);
    try {
      const { message } = await api.setup.agree({
        document_type: text.document_type,
        agreed: 'T',
        ...readOf(text),
      });
      notifyDone(message);
    } catch (error) {
      notifyFailed(error, messages.agreementFailed);
    } finally {
      setSending(false);
      onChanged();
      await changed();
    }
  };
  return (
    <Stack gap="md">
      <StateNotice text={text} />
      <section className="card" style={{ padding: 24 }}>
        {isOpen && mayAccept ? (
          <>
            <AgreementFields text={text} acceptance={acceptance} height="tall" />
            <Group mt="md">
              <Button loading={isSending} onClick={() => void accept()}>
                Accept version {text.version}
              </Button>
            </Group>
          </>
        ) : (
          <Stack gap="sm">
            <AgreementText text={text} height="tall" />
          </Stack>
        )}
      </section>
    </Stack>
  );
}

function StateNotice({ text }: { text: AgreementRead }) {
  const user = useUser();
  const at = (instant: string | null) => (instant ? exactTime(instant, user.time_zone) : '');
  if (text.state === 'accepted')
    return (
      <Notice tone="good" title={`Version ${text.accepted_version} is accepted`}>
        By {text.accepted_by ?? 'someone who has left'} on {at(text.accepted_at)}.
      </Notice>
    );
  if (text.state === 'changing')
    return (
      <Notice tone="warn" title="There is a new version">
        Version {text.accepted_version}, which you accepted, holds until {at(text.must_accept_by)}. Accept
        version {text.version} by then.
      </Notice>
    );
  if (text.state === 'expired')
    return (
      <Notice tone="bad" title={`Version ${text.accepted_version} no longer holds`}>
        Its notice period ended on {at(text.must_accept_by)}. Read and accept version {text.version} to go on.
      </Notice>
    );
  return null;
}
