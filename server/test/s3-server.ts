import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

const ID = 'TESTKEY';
const SECRET = 'test-secret';
const REGION = 'eu-test-1';
const BUCKET = 'lead-files';

/**
 * A server that speaks as much of S3's protocol as files need: objects, uploads in parts, and signatures (SigV4), which
 * it verifies over the headers, the query, and the body.
 */
export async function startS3() {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  const asked: string[] = [];
  let state: 'fine' | 'refusing' | 'cutting' = 'fine';

  const isSigned = (request: IncomingMessage, body: Buffer): boolean => {
    const [, id, day, region, names = '', given = ''] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/.exec(
        request.headers.authorization ?? '',
      ) ?? [];
    if (id !== ID || region !== REGION) return false;
    const hash = String(request.headers['x-amz-content-sha256']);
    if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) return false;
    const url = new URL(request.url!, 'http://s3');
    const query = [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&');
    const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
    const canonical = [request.method, url.pathname, query, headers.join(''), names, hash].join('\n');
    const scope = `${day}/${region}/s3/aws4_request`;
    const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
    const key = ['s3', 'aws4_request'].reduce(
      (made, part) => hmac(made, part),
      hmac(hmac(`AWS4${SECRET}`, day!), region),
    );
    return timingSafeEqual(Buffer.from(given), Buffer.from(hmac(key, text).toString('hex')));
  };

  const answer = (
    response: ServerResponse,
    status: number,
    xml = '',
    headers: Record<string, string> = {},
  ): ServerResponse => {
    response.writeHead(status, { 'content-type': 'application/xml', ...headers });
    return response.end(xml && `<?xml version="1.0" encoding="UTF-8"?>${xml}`);
  };
  const refuse = (response: ServerResponse, status: number, code: string): ServerResponse =>
    answer(response, status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);

  function handle(request: IncomingMessage, response: ServerResponse, body: Buffer): unknown {
    const url = new URL(request.url!, 'http://s3');
    const [, bucket, ...path] = decodeURIComponent(url.pathname).split('/');
    const key = path.join('/');
    const of = (name: string) => url.searchParams.get(name);
    const { method } = request;
    asked.push(`${method} ${key}`);
    if (state === 'refusing') return refuse(response, 503, 'SlowDown');
    if (!isSigned(request, body)) return refuse(response, 403, 'SignatureDoesNotMatch');
    if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket');
    if (method === 'GET' && of('list-type') === '2') {
      // Two a page, so that every list has several.
      const all = [...objects.keys()].filter((one) => one.startsWith(of('prefix') ?? '')).sort();
      const from = Number(of('continuation-token') ?? 0);
      const contents = all.slice(from, from + 2).map((one) => `<Contents><Key>${one}</Key></Contents>`);
      const next = from + 2 < all.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : '';
      return answer(response, 200, `<ListBucketResult>${contents.join('')}${next}</ListBucketResult>`);
    }
    if (!key) return answer(response, 200);
    const object = objects.get(key);
    if (method === 'POST' && of('uploads') !== null) {
      const id = `upload-${uploads.size + 1}`;
      uploads.set(id, new Map());
      return answer(
        response,
        200,
        `<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    const parts = uploads.get(of('uploadId') ?? '');
    if (method === 'PUT' && of('partNumber')) {
      parts!.set(Number(of('partNumber')), body);
      return answer(response, 200, '', { etag: `"${sha256(body)}"` });
    }
    if (method === 'POST' && parts) {
      const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, n]) =>
        Number(n),
      );
      objects.set(key, Buffer.concat(numbers.map((number) => parts.get(number)!)));
      uploads.delete(of('uploadId')!);
      return answer(
        response,
        200,
        `<CompleteMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`,
      );
    }
    if (method === 'DELETE' && of('uploadId')) {
      uploads.delete(of('uploadId')!);
      return answer(response, 204);
    }
    if (method === 'PUT') {
      objects.set(key, body);
      return answer(response, 200, '', { etag: `"${sha256(body)}"` });
    }
    if (method === 'DELETE') {
      objects.delete(key);
      return answer(response, 204);
    }
    if (!object) return method === 'HEAD' ? answer(response, 404) : refuse(response, 404, 'NoSuchKey');
    response.writeHead(200, {
      'content-length': String(object.length),
      'content-type': 'application/octet-stream',
    });
    if (method === 'HEAD') return response.end();
    if (state === 'cutting')
      return response.write(object.subarray(0, object.length / 2), () => response.destroy());
    return response.end(object);
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, response, Buffer.concat(chunks)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    objects,
    /** Uploads in parts that are not complete. */
    uploads,
    /** Method and key of each request. */
    asked,
    set(next: typeof state): void {
      state = next;
    },
    settings: {
      bucket: BUCKET,
      region: REGION,
      endpoint,
      prefix: 'leads/',
      credentials: { accessKeyId: ID, secretAccessKey: SECRET },
    },
    /** The same as variables of a process. */
    env: {
      S3_BUCKET: BUCKET,
      S3_REGION: REGION,
      S3_ENDPOINT: endpoint,
      S3_PREFIX: 'leads/',
      S3_ACCESS_KEY_ID: ID,
      S3_SECRET_ACCESS_KEY: SECRET,
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
