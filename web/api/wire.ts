import type { CallTable } from '../build/routes.ts';
import { ApiError } from './errors.ts';

type Names = Readonly<Record<string, string>>;
const named = (names: Names, name: string): string => (Object.hasOwn(names, name) ? names[name]! : name);

/** Turns the names of the wire into those inside, and back (contract/wire.ts). */
export class Wire {
  readonly #table: CallTable;
  readonly #open: ReadonlySet<string>;
  readonly #naming: ReadonlySet<string>;
  readonly #sent = new Map<string, Names>();
  constructor(table: CallTable) {
    this.#table = table;
    this.#open = new Set(table.open.flatMap((name) => [name, named(table.names, name)]));
    this.#naming = new Set(table.naming.flatMap((name) => [name, named(table.names, name)]));
  }

  /** An answer of the server with the names that its fields have inside. */
  inside<T>(answer: unknown): T {
    return this.#renamed(answer, this.#table.names) as T;
  }

  /** What is sent to a call, such as 'leads.list', with the names that its fields have there. */
  sent(call: string, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    let names = this.#sent.get(call);
    if (!names) {
      const list = this.#table.routes[call]?.[3].split(' ') ?? [];
      names = Object.fromEntries(list.map((wire) => [named(this.#table.names, wire), wire]));
      this.#sent.set(call, names);
    }
    return this.#renamed(input, names) as Record<string, unknown>;
  }

  /** A refusal that names fields as they are called inside. */
  refusal(error: ApiError): ApiError {
    const rename = (path: string): string =>
      path
        .split('.')
        .map((name) => named(this.#table.names, name))
        .join('.');
    const [field = ''] = error.message.split(': ', 1);
    const errors = Object.fromEntries(
      Object.entries(error.errors).map(([path, rules]) => [rename(path), rules]),
    );
    return new ApiError(error.status, rename(field) + error.message.slice(field.length), {
      ...error,
      errors,
    });
  }

  #renamed(value: unknown, names: Names): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#renamed(item, names));
    if (typeof value !== 'object' || value === null || value instanceof Blob) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        named(names, name),
        this.#open.has(name)
          ? part
          : this.#naming.has(name) && typeof part === 'string'
            ? named(names, part)
            : this.#renamed(part, names),
      ]),
    );
  }
}
