import { Button, FileInput, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { save } from '../../../api/download.ts';
import { wordsOf } from '../../../api/errors.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { FormSection, SectionSkeleton } from '../../../ui/FormSection.tsx';
import { exactTime } from '../../../ui/format.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import classes from './agreements.module.css';

const keyQuery = {
  queryKey: ['agreement', 'key'],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.agreementText.signingKey(undefined, { signal }),
};
const MOST_BYTES = 64 * 1024;

/** The certificate that one's own company's PDFs are signed with (BEY-15). */
export default function SignatureTab() {
  const user = useUser();
  const cache = useQueryClient();
  const mayWrite = useMay('owner.write') && !user.in_view_mode;
  const query = useQuery(keyQuery);
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The certificate could not be loaded"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SectionSkeleton fields={2} />;
  const key = query.data.data;
  const changed = () => cache.invalidateQueries({ queryKey: keyQuery.queryKey });
  const drop = async () => {
    const isSure = await confirm({
      title: 'Stop signing with your own certificate?',
      body: 'New PDFs are signed with a certificate made here. Files that are signed already stay valid.',
      verb: 'Stop',
      danger: true,
    });
    if (!isSure) return;
    try {
      const { message } = await api.agreementText.dropKey(undefined);
      notifyDone(message);
    } catch (error) {
      notifyFailed(error);
    }
    await changed();
  };
  return (
    <Stack gap="lg" maw={820}>
      <FormSection
        title="Certificate"
        line={
          <>
            Signed agreements carry this certificate, and anyone can check a file at{' '}
            <Link to={'/verify' as '/'}>/verify</Link>. A PDF viewer may call a certificate that was made here
            unknown. It still shows whether the file was changed.
          </>
        }
      >
        {key ? (
          <>
            <dl className={classes.facts}>
              <dt>Name</dt>
              <dd>{key.subject}</dd>
              <dt>Origin</dt>
              <dd>{key.kind === 'made' ? 'Made here' : 'Your own P12 file'}</dd>
              <dt>SHA-256</dt>
              <dd>{key.fingerprint}</dd>
              <dt>Valid until</dt>
              <dd>{exactTime(key.valid_until, user.time_zone)}</dd>
            </dl>
            <Group mt="md">
              <Button
                variant="default"
                onClick={() =>
                  save(new Blob([key.certificate], { type: 'application/x-pem-file' }), 'certificate.pem')
                }
              >
                Download certificate
              </Button>
              {key.kind === 'brought' && mayWrite && (
                <Button variant="default" onClick={() => void drop()}>
                  Stop using your own
                </Button>
              )}
            </Group>
          </>
        ) : (
          <Text size="sm">A certificate is made when the first agreement is signed.</Text>
        )}
      </FormSection>
      {mayWrite && <Bring onDone={changed} />}
    </Stack>
  );
}

function Bring({ onDone }: { onDone: () => Promise<void> }) {
  const [file, setFile] = useState<File | null>(null);
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const bring = async () => {
    if (!file) return setFault('Choose a P12 file.');
    if (file.size > MOST_BYTES) return setFault('The file must not exceed 64 KB.');
    setBusy(true);
    setFault(undefined);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const p12 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
      const { message } = await api.agreementText.bringKey({ p12, password });
      notifyDone(message);
      setFile(null);
      setPassword('');
      await onDone();
    } catch (error) {
      setFault(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <FormSection
      title="Your own certificate"
      line="A P12 file (PKCS #12) with an RSA key, such as one from a certificate authority. It is stored encrypted."
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void bring();
        }}
      >
        <Stack gap="md" maw={420}>
          <FileInput
            label="P12 file"
            accept=".p12,.pfx,application/x-pkcs12"
            placeholder="Choose file"
            value={file}
            onChange={setFile}
            error={fault}
          />
          <PasswordInput
            label="Password of the file"
            autoComplete="off"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <div>
            <Button type="submit" loading={isBusy}>
              Use this certificate
            </Button>
          </div>
        </Stack>
      </form>
    </FormSection>
  );
}
