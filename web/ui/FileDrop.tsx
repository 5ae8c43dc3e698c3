import { Button, Progress, Text } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import classes from './FileDrop.module.css';
import { Notice } from './Notice.tsx';

/** A file being uploaded: how many of how many bytes have been sent. */
export interface Sending {
  name: string;
  size: number;
  sent: number;
  stop: AbortController;
}

/** Formats bytes: '512 bytes', '1.4 MB'. */
export function bytesWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB'];
  const at = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** at).toFixed(1)} ${units[at - 1]}`;
}

/** Accepts one file by drop or selection, and shows its progress or why it was refused. */
export function FileDrop(props: {
  title: string;
  text: ReactNode;
  /** The types offered by the browser's file picker: '.csv,text/csv'. */
  accept: string;
  sending: Sending | undefined;
  fault: string | undefined;
  onFile: (file: File) => void;
  /** Called if more than one file was dropped. */
  onMany: () => void;
}) {
  const { sending, fault } = props;
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    if (!files?.[0] || sending) return;
    if (files.length > 1) props.onMany();
    else props.onFile(files[0]);
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
        take(event.dataTransfer.files);
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
            {bytesWords(Math.min(sending.sent, sending.size))} of {bytesWords(sending.size)}
            {sending.sent >= sending.size && ', being checked'}
          </Text>
          <Button variant="default" mt="sm" onClick={() => sending.stop.abort()}>
            Stop
          </Button>
        </div>
      ) : (
        <>
          <IconFileUpload size={32} stroke={1.4} color="var(--mantine-color-dimmed)" aria-hidden="true" />
          <Text fw={500}>{props.title}</Text>
          <Text size="sm" c="dimmed" maw={480}>
            {props.text}
          </Text>
          <input
            ref={picker}
            type="file"
            accept={props.accept}
            hidden
            data-testid="file"
            onChange={(event) => {
              take(event.currentTarget.files);
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
