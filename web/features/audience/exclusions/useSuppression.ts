import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { exclusionMessages } from '../../../../contract/audience/exclusions-messages.ts';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { upload } from '../../../api/upload.ts';
import type { Sending } from '../../../ui/FileDrop.tsx';
import { type Accepts, type Job, type Place, requestOf, type UploadState } from './model.ts';
import { createPoll } from './poll.ts';

/** The cache key of a place's lists. */
export const listsKey = (place: Place) =>
  ['exclusions', place.level, place.id, place.use ?? 'exclude'] as const;

/**
 * Handles uploads to a place's lists and the progress of running jobs (spec calls 4): requested once on opening, and 2
 * s after an upload; then every 2 s until nothing is left. Closing it stops the requests and discards the progress.
 */
export function useSuppression(place: Place) {
  const cache = useQueryClient();
  const [state, setState] = useState<UploadState>('initial');
  const [fault, setFault] = useState<string>();
  const [sending, setSending] = useState<Sending>();
  const [progress, setProgress] = useState<Job[]>([]);
  const running = useRef<AbortController>(undefined);
  const { level, id, use = 'exclude' } = place;

  const ask = useCallback(
    async (isHere: () => boolean): Promise<boolean> => {
      const { running: jobs } = await api.exclusions.jobProgress({ company_id: id, level, use });
      if (!isHere()) return false;
      setProgress(jobs);
      return jobs.length > 0;
    },
    [id, level, use],
  );
  const changed = useCallback(
    () => void cache.invalidateQueries({ queryKey: ['exclusions', level, id, use] }),
    [cache, id, level, use],
  );
  const here = useRef(true);
  const poll = useMemo(
    () =>
      createPoll(async () => {
        const isUnderWay = await ask(() => here.current);
        changed();
        return isUnderWay;
      }),
    [ask, changed],
  );
  useEffect(() => {
    here.current = true;
    // Jobs that were in progress stay on screen; a failure only means that their state is not known yet.
    void ask(() => here.current).then(
      (isUnderWay) => {
        if (isUnderWay && here.current) poll.start();
      },
      () => {},
    );
    return () => {
      here.current = false;
      poll.stop();
      running.current?.abort();
      setProgress([]);
      setState('initial');
    };
  }, [ask, poll]);

  const send = async (file: File, accepts: Accepts, given: { ignoreAliases: boolean; country: string }) => {
    setFault(undefined);
    if (!/\.csv$/i.test(file.name)) {
      setState('failed');
      setFault(exclusionMessages.csvOnly);
      return;
    }
    const stop = new AbortController();
    running.current = stop;
    const { name, size } = file;
    setState('saving');
    setSending({ name, size: Math.max(1, size), sent: 0, stop });
    try {
      const { path, body } = requestOf(place, accepts, given, file);
      await upload(path, body, {
        signal: stop.signal,
        onProgress: (sent) => setSending({ name, size: Math.max(1, size), sent, stop }),
      });
      setState('success');
      changed();
      poll.start();
    } catch (error) {
      if (stop.signal.aborted) {
        setState('initial');
        return;
      }
      setState('failed');
      setFault(faultOf(error));
    } finally {
      running.current = undefined;
      setSending(undefined);
    }
  };
  const refuse = (words: string) => {
    setState('failed');
    setFault(words);
  };
  return { state, fault, sending, progress, send, refuse, changed, forget: () => setProgress([]) };
}

/** Returns the message for a refused file: the specification's text, followed by what is wrong with the file. */
function faultOf(error: unknown): string {
  if (!(error instanceof ApiError) || error.status === 0) return exclusionMessages.failed;
  const rules = Object.values(error.errors).flat().join(' ');
  if (error.message === exclusionMessages.csvOnly) return error.message;
  return rules ? `${exclusionMessages.failed}. ${rules}` : exclusionMessages.failed;
}
