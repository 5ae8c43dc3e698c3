import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthClient } from './oauth.ts';
import type { Credentials, Customer } from './port.ts';

/** A request as a stub sees it. */
export interface StubRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  text: string;
  /** The body as JSON; undefined if it is none. */
  json: unknown;
  form: URLSearchParams;
}

export interface StubAnswer {
  status: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
}

/** A record that a stub holds: a contact, a row, a message. */
export interface StubRecord {
  id: string;
  /** By the vendor's target fields, as far as they arrived. */
  fields: Record<string, string>;
}

/** The sign-in of a stub: its page, and tokens that are renewed. */
export interface OAuthStub {
  /** What the platform is registered as. */
  client: OAuthClient;
  /** Answers the page and the calls for tokens; undefined for any other request. */
  handle(request: StubRequest): StubAnswer | undefined;
  /** Whether a request has a token that is good. */
  accepts(request: Pick<StubRequest, 'headers'>): boolean;
  /** Access tokens given so far are no longer good. */
  expire(): void;
  /** The person takes their permission back. */
  revoke(): void;
  /** How often a token was renewed. */
  renewals(): number;
}

/**
 * A small server that speaks a vendor's calls, with the vendor's own rules about what is refused and what overwrites
 * what. The contract suite runs against it, and the demo shows it as a page.
 */
export interface Stub {
  /** Credentials that it accepts; `base` is its own address. */
  credentials(base: string): Credentials;
  /** Settings that a destination needs here, such as the id of a list that exists. */
  settings: Readonly<Record<string, string>>;
  handle(request: StubRequest): StubAnswer;
  records(): StubRecord[];
  /** Has someone be a customer, if the vendor lists them. */
  addCustomer?(customer: Customer): void;
  /** Deletes a record, as a person at the vendor would. */
  remove(id: string): void;
  /** From now on the credentials are refused. */
  revoke(): void;
  /** Where a person can sign in instead. */
  signIn?: OAuthStub;
}

/** A stub behind a port of this machine, with switches for what goes wrong. */
export interface RunningStub {
  base: string;
  /** host:port, to be allowed as an address of outgoing requests. */
  host: string;
  requests: StubRequest[];
  /** Carries out the next request that changes something, then drops the connection without a response. */
  loseNextAnswer(): void;
  /** Answers the next `times` requests like this, without carrying them out. */
  answerNext(answer: StubAnswer, times?: number): void;
  stop(): Promise<void>;
}

/** Starts a stub on a free port of this machine. */
export async function startStub(stub: Stub, name: string): Promise<RunningStub> {
  const requests: StubRequest[] = [];
  let losing = false;
  let instead: { answer: StubAnswer; times: number } | undefined;
  const server: Server = createServer((incoming, reply) => {
    void requestOf(incoming).then((request) => {
      requests.push(request);
      if (instead && instead.times > 0) {
        instead.times--;
        return send(instead.answer);
      }
      const before = JSON.stringify(stub.records());
      const answer = stub.signIn?.handle(request) ?? stub.handle(request);
      if (losing && JSON.stringify(stub.records()) !== before) {
        losing = false;
        return void incoming.socket.destroy();
      }
      send(answer);
    });
    function send({ status, headers, json, text }: StubAnswer) {
      const body = text ?? (json === undefined ? '' : JSON.stringify(json));
      const type = text === undefined ? 'application/json' : 'text/html';
      reply.writeHead(status, { 'content-type': type, ...headers }).end(body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `${name}.localhost:${(server.address() as AddressInfo).port}`;
  return {
    base: `http://${host}`,
    host,
    requests,
    loseNextAnswer: () => {
      losing = true;
    },
    answerNext: (answer, times = 1) => {
      instead = { answer, times };
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function requestOf(incoming: IncomingMessage): Promise<StubRequest> {
  let text = '';
  for await (const part of incoming.setEncoding('utf8')) text += part;
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  return stubRequest(incoming.method ?? 'GET', incoming.url ?? '/', headers, text);
}

/** A request in the form that stubs take. */
export function stubRequest(
  method: string,
  url: string,
  headers: Record<string, string>,
  text: string,
): StubRequest {
  const { pathname, searchParams } = new URL(url, 'http://stub');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {}
  return {
    method,
    path: pathname,
    query: searchParams,
    headers,
    text,
    json,
    form: new URLSearchParams(text),
  };
}
