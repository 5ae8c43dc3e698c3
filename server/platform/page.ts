/** The envelope of a paged list (contract/primitives.ts, Page). */
export function page<T>(data: T[], total: number, asked: { Page: number; PerPage: number }) {
  const from = data.length ? (asked.Page - 1) * asked.PerPage + 1 : null;
  return {
    data,
    current_page: asked.Page,
    last_page: Math.max(1, Math.ceil(total / asked.PerPage)),
    per_page: asked.PerPage,
    total,
    from,
    to: from === null ? null : from + data.length - 1,
  };
}
