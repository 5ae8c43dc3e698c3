import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { AnyContractProcedure } from '@orpc/contract';
import type { FastifyReply } from 'fastify';
import type { Permission } from '../../../contract/accounts/permissions.ts';
import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import { toWire } from '../../../contract/wire-schema.ts';
import { CSV_BOM, type CsvCell, csvLine } from '../csv.ts';
import { checkInput } from './input.ts';
import type { PlainRoute } from './routes.ts';
import type { AnyHandler } from './server.ts';
import { insideOf, onWire } from './wire.ts';

/** Rows requested from a list at a time: most lists then need one statement, and cannot change in between. */
const STEP = 5000;
/** Maximum rows of a file. Larger ones are refused, never truncated: a truncated file looks complete. */
export const MOST_ROWS = 100_000;

/** Characters sent at a time: a line each would cost more to send than to make. */
const PIECE = 32_768;

/**
 * Joins lines into pieces, and lets other requests have their turn between two of them: fifty files that are sent at
 * once must not keep anyone from a short answer.
 */
export async function* inPieces(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += line;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
    await setImmediate();
  }
  if (piece) yield piece;
}

/** Responds with a CSV file, sending its lines as they are made. `rows` is reported to the screen, if known. */
export function sendCsv(
  reply: FastifyReply,
  name: string,
  lines: AsyncIterable<string> | Iterable<string>,
  rows?: number,
): FastifyReply {
  if (rows !== undefined) void reply.header('X-Total-Count', String(rows));
  return reply
    .header('Content-Disposition', `attachment; filename="${name}"`)
    .header('Cache-Control', 'no-store')
    .type('text/csv; charset=utf-8')
    .send(Readable.from(inPieces(lines)));
}

/** A column of a file: its fixed title, and a row's cell. */
export type ExportColumn<Row> = readonly [title: string, cell: (row: Row) => CsvCell];

/** A list that can be downloaded. */
export interface ExportList {
  /** The last part of its address: /api/export/<name>. */
  name: string;
  /** The list's endpoint: who may call it, and with what input. */
  call: AnyContractProcedure;
  /** The file name, before the date. */
  fileName: (asked: unknown) => string;
  columns: (asked: unknown) => readonly ExportColumn<unknown>[];
  rows: (answer: unknown) => readonly unknown[];
  /** Rows requested from the list at a time; STEP if omitted. For a list whose rows can be very large. */
  step?: number;
}

interface Answer {
  total?: unknown;
  next_cursor?: string | null;
}

/**
 * The route that downloads a list: the rows that its endpoint returns for the same search, sort, and filter, on all
 * pages, with the same permission and the same fields. Requires a one-use token.
 */
export function exportRoute(
  list: ExportList,
  handlerOf: (call: AnyContractProcedure) => AnyHandler,
): PlainRoute {
  const { inputSchema, outputSchema, meta, route } = list.call['~orpc'];
  const { access, notInView } = meta as { access: Permission; notInView?: true };
  return {
    method: 'GET',
    url: `/api/export/${list.name}`,
    access: 'download',
    permission: access,
    ...(notInView ? { notInView } : {}),
    tag: 'Exports',
    summary: `Returns all pages of GET ${route.path} for the same query as CSV (requires a single-use token)`,
    async handler(ctx, request, reply) {
      const { token: _used, ...query } = request.query as Record<string, unknown>;
      // The page shown on the screen, and its size, do not apply to the file.
      const asked = inputSchema
        ? ((await checkInput(inputSchema, {
            ...query,
            ...(toWire(inputSchema, { page: 1, per_page: 100 }) as object),
          })) as object)
        : undefined;
      const handler = handlerOf(list.call);
      const step = list.step ?? STEP;
      const read = async (more: object): Promise<{ rows: readonly unknown[] } & Answer> => {
        const output = await onWire(inputSchema, () =>
          handler(ctx, (asked && { ...asked, ...more }) as never),
        );
        const answer = outputSchema ? await insideOf(outputSchema, output) : output;
        return { ...(answer as Answer), rows: list.rows(answer) };
      };
      // Read before anything is sent, so that a refusal is returned as one.
      const first = await read({ page: 1, per_page: step });
      const total = typeof first.total === 'number' ? first.total : undefined;
      if ((total ?? first.rows.length) > MOST_ROWS)
        throw new Refusal('invalid', ownMessages.tooMuchToExport(MOST_ROWS));
      const columns = list.columns(asked);
      async function* lines(): AsyncGenerator<string> {
        yield CSV_BOM + csvLine(columns.map(([title]) => title));
        let answer = first;
        for (let page = 1; ; page++) {
          for (const row of answer.rows) yield csvLine(columns.map(([, cell]) => cell(row)));
          const cursor = answer.next_cursor;
          if (cursor) answer = await read({ cursor, per_page: step });
          else if (total === undefined || page * step >= total || answer.rows.length === 0) return;
          else answer = await read({ page: page + 1, per_page: step });
        }
      }
      const day = ctx.clock.now().toISOString().slice(0, 10);
      const count = first.next_cursor ? undefined : (total ?? first.rows.length);
      return sendCsv(reply, `${list.fileName(asked)}-${day}.csv`, lines(), count);
    },
  };
}
