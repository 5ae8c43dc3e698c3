import {
  type DeletionPlatform,
  type DropDownload,
  DropFault,
  type DropFile,
  type DropUpload,
} from '../../platform/deletion-platform.ts';
import { printable } from '../../platform/printable.ts';

/** For a whole answer: an archive can have millions of rows. */
const TIMEOUT_MS = 30 * 60_000;
/** What the service says of a file whose name it has. */
const KNOWN = /already uploaded/i;

const WORDS: Record<number, string> = {
  401: 'The API key is missing or invalid. Enter the current key of the Data Broker Portal.',
  403: 'California refuses this account. Check its registration, payment, and selected lists in the Data Broker Portal.',
  404: 'The address of the service is not known there.',
  429: 'Too many requests. It is tried again later.',
};

/**
 * California's Delete Request and Opt-out Platform by its API 1.2.0. `base` ends without a slash; for California's test
 * service it is that of the service followed by /sandbox.
 */
export function createDrop({ base, apiKey }: { base: string; apiKey: string }): DeletionPlatform {
  async function ask(path: string, init: { method: 'GET' | 'POST'; body?: FormData; accept: string }) {
    try {
      return await fetch(`${base}${path}`, {
        method: init.method,
        headers: { accept: init.accept, 'x-api-key': apiKey },
        body: init.body ?? null,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch {
      throw new DropFault('The service cannot be reached.');
    }
  }

  /** A number of seconds that the service asks to wait. */
  const wait = ({ headers }: Response, otherwise: number): number => {
    const seconds = Number(headers.get('retry-after'));
    return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 86_400) : otherwise;
  };
  async function fault(answer: Response): Promise<never> {
    await answer.body?.cancel();
    const { status } = answer;
    const words = WORDS[status] ?? `The service answered with status ${status}.`;
    throw new DropFault(words, wait(answer, status === 429 ? 30 : 3600));
  }

  return {
    async download(): Promise<DropDownload> {
      const answer = await ask('/data/download', {
        method: 'GET',
        accept: 'application/zip, application/json',
      });
      const { status, headers, body } = answer;
      if (status === 200 && body && headers.get('content-type')?.includes('zip')) {
        const name = /filename="?([^";]+)"?/.exec(headers.get('content-disposition') ?? '')?.[1] ?? '';
        return { kind: 'zip', name, bytes: body };
      }
      if (status === 200 || status === 202 || status === 409) {
        await body?.cancel();
        if (status === 202) return { kind: 'preparing', againS: wait(answer, 60) };
        return { kind: status === 200 ? 'nothing' : 'open' };
      }
      return fault(answer);
    },

    async answer(files: readonly DropFile[], amend: boolean): Promise<DropUpload | 'later'> {
      const form = new FormData();
      for (const { name, text } of files) form.append('files', new Blob([text], { type: 'text/csv' }), name);
      const answer = await ask(amend ? '/data/amend' : '/data/upload', {
        method: 'POST',
        body: form,
        accept: 'application/json',
      });
      if (answer.status === 409) {
        await answer.body?.cancel();
        // It waits for no answers: it has them all, and what it said of the last ones got lost.
        return amend ? 'later' : { accepted: files.map((file) => file.name), rejected: [] };
      }
      if (answer.status !== 202 && answer.status !== 400) return fault(answer);
      const told = (await answer.json().catch(() => ({}))) as {
        accepted?: { fileName?: unknown }[];
        rejected?: { fileName?: unknown; message?: unknown }[];
      };
      const rejected = (told.rejected ?? []).map((one) => ({
        name: String(one.fileName),
        why: printable(String(one.message), 200),
      }));
      if (!told.accepted && rejected.length === 0) throw new DropFault('The answer was not understood.');
      return {
        accepted: [
          ...(told.accepted ?? []).map((one) => String(one.fileName)),
          ...rejected.filter((one) => KNOWN.test(one.why)).map((one) => one.name),
        ],
        rejected: rejected.filter((one) => !KNOWN.test(one.why)),
      };
    },
  };
}
