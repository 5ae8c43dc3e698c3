import { oc } from '@orpc/contract';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Meta } from '../../../contract/base.ts';
import { Page, PageQuery } from '../../../contract/primitives.ts';
import { type ExportList, exportRoute, inPieces, MOST_ROWS } from './csv-file.ts';

const Row = z.object({ id: z.int(), name: z.string() });
const start = oc.$meta<Meta>({}).meta({ access: 'company.list' });
const paged = start
  .route({ method: 'GET', path: '/x' })
  .input(PageQuery.extend({ kind: z.enum(['a', 'b']) }))
  .output(Page(Row));
const list = (call: ExportList['call']): ExportList => ({
  name: 'x',
  call,
  fileName: () => 'things',
  columns: () => [
    ['ID', (row) => (row as { id: number }).id],
    ['Name', (row) => (row as { name: string }).name],
  ],
  rows: (answer) => (answer as { data: unknown[] }).data,
});

/** Downloads a list whose endpoint is answered by `answer`; returns what was requested and the result. */
async function fileOf(
  call: ExportList['call'],
  query: object,
  answer: (input: { page: number; per_page: number; cursor?: string }) => unknown,
) {
  const asked: Record<string, unknown>[] = [];
  const route = exportRoute(list(call), () => async (_ctx, input) => {
    asked.push(input);
    return answer(input);
  });
  const headers: Record<string, string> = {};
  let body: AsyncIterable<string> | undefined;
  const reply = {
    header: (name: string, value: string) => {
      headers[name] = value;
      return reply;
    },
    type: () => reply,
    send: (given: AsyncIterable<string>) => {
      body = given;
      return reply;
    },
  };
  const clock = { now: () => new Date('2026-03-10T12:00:00Z') };
  await route.handler(
    { clock } as never,
    { query: { token: 't', ...query } } as never,
    reply as never,
    undefined as never,
  );
  let text = '';
  for await (const part of body!) text += part;
  return { asked, headers, lines: text.replace(/\r\n$/, '').split('\r\n'), route };
}
const page = (total: number) => (input: { page: number; per_page: number }) => {
  const from = (input.page - 1) * input.per_page;
  const count = Math.max(0, Math.min(input.per_page, total - from));
  const data = Array.from({ length: count }, (_, i) => ({ id: from + i + 1, name: `=n${from + i + 1}` }));
  const place = { current_page: input.page, last_page: 1, per_page: input.per_page, from: 1, to: count };
  return { data, total, ...place };
};

test('a file has every page of what is asked, whatever page is shown, and its cells are no formulas', async () => {
  const given = { Page: '3', PerPage: '10', sortby: 'name', order: 'desc', kind: 'b' };
  const { asked, headers, lines, route } = await fileOf(paged, given, page(12_345));
  expect(lines).toHaveLength(12_346);
  expect(lines.slice(0, 2)).toEqual(['\ufeffID,Name', "1,'=n1"]);
  expect(lines.at(-1)).toBe("12345,'=n12345");
  expect(asked.map((one) => one.page)).toEqual([1, 2, 3]);
  for (const one of asked) expect(one).toMatchObject({ sort: 'name', order: 'desc', kind: 'b' });
  expect(headers).toMatchObject({
    'X-Total-Count': '12345',
    'Content-Disposition': 'attachment; filename="things-2026-03-10.csv"',
    'Cache-Control': 'no-store',
  });
  expect([route.access, route.permission, route.url]).toEqual(['download', 'company.list', '/api/export/x']);
});

test('an empty list is a file with its titles alone', async () => {
  const { lines, headers } = await fileOf(paged, { kind: 'a' }, page(0));
  expect([lines, headers['X-Total-Count']]).toEqual([['\ufeffID,Name'], '0']);
});

test('a wrong filter and a list that is too long are refused before anything is sent', async () => {
  await expect(fileOf(paged, { kind: 'c' }, page(1))).rejects.toMatchObject({
    errors: { kind: expect.anything() },
  });
  await expect(fileOf(paged, { kind: 'a' }, page(MOST_ROWS + 1))).rejects.toThrow(
    'more than 100,000 entries',
  );
});

test('a list by cursor is followed to its end', async () => {
  const cursored = start
    .route({ method: 'GET', path: '/x' })
    .input(z.object({ cursor: z.string().optional(), PerPage: z.coerce.number().default(25) }))
    .output(z.object({ data: z.array(Row), next_cursor: z.string().nullable() }));
  const { lines } = await fileOf(cursored, {}, ({ cursor }) => {
    const id = Number(cursor ?? 1);
    return { data: [{ id, name: `n${id}` }], next_cursor: id < 3 ? String(id + 1) : null };
  });
  expect(lines).toEqual(['\ufeffID,Name', '1,n1', '2,n2', '3,n3']);
});

test('lines are sent in pieces, and others have their turn between two of them', async () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => `${i},${'x'.repeat(20)}\r\n`);
  let turns = 0;
  let isOver = false;
  const others = (): void => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const pieces: string[] = [];
  for await (const piece of inPieces(lines)) pieces.push(piece);
  isOver = true;
  expect(pieces.join('')).toBe(lines.join(''));
  expect(pieces.length).toBeLessThan(12);
  expect(turns).toBeGreaterThanOrEqual(pieces.length - 1);
  expect(await Array.fromAsync(inPieces([]))).toEqual([]);
});
