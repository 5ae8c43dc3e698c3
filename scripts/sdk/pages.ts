/** A page of a list, as the client returns it. */
interface Page<T> {
  data?: { data: T[]; next_cursor: string | null } | undefined;
  error?: unknown;
}

/**
 * Reads a list to its end, page by page: `for await (const lead of pages((cursor) => listLeads({ client, query: { cursor } })))`.
 * Throws the problem that the API returned, if it refuses a page.
 */
export async function* pages<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    if (!page.data) throw page.error;
    yield* page.data.data;
    cursor = page.data.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
