import { notifications } from '@mantine/notifications';
import { messages } from '../../contract/messages.ts';
import { api } from './client.ts';
import { ApiError, errorOf } from './errors.ts';
import { queryOf } from './transport.ts';

/**
 * Downloads a file of the API, reporting its progress in notifications. Returns whether the file arrived.
 * @param path below /api, such as '/leadspeek/report/lead/export'; `query` is appended to it
 * @param failed the message shown on failure
 */
export async function download(
  path: string,
  query: Record<string, unknown> = {},
  failed: string = messages.downloadFailed,
): Promise<boolean> {
  const id = notifications.show({ message: messages.preparingFile, loading: true, autoClose: false });
  try {
    const { url } = await api.auth.downloadToken({ path: `/api${path}${queryOf(query)}` });
    const response = await fetch(url, { credentials: 'same-origin' });
    if (!response.ok) throw await errorOf(response);
    save(await response.blob(), fileName(response) ?? path.split('/').at(-1) ?? 'file');
    notifications.update({
      id,
      ...done(response),
      color: 'green',
      loading: false,
      // The notification for a list says what it holds, which takes a moment longer to read (spec calls 9).
      autoClose: response.headers.has('X-Total-Count') ? 3000 : 2500,
    });
    return true;
  } catch (error) {
    // A refusal states its reason; any other failure says only that it failed.
    const why = error instanceof ApiError && error.status === 422 ? error.message : undefined;
    notifications.update({
      id,
      title: why && failed,
      message: why ?? failed,
      color: 'red',
      loading: false,
      autoClose: false,
    });
    return false;
  }
}

/** What a list's file contains, so that the user does not have to open it to find out. */
function done(response: Response): { title?: string; message: string } {
  const rows = response.headers.get('X-Total-Count');
  if (rows === null) return { message: messages.downloadDone };
  const entries = `${Number(rows).toLocaleString('en')} ${rows === '1' ? 'entry' : 'entries'}`;
  return { title: messages.downloadDone, message: `${entries} in ${fileName(response)}` };
}

function fileName(response: Response): string | undefined {
  const disposition = response.headers.get('Content-Disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/i.exec(disposition)?.[1];
}

/** Hands a blob to the browser as a file. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
