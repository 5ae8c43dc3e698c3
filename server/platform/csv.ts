/** A byte order mark: put before the first line, it makes Excel read the file as UTF-8. */
export const CSV_BOM = '\ufeff';

/**
 * What a spreadsheet may interpret as the start of a formula, or of a cell that begins with one (;), including
 * full-width forms; leading blanks are skipped.
 */
const formula = /^[ \u00a0\u3000]*[=+\-@;\t\r\n\0\uff1d\uff0b\uff0d\uff20\uff1b]/;
const number = /^-?\d+(\.\d+)?$/;
const phone = /^\+[\d .()-]{6,24}$/;

/** What a cell may contain: dates are written as ISO 8601, null and undefined as empty. */
export type CsvCell = string | number | bigint | boolean | Date | null | undefined;

/**
 * Returns one line of a CSV file (RFC 4180, with CRLF) that no spreadsheet interprets as formulas: a text that begins
 * like one gets a leading apostrophe. Characters that a reader could take for separators (; or a tab, as spreadsheets
 * in some countries do) are quoted. Plain numbers and phone numbers such as +1 504 555 0100 stay as they are.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'string') return cell instanceof Date ? cell.toISOString() : String(cell);
  const safe = formula.test(cell) && !number.test(cell) && !phone.test(cell) ? `'${cell}` : cell;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
