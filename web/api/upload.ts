import type { inputs } from '../../contract/index.ts';
import { messages } from '../../contract/messages.ts';
import { session, wire } from './client.ts';
import { ApiError, errorOf } from './errors.ts';

export interface UploadOptions {
  /** How much of the file has been sent, in bytes. */
  onProgress?: (sent: number) => void;
  signal?: AbortSignal;
}

/**
 * Sends a file as the raw body of a POST, or a form with one, reporting upload progress, which fetch cannot do. A 401
 * renews the token once and resends once.
 * @param path below /api, with its query
 * @throws ApiError for every unsuccessful response and when there is none; AbortError when `signal` fires
 */
export async function upload<Answer>(
  path: string,
  file: Blob | FormData,
  options: UploadOptions = {},
): Promise<Answer> {
  const token = session.token ?? (await session.fresh());
  try {
    return await send<Answer>(path, file, options, token);
  } catch (error) {
    const isOver =
      error instanceof ApiError && (error.status === 401 || error.message === messages.unauthenticated);
    if (!isOver) throw error;
    return send<Answer>(path, file, options, await session.fresh(token));
  }
}

/** A multipart form with what is set, under the names of the wire. */
export function formOf(
  input: `inputs.${keyof typeof inputs}`,
  values: Record<string, string | Blob | undefined>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(wire.sent(input, values)))
    if (value !== undefined) form.set(name, value as string | Blob);
  return form;
}

function send<Answer>(
  path: string,
  file: Blob | FormData,
  options: UploadOptions,
  token: string,
): Promise<Answer> {
  const { onProgress, signal } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api${path}`);
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    // A form's content type includes its boundary, which the browser sets.
    if (file instanceof Blob)
      request.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
    request.upload.addEventListener('progress', (event) => onProgress?.(event.loaded));
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) {
        resolve(wire.inside<Answer>(JSON.parse(responseText)));
        return;
      }
      const requestId = request.getResponseHeader('X-Request-Id');
      const response = new Response(responseText, {
        status,
        headers: requestId ? { 'X-Request-Id': requestId } : {},
      });
      void errorOf(response).then((error) => reject(wire.refusal(error)));
    });
    request.addEventListener('error', () =>
      reject(
        new ApiError(0, 'The upload was interrupted. Check your connection and the file, then try again.'),
      ),
    );
    request.addEventListener('abort', () => reject(new DOMException('Stopped', 'AbortError')));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    if (signal?.aborted) request.abort();
    else request.send(file);
  });
}
