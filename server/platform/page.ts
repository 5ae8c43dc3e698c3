/** The envelope of a paged list (contract/primitives.ts, Page). */
export function page<T>(data: T[], total: number, asked: { page: number; per_page: number }) {
  const from = data.length ? (asked.page - 1) * asked.per_page + 1 : null;
  return {
    data,
    current_page: asked.page,
    last_page: Math.max(1, Math.ceil(total / asked.per_page)),
    per_page: asked.per_page,
    total,
    from,
    to: from === null ? null : from + data.length - 1,
  };
}
