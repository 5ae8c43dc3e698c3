// npm run import:people -- FILE --root ID [--country CODE] [--map "COLUMN=FIELD" ...]
import { PERSON_FIELDS } from '../contract/audience/people.ts';
import { createAudit } from '../server/features/accounts/audit/index.ts';
import { createTenants } from '../server/features/accounts/tenants/index.ts';
import { createPeople } from '../server/features/audience/people/index.ts';
import { type CountryCode, countryOf, HOME_COUNTRY } from '../server/platform/countries.ts';
import { FileFault, TooLarge } from '../server/platform/csv-reader.ts';
import { findRoot } from './find-root.ts';
import { readArguments, runImport, Wrong } from './importing.ts';

/** Wraps names in lines of at most 80 characters, indenting each continuation line like the first. */
function inLines(names: readonly string[]): string {
  const lines = [''];
  for (const name of names) {
    const longer = lines.at(-1) ? `${lines.at(-1)}, ${name}` : name;
    if (longer.length > 80) lines.push(name);
    else lines[lines.length - 1] = longer;
  }
  return lines.join(',\n          ');
}

const USAGE = `Usage: npm run import:people -- FILE --root ROOT [--country CODE] [--map "COLUMN=FIELD" ...]

  FILE    a CSV file with column names in its first line, in UTF-8 (or UTF-16 with a byte order mark)
  ROOT    the root's id, its host, or the word master
  --country
          where phone numbers without a country code are from: a code such as US (the default) or GB;
          a country column in the file takes precedence
  --map   what a column means where its name does not tell; FIELD is one of
          ${inLines(PERSON_FIELDS)}

The database is that of DATABASE_URL, else the one in DATA_DIR. An import that was cut off goes on when it is started again.`;

type Field = (typeof PERSON_FIELDS)[number];

function readGiven(): {
  file: string;
  root: string;
  country: CountryCode;
  mapping: Record<string, Field>;
} {
  const { values, file } = readArguments(
    process.argv.slice(2),
    {
      root: { type: 'string' },
      country: { type: 'string' },
      map: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
    USAGE,
  );
  if (!values.root) throw new Wrong(`--root is missing.\n\n${USAGE}`);
  const country = countryOf(values.country ?? HOME_COUNTRY);
  if (!country)
    throw new Wrong(`--country: "${values.country}" is not a country code. Use a code such as US or GB.`);
  const mapping: Record<string, Field> = {};
  for (const pair of values.map ?? []) {
    const at = pair.lastIndexOf('=');
    const field = pair.slice(at + 1) as Field;
    if (at < 1) throw new Wrong(`--map: "${pair}" must have the form COLUMN=FIELD.`);
    if (!PERSON_FIELDS.includes(field))
      throw new Wrong(`--map: unknown field "${field}". Use one of ${PERSON_FIELDS.join(', ')}.`);
    mapping[pair.slice(0, at)] = field;
  }
  return { file, root: values.root, country, mapping };
}

const number = (value: number): string => value.toLocaleString('en-US');

runImport(
  readGiven,
  async ({ file, root, country, mapping }, platform, signal) => {
    const rootId = await findRoot(createTenants(platform), root);
    const identity = createPeople(platform, { audit: createAudit(platform.events) });

    const began = performance.now();
    let before = 0;
    const end = await identity.importFile(rootId, file, mapping, {
      country,
      signal,
      begun({ id, resumedAt }) {
        before = resumedAt;
        console.log(
          resumedAt > 0
            ? `Import ${id} is resuming after ${number(resumedAt)} rows.`
            : `Import ${id} is starting.`,
        );
      },
      progress(job) {
        const rate = (job.rows_read - before) / ((performance.now() - began) / 1000);
        console.log(
          `${job.percentage.toFixed(1).padStart(5)}%  ${number(job.rows_read)} rows, ${number(Math.round(rate))} per second`,
        );
      },
    });
    if (end.state !== 'done')
      throw new Wrong(
        end.error ? `The import failed. ${end.error}` : `The import was stopped: ${end.state}.`,
      );
    console.log(
      `Done: ${number(end.rows_read)} rows; ${number(end.rows_added)} people added, ${number(end.rows_changed)} changed, ` +
        `${number(end.rows_same)} unchanged, ${number(end.rows_bad)} invalid; ${number(end.keys_added)} keys added.`,
    );
    if (end.phones_marked > 0)
      console.log(`${number(end.phones_marked)} phone numbers are on a do-not-call list.`);
    for (const { column, reason } of end.ignored) console.log(`Column ignored: ${column}. ${reason}.`);
    for (const { what, field, reason, count } of end.left_out)
      console.log(
        `Skipped: ${number(count)} ${what}${count === 1 ? '' : 's'} (${field ?? 'the row'} ${reason}).`,
      );
    if (end.left_out.length > 0)
      console.log(`Download the list with line numbers from the import's page (${end.id}).`);
    return 0;
  },
  [FileFault, TooLarge],
);
