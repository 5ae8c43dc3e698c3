import type { Client } from '../../contract/index.ts';
import { messages } from '../../contract/messages.ts';
import type { CallTable } from '../build/routes.ts';
import { ApiError, errorOf } from './errors.ts';
import type { Session } from './session.ts';
import type { Wire } from './wire.ts';

/** Turns a JSON body into the form in which it is sent; `forget` drops cached keys after the server refused one. */
export interface Sealer {
  seal(body: unknown): Promise<unknown>;
  forget(): void;
}

export interface TransportParts {
  base: string;
  routes: CallTable['routes'];
  wire: Wire;
  fetch: typeof globalThis.fetch;
  session: Session;
  sealer?: Sealer;
  headers?: () => Record<string, string>;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

type Input = Record<string, unknown> | undefined;

/** Sends requests with the bearer token and renews it once if the server says that it has expired. */
export class Transport {
  readonly #parts: TransportParts;
  #ask: ((how: string) => Promise<boolean>) | undefined;
  #asking: Promise<boolean> | undefined;
  #lead: (() => void) | undefined;
  constructor(parts: TransportParts) {
    this.#parts = parts;
  }

  /** Sets `ask` to be called when the server wants the user to confirm their identity; it returns whether they did. */
  askWith(ask: (how: string) => Promise<boolean>): void {
    this.#ask = ask;
  }

  /** Sets `lead` to be called when the server refuses everything until a second factor is set up. */
  onFactorMissing(lead: () => void): void {
    this.#lead = lead;
  }

  /** Asks once for all waiting calls. @throws the refusal if the user did not confirm */
  async #confirmed(refusal: ApiError): Promise<void> {
    this.#asking ??= this.#ask?.(refusal.errors.confirm?.join(',') ?? '').finally(() => {
      this.#asking = undefined;
    });
    if (!(await this.#asking)) throw refusal;
  }

  /**
   * Sends one request to a path below the base with the session's token: for uploads and other plain routes. A 401 (or
   * 'Unauthenticated.') renews the token once and resends the request once (spec product 4, Session); so does a refusal
   * that asks the user to confirm their identity, once they have done so.
   * @throws ApiError for every unsuccessful response and when there is none
   */
  async authorized(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      return await this.#asPerson(path, init);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
      if (error.errors.second_factor) this.#lead?.();
      if (!error.errors.confirm) throw error;
      await this.#confirmed(error);
      return this.#asPerson(path, init);
    }
  }

  async #asPerson(path: string, init: RequestInit): Promise<Response> {
    const { session } = this.#parts;
    const token = session.token ?? (await session.fresh());
    try {
      return await this.#send(path, init, token);
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      return this.#send(path, init, await session.fresh(token));
    }
  }

  /** The same without a token: for calls that do not require signing in. */
  async open(path: string, init: RequestInit = {}): Promise<Response> {
    return this.#send(path, init, undefined);
  }

  /**
   * One call of the contract: parameters of the path from the input, the rest as query (GET) or sealed JSON body.
   * Input and answer have the names that fields have inside.
   * @throws Error naming a missing path parameter, before anything is sent (WIRE-03)
   */
  async call(name: string, input: Input, options: CallOptions = {}): Promise<unknown> {
    const entry = this.#parts.routes[name];
    if (!entry) throw new Error(`Unknown call: ${name}.`);
    const [method, template, isOpen] = entry;
    const { sealer, wire } = this.#parts;
    const { path, rest } = fillPath(name, template, wire.sent(name, input ?? {}));
    const send = isOpen ? this.open.bind(this) : this.authorized.bind(this);
    const signal = options.signal ? { signal: options.signal } : {};
    const read = async (response: Response) =>
      response.status === 204 ? undefined : wire.inside(await response.json());
    if (method === 'GET') return read(await send(path + queryOf(rest), { method, ...signal }));

    const withBody = async () => {
      if (method === 'DELETE' && Object.keys(rest).length === 0) return { method, ...signal };
      const body = JSON.stringify(sealer ? await sealer.seal(rest) : rest);
      return { method, body, headers: { 'Content-Type': 'application/json' }, ...signal };
    };
    try {
      return await read(await send(path, await withBody()));
    } catch (error) {
      // The server no longer has the key we sealed for: get the current one and try once more.
      if (!sealer || !(error instanceof ApiError) || error.status !== 400 || !error.errors.dt) throw error;
      sealer.forget();
      return read(await send(path, await withBody()));
    }
  }

  async #send(path: string, init: RequestInit, token: string | undefined): Promise<Response> {
    const { base, fetch, headers, wire } = this.#parts;
    const all = new Headers(init.headers);
    for (const [name, value] of Object.entries(headers?.() ?? {})) all.set(name, value);
    if (token) all.set('Authorization', `Bearer ${token}`);
    let response: Response;
    try {
      response = await fetch(base + path, { ...init, headers: all, credentials: 'same-origin' });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw new ApiError(0, 'No response from the server. Check your connection and try again.', { cause });
    }
    if (!response.ok) throw wire.refusal(await errorOf(response));
    return response;
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.message === messages.unauthenticated);
}

function fillPath(name: string, template: string, input: Record<string, unknown>) {
  const rest: Record<string, unknown> = { ...input };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    const value = input[key];
    delete rest[key];
    if (value === undefined || value === null || value === '') throw new Error(`${name}: ${key} is missing.`);
    return encodeURIComponent(String(value));
  });
  return { path, rest };
}

/** '?a=1&b=2' from the values that are set; empty if none are. */
export function queryOf(values: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== null && value !== '') query.append(key, String(value));
  }
  const text = query.toString();
  return text && `?${text}`;
}

/** The contract's calls over a transport: `client.leads.list({ page: 2 }, { signal })`. */
export function clientOf(transport: Transport): Client {
  return new Proxy({} as Client, {
    get: (_, feature) =>
      typeof feature === 'string' &&
      feature !== 'then' &&
      new Proxy(
        {},
        {
          get: (_none, call) =>
            typeof call === 'string' &&
            call !== 'then' &&
            ((input?: Input, options?: CallOptions) => transport.call(`${feature}.${call}`, input, options)),
        },
      ),
  });
}
