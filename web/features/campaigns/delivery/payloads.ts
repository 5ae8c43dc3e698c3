import { TEXT_PREFIX } from '../../../../contract/campaigns/destinations.ts';
import type { PayloadField, PayloadFormat, PayloadHeader } from '../../../../contract/campaigns/payloads.ts';
import type { FieldErrors } from '../../../../contract/errors.ts';
import { FIXED } from './sources.ts';

/** The formats on the screen, with what each sends. */
export const FORMAT_WORDS: Record<PayloadFormat, { label: string; line: string }> = {
  standard: {
    label: 'Standard',
    line: 'JSON with everything about a lead, in groups such as person, campaign, and visit.',
  },
  flat: {
    label: 'Flat JSON',
    line: 'One JSON object with the fields that you pick, under names you choose.',
  },
  form: {
    label: 'Form',
    line: 'The fields that you pick as a form (application/x-www-form-urlencoded), as a web page would send it.',
  },
  template: {
    label: 'Template',
    line: 'Your own JSON. Its placeholders are replaced with the values of each lead.',
  },
};

/** A row of a list on the screen: it keeps its id while it moves. */
export type Row<T> = T & { id: string };

/** What the screen edits. */
export interface Draft {
  format: PayloadFormat;
  fields: Row<PayloadField>[];
  template: string;
  headers: Row<PayloadHeader>[];
}

export const hasFields = (format: PayloadFormat): boolean => format === 'flat' || format === 'form';

let serial = 0;
/** Gives a row an id. */
export const rowOf = <T extends object>(value: T): Row<T> => ({ ...value, id: `row-${++serial}` });

/** The list with a row moved up (-1) or down (1). */
export function moved<T extends { id: string }>(rows: readonly T[], id: string, by: -1 | 1): T[] {
  const from = rows.findIndex((row) => row.id === id);
  const to = from + by;
  const next = [...rows];
  const [row] = from >= 0 && to >= 0 && to < rows.length ? next.splice(from, 1) : [];
  if (row) next.splice(to, 0, row);
  return next;
}

/** A new field filled from a choice of the list, under a name that is not taken. */
export function newField(choice: string, fields: readonly PayloadField[]): Row<PayloadField> {
  const isFixed = choice === FIXED;
  const taken = new Set(fields.map(({ name }) => name));
  const wanted = isFixed ? 'text' : choice;
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted}_${n}`;
  return rowOf({ name, source: isFixed ? TEXT_PREFIX : choice });
}

/**
 * What a draft sends to the server: only what counts for its format. For the preview, values of headers stay here and
 * headers without a name do not count yet.
 */
export function givenOf(draft: Draft, isPreview: boolean) {
  const headers = isPreview ? draft.headers.filter(({ name }) => name.trim()) : draft.headers;
  return {
    rows: { fields: draft.fields.map(({ id }) => id), headers: headers.map(({ id }) => id) },
    given: {
      format: draft.format,
      ...(hasFields(draft.format)
        ? { fields: draft.fields.map(({ name, source }) => ({ name, source })) }
        : {}),
      ...(draft.format === 'template' ? { template: draft.template } : {}),
      headers: headers.map(({ name, value }) => ({ name: name.trim(), value: isPreview ? '' : value })),
    },
  };
}

/**
 * Errors by where they stand on the screen: 'template', 'fields', 'headers', or the row's id and part
 * ('row-3.name'). Others have no place there.
 */
export function errorsOf(
  errors: FieldErrors,
  rows: { fields: readonly string[]; headers: readonly string[] },
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [field, texts] of Object.entries(errors)) {
    const [list = '', index, part] = field.split('.');
    const isList = list === 'fields' || list === 'headers';
    if (!isList && list !== 'template') continue;
    const ids = isList ? rows[list] : [];
    const id = index === undefined ? undefined : ids[Number(index)];
    const words = texts.join(' ');
    found[id && part ? `${id}.${part}` : list] = words.charAt(0).toUpperCase() + words.slice(1);
  }
  return found;
}

/** JSON with line breaks, for reading; anything else as it is. */
export function readableBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
