import { usd } from '../../../../contract/dollars.ts';
import type { Comparison, SumReport } from './compare.ts';
import type { ImportResult, Todo } from './service.ts';

const number = (value: number): string => value.toLocaleString('en-US');

/** An amount of a report, in words. */
const amount = ({ unit }: Pick<SumReport, 'unit'>, value: string): string =>
  unit === 'rows' ? number(Number(value)) : usd(BigInt(value) * (unit === 'cents' ? 10_000n : 1n));

const micros = (value: string): string => usd(BigInt(value));

const column = (rows: readonly (readonly string[])[], left: number): string[] => {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((text, i) => (i < left ? text.padEnd(widths[i]!) : text.padStart(widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
};

const todoLines = (list: readonly Todo[]): string[] =>
  list.flatMap(({ what, count, examples }) => [
    `  ${number(count)} ${what}${examples.length > 0 ? ':' : '.'}`,
    ...examples.map((one) => `      ${one}`),
    ...(count > examples.length && examples.length > 0
      ? [`      and ${number(count - examples.length)} more`]
      : []),
  ]);

/** A comparison as text for a terminal, in lines. */
export function comparisonText({ isEqual, tables, sums }: Comparison): string[] {
  const filled = tables.filter(({ rows }) => rows.archive > 0 || rows.here > 0);
  const lines = column(
    [
      ['', 'table', 'archive', 'here', 'documents', 'adapted'],
      ...filled.map((one) => [
        one.isEqual ? 'equal ' : 'DIFFER',
        one.name,
        number(one.rows.archive),
        number(one.rows.here),
        number(one.documents),
        number(one.adapted),
      ]),
    ],
    2,
  );
  lines.push('');
  if (sums.length > 0)
    lines.push(
      ...column(
        [
          ['', 'sums', '', 'archive', 'here'],
          ...sums.map((one) => [
            one.isEqual ? 'equal ' : 'DIFFER',
            one.kind,
            one.name,
            amount(one, one.archive),
            amount(one, one.here),
          ]),
        ],
        3,
      ),
      '',
    );
  for (const { name, differences } of tables.filter((one) => !one.isEqual)) {
    lines.push(`Differences in ${name}:`);
    for (const { key, what, columns } of differences)
      lines.push(`  ${what.padEnd(7)}  ${key}${columns.length > 0 ? `  (${columns.join(', ')})` : ''}`);
  }
  lines.push(isEqual ? 'The archive and what is here are equal.' : 'The archive and what is here DIFFER.');
  return lines;
}

/** What an import did, or would do, as text for a terminal, in lines. */
export function resultText(result: ImportResult): string[] {
  const { name, kind, companyId, newIds, tables, conflicts, todo, balances } = result;
  const held = Object.entries(balances.archive);
  const lines = [
    `${result.isDone ? 'Imported' : 'Would import'} the ${kind} ${name} as ${companyId}${newIds ? ', with new ids' : ', with the ids of the archive'}.`,
    '',
    ...column(
      [
        ['table', 'rows', 'documents'],
        ...tables
          .filter((one) => one.inserted > 0 || one.documents > 0)
          .map((one) => [one.name, number(one.inserted), number(one.documents)]),
      ],
      1,
    ),
    '',
  ];
  if (held.length > 0)
    lines.push(
      `Balances in the archive: ${held.map(([what, total]) => `${what} ${micros(total)}`).join(', ')}.`,
      balances.choice === 'open'
        ? `Opened here: ${Object.entries(balances.opened)
            .map(([what, total]) => `${what} ${micros(total)}`)
            .join(', ')}.`
        : balances.choice === 'none'
          ? 'They are not opened here. The archive’s ledger is kept as documents.'
          : 'An import needs --balances open to open them here, or --balances none.',
      '',
    );
  if (conflicts.length > 0) lines.push('Conflicts:', ...todoLines(conflicts), '');
  if (todo.length > 0) lines.push('To do by hand:', ...todoLines(todo), '');
  return lines;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

/** A comparison as a page of its own, without anything from elsewhere. */
export function comparisonHtml(title: string, comparison: Comparison): string {
  const row = (cells: readonly string[], isEqual: boolean): string =>
    `<tr class="${isEqual ? 'equal' : 'differ'}"><td>${isEqual ? 'equal' : 'differ'}</td>${cells.map((one) => `<td>${escaped(one)}</td>`).join('')}</tr>`;
  const head = (cells: readonly string[]): string =>
    `<thead><tr><th scope="col">Result</th>${cells.map((one) => `<th scope="col">${one}</th>`).join('')}</tr></thead>`;
  const { tables, sums, isEqual } = comparison;
  const differing = tables.filter((one) => one.differences.length > 0);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
.differ { background: #fdecea; } .differ td:first-child { font-weight: 700; }
</style></head><body>
<h1>${escaped(title)}</h1>
<p><strong>${isEqual ? 'The archive and what is here are equal.' : 'The archive and what is here differ.'}</strong></p>
<h2>Tables</h2>
<table>${head(['Table', 'Rows in the archive', 'Rows here', 'Documents', 'Adapted', 'Digest of the archive', 'Digest here'])}<tbody>
${tables
  .map((one) =>
    row(
      [
        one.name,
        number(one.rows.archive),
        number(one.rows.here),
        number(one.documents),
        number(one.adapted),
        one.digest.archive.slice(0, 16),
        one.digest.here.slice(0, 16),
      ],
      one.isEqual,
    ),
  )
  .join('\n')}
</tbody></table>
<h2>Sums</h2>
<table>${head(['Of', 'Name', 'Archive', 'Here'])}<tbody>
${sums.map((one) => row([one.kind, one.name, amount(one, one.archive), amount(one, one.here)], one.isEqual)).join('\n')}
</tbody></table>
${differing
  .map(
    ({ name, differences }) =>
      `<h2>Differences in ${escaped(name)}</h2>\n<table>${head(['Row', 'What', 'Columns'])}<tbody>${differences
        .map(({ key, what, columns }) => row([key, what, columns.join(', ')], false))
        .join('\n')}</tbody></table>`,
  )
  .join('\n')}
</body></html>
`;
}
