import { useEffect, useRef, useState } from 'react';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { upload } from '../../../api/upload.ts';
import { FileDrop, type Sending } from '../../../ui/FileDrop.tsx';
import { fileFault, type ImportJob } from './fields.ts';

/** Uploads a CSV file that is dropped or chosen, and shows the progress. */
export function UploadZone({
  kind,
  onUploaded,
}: {
  kind: ImportJob['kind'];
  onUploaded: (job: ImportJob) => void;
}) {
  const [sending, setSending] = useState<Sending>();
  const [fault, setFault] = useState<string>();
  // Leaving the page cancels the upload; the rest of an import runs on the server.
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const take = async (file: File) => {
    const wrong = fileFault(file, kind);
    setFault(wrong ?? undefined);
    if (wrong) return;
    const stop = new AbortController();
    running.current = stop;
    const { name, size } = file;
    setSending({ name, size, sent: 0, stop });
    try {
      const job = await upload<ImportJob>(
        `/identity/imports?kind=${kind}&file_name=${encodeURIComponent(name)}`,
        file,
        {
          signal: stop.signal,
          onProgress: (sent) => setSending({ name, size, sent, stop }),
        },
      );
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
    <FileDrop
      title={kind === 'signals' ? 'Drop a CSV or Parquet file here' : 'Drop a CSV file here'}
      text={`${kind === 'signals' ? 'Each row shows who looked for which keyword, where, and when.' : 'The first line names the columns.'} Email addresses can be plain or hashed (MD5, SHA-1, SHA-256). Up to 2 GiB. Nothing is imported until you review the columns.`}
      accept={`.csv,.tsv,.txt,text/csv${kind === 'signals' ? ',.parquet,.pq' : ''}`}
      sending={sending}
      fault={fault}
      onFile={(file) => void take(file)}
      onMany={() => setFault('Choose one file at a time.')}
    />
  );
}
