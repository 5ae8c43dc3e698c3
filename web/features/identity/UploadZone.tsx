import { Button, Progress, Text } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError, wordsOf } from '../../api/errors.ts';
import { upload } from '../../api/upload.ts';
import { Notice } from '../../ui/Notice.tsx';
import { bytesWords, fileFault, type ImportJob } from './fields.ts';
import classes from './identity.module.css';

interface Sending {
  name: string;
  size: number;
  sent: number;
  stop: AbortController;
}

/** Takes a CSV file by drop or choice and uploads it, telling how far it is. */
export function UploadZone({ onUploaded }: { onUploaded: (job: ImportJob) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [sending, setSending] = useState<Sending>();
  const [fault, setFault] = useState<string>();
  // Who leaves the page takes the upload with them; the rest of an import lives on the server.
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const take = async (files: FileList | null) => {
    const file = files?.[0];
    if (!file || sending) return;
    const wrong = files.length > 1 ? 'Choose one file at a time.' : fileFault(file);
    setFault(wrong ?? undefined);
    if (wrong) return;
    const stop = new AbortController();
    running.current = stop;
    const { name, size } = file;
    setSending({ name, size, sent: 0, stop });
    try {
      const job = await upload<ImportJob>(`/identity/imports?file_name=${encodeURIComponent(name)}`, file, {
        signal: stop.signal,
        onProgress: (sent) => setSending({ name, size, sent, stop }),
      });
      onUploaded(job);
    } catch (error) {
      const rules = error instanceof ApiError ? error.errors.file?.join(' ') : undefined;
      if (!stop.signal.aborted) setFault(rules ?? wordsOf(error));
    } finally {
      running.current = undefined;
      setSending(undefined);
    }
  };

  return (
    <section
      aria-label="Upload"
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!sending);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files);
      }}
    >
      {sending ? (
        <div style={{ width: '100%', maxWidth: 480 }}>
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            Uploading {sending.name}
          </Text>
          <Progress
            my="sm"
            value={(100 * sending.sent) / sending.size}
            aria-label={`Upload of ${sending.name}`}
            transitionDuration={100}
          />
          <Text size="sm" c="dimmed" className="num">
            {bytesWords(sending.sent)} of {bytesWords(sending.size)}
            {sending.sent >= sending.size && ', being looked at'}
          </Text>
          <Button variant="default" mt="sm" onClick={() => sending.stop.abort()}>
            Stop
          </Button>
        </div>
      ) : (
        <>
          <IconFileUpload size={32} stroke={1.4} color="var(--mantine-color-dimmed)" aria-hidden="true" />
          <Text fw={500}>Drop a CSV file here</Text>
          <Text size="sm" c="dimmed" maw={480}>
            The first line names the columns. E-mail addresses may be plain or hashed (MD5, SHA-1, SHA-256).
            At most 2 GiB; nothing is imported before you have seen the columns.
          </Text>
          <input
            ref={picker}
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            hidden
            data-testid="file"
            onChange={(event) => {
              void take(event.currentTarget.files);
              event.currentTarget.value = '';
            }}
          />
          <Button variant="default" mt="xs" onClick={() => picker.current?.click()}>
            Choose file
          </Button>
        </>
      )}
      {fault && (
        <div style={{ width: '100%', maxWidth: 560, textAlign: 'left' }}>
          <Notice tone="bad" live="alert" title="Not uploaded">
            {fault}
          </Notice>
        </div>
      )}
    </section>
  );
}
