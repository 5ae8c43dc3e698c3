import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { strToU8, zipSync } from 'fflate';

export type DropStub = Awaited<ReturnType<typeof startDropStub>>;

interface Entry {
  id: string;
  hash: string;
}
/** What a download holds: entries by list, and those that were withdrawn. */
export interface StubLists {
  lists: Record<string, Entry[]>;
  removed?: (Entry & { list: string })[];
}

const KEY = 'drop-test-key';
const BROKER = '4821';

/**
 * A small server that speaks the calls of California's service (API 1.2.0) with its rules: an archive is prepared first,
 * given once, and must be answered row by row before the next one; names of files are used once; columns are exact.
 */
export async function startDropStub() {
  /** Downloads to come, the next one first. */
  const coming: StubLists[] = [];
  /** What was answered, and corrected, by list and ID. */
  const answers = new Map<string, number>();
  const known = new Set<string>();
  const names = new Set<string>();
  let open: { base: string; waiting: Map<string, Set<string>> } | null = null;
  let isPrepared = false;
  let serial = 0;
  /** What goes wrong on purpose. */
  const faults = { status: 0, loseAnswer: false };
  const requests: string[] = [];

  const csv = (header: string, rows: string[]) => strToU8([header, ...rows, ''].join('\r\n'));

  function archive(next: StubLists): { base: string; bytes: Uint8Array } {
    const base = `202603${String(++serial).padStart(2, '0')}_${BROKER}`;
    const files: Record<string, Uint8Array> = {};
    const waiting = new Map<string, Set<string>>();
    for (const [list, entries] of Object.entries(next.lists)) {
      files[`${base}_${list}.csv`] = csv(
        'ID,Hash',
        entries.map((one) => `${one.id},${one.hash}`),
      );
      waiting.set(list, new Set(entries.map((one) => one.id)));
      for (const one of entries) known.add(`${list} ${one.id}`);
    }
    if (next.removed)
      files[`${base}_Removed.csv`] = csv(
        'ID,Hash,ListType',
        next.removed.map((one) => `${one.id},${one.hash},${one.list}`),
      );
    open = { base, waiting };
    names.clear();
    return { base, bytes: zipSync(files) };
  }

  /** Why a file is refused, or what it says. */
  function read(
    name: string,
    text: string,
    amend: boolean,
  ): string | [list: string, id: string, status: number][] {
    const [, base, list] = /^(\d{8}_\d{4})_([A-Za-z]+)(?:_[A-Za-z0-9]{1,10})?\.csv$/.exec(name) ?? [];
    if (!list || (!amend && base !== open?.base)) return 'The file name does not match a downloaded file.';
    if (names.has(name))
      return 'A file with this name was already uploaded for the current download. Use a unique suffix and try again';
    const [header, ...lines] = text.split(/\r?\n/).filter(Boolean);
    if (header !== 'Id,Status') return 'Invalid CSV header. Expected: Id,Status.';
    const rows = lines.map((line): [string, string, number] => {
      const [id = '', status = ''] = line.split(',');
      return [list, id, Number(status)];
    });
    const bad = rows.find(([, id, status]) => !known.has(`${list} ${id}`) || ![2, 3, 4, 5].includes(status));
    return bad ? `The row of ${bad[1]} is not valid.` : rows;
  }

  const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  };

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const path = new URL(request.url ?? '/', 'http://stub').pathname;
    requests.push(`${request.method} ${path}`);
    const tell = (status: number, told: object, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(told));
    };
    if (faults.status) return tell(faults.status, { message: 'On purpose.' }, { 'retry-after': '30' });
    if (request.headers['x-api-key'] !== KEY)
      return tell(401, {
        message: 'API key is missing or invalid. Fix or regenerate the API key and try again.',
      });
    if (request.method === 'GET' && path === '/data/download') {
      if (open) return tell(409, { message: 'Complete the current batch or contact DROP support.' });
      const next = coming[0];
      if (!next)
        return tell(200, { message: 'No new consumer request data or removed identifiers are available.' });
      if (!isPrepared) {
        isPrepared = true;
        return tell(202, { message: 'No download package is available yet.' }, { 'retry-after': '60' });
      }
      isPrepared = false;
      coming.shift();
      const { base, bytes } = archive(next);
      if ([...open!.waiting.values()].every((ids) => ids.size === 0)) open = null;
      response.writeHead(200, {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${base}_DROP.zip"`,
      });
      return response.end(bytes);
    }
    const amend = path === '/data/amend';
    if (request.method !== 'POST' || !(amend || path === '/data/upload'))
      return tell(404, { message: 'The requested endpoint was not found.' });
    if (!amend && !open) return tell(409, { message: 'No active download is waiting for responses.' });
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const accepted: { fileName: string; fileSizeBytes: number }[] = [];
    const rejected: { fileName: string; message: string }[] = [];
    for (const file of form.getAll('files') as File[]) {
      const rows = read(file.name, await file.text(), amend);
      if (typeof rows === 'string') {
        rejected.push({ fileName: file.name, message: rows });
        continue;
      }
      names.add(file.name);
      accepted.push({ fileName: file.name, fileSizeBytes: file.size });
      for (const [list, id, status] of rows) {
        answers.set(`${list} ${id}`, status);
        open?.waiting.get(list)?.delete(id);
      }
    }
    if (open && [...open.waiting.values()].every((ids) => ids.size === 0)) open = null;
    if (faults.loseAnswer) {
      faults.loseAnswer = false;
      return response.destroy();
    }
    return tell(accepted.length > 0 ? 202 : 400, {
      message: 'Upload received.',
      acceptedCount: accepted.length,
      rejectedCount: rejected.length,
      accepted,
      rejected,
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    key: KEY,
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    coming,
    answers,
    faults,
    requests,
    /** Whether a download waits for answers. */
    isOpen: () => open !== null,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
