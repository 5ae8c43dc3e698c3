import type { z } from 'zod';
import { Refusal, refusalOf } from '../../../contract/errors.ts';
import { toInside } from '../../../contract/wire-schema.ts';
import { checkInput } from './input.ts';
import type { Upload } from './uploads.ts';

/** A multipart form: its texts by name, and its files' bytes and names. */
export interface Form {
  texts: Record<string, string>;
  files: Record<string, Uint8Array>;
  /** Also includes empty files, which are not among `files`. */
  fileNames: Record<string, string>;
}

/**
 * Reads a multipart form and checks its texts; fields and files have the names that they have inside.
 * @throws Refusal as readForm and checkInput
 */
export async function checkForm<S extends z.ZodType>(schema: S, request: Upload, most: number) {
  const { texts, files, fileNames } = await readForm(request, most);
  return {
    fields: await checkInput(schema, texts),
    files: toInside(schema, files) as Form['files'],
    fileNames: toInside(schema, fileNames) as Form['fileNames'],
  };
}

const PARTS = 60;
/** Limit on the headers of all parts together: browsers need about a hundred bytes for each. */
const HEADER_BYTES = 128 * 1024;

/**
 * Whether a form has few parts with short headers: the parser reads headers character by character, and an attacker
 * must not be able to keep it busy. In the parts' content it only searches for the next part. Every place where the
 * parser could begin a part counts, also within headers and contents, and only the end of the body ends the count, so
 * that no body has more for the parser than was counted here.
 */
function isSimple(body: Buffer, boundary: string): boolean {
  const delimiter = `--${boundary}`;
  let found = 0;
  let said = 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    const begin = at + delimiter.length;
    if (body.toString('latin1', begin, begin + 2) === '--') return body.length - begin <= '--\r\n'.length;
    if (++found > PARTS) return false;
    const end = body.indexOf('\r\n\r\n', begin);
    said += (end < 0 ? body.length : end) - begin;
    if (said > HEADER_BYTES) return false;
  }
  return true;
}

/**
 * Reads a multipart form of at most `most` bytes.
 * @throws Refusal 400 if it is not a multipart form, 413 if it is too large, 422 for a field that is given twice
 */
export async function readForm(request: Upload, most: number): Promise<Form> {
  const type = request.headers['content-type'] ?? '';
  const bad = new Refusal('bad_request', 'The request body must be a multipart form.');
  const [kind = '', parameter = '', ...more] = type.split(';').map((part) => part.trim());
  const [, boundary] = /^boundary="?([\w'()+,./:=?-]{1,70})"?$/i.exec(parameter) ?? [];
  if (kind.toLowerCase() !== 'multipart/form-data' || more.length > 0) throw bad;
  if (!boundary) throw bad;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > most)
      throw new Refusal(
        'too_large',
        `The form must not be larger than ${Math.floor(most / 1024 / 1024)} MB.`,
      );
    chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  }
  const body = Buffer.concat(chunks);
  if (!isSimple(body, boundary)) throw bad;
  const data = await new Response(body, {
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
  })
    .formData()
    .catch(() => {
      throw bad;
    });
  const form: Form = { texts: {}, files: {}, fileNames: {} };
  let parts = 0;
  for (const [name, value] of data) {
    if (++parts > PARTS || name === '__proto__') throw bad;
    if (name in form.texts || name in form.fileNames) throw refusalOf(name, 'is specified twice');
    if (typeof value === 'string') {
      form.texts[name] = value;
      continue;
    }
    form.fileNames[name] = value.name;
    // A file input without a file sends an empty file.
    if (value.size > 0) form.files[name] = new Uint8Array(await value.arrayBuffer());
  }
  return form;
}
