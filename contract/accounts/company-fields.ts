/**
 * A field of an agency's or client's own row. Its key in COMPANY_FIELDS is its column and its name inside; what is
 * entered, shown, listed, logged, exported, and read by programs derives from here.
 */
interface Field {
  /** The kinds of companies that have it. */
  of: readonly ('agency' | 'client')[];
  /** Its names on the wire: in the calls that save it, and in those that show it (spec product 3). */
  enter: string;
  show: string;
  /** What the calls say about it. */
  about: string;
  /** What the user log calls it. */
  log: string;
  /** Its label in forms; absent: it is in no form. Who may edit it also sees it: salespeople, for instance. */
  label?: string;
  hint?: string;
  /** The forms that have it, if not both. */
  form?: 'add' | 'edit';
  /** The title of its column in the lists on screen; absent: it is in none. */
  listed?: string;
  /** The title of its column in files, for the kinds of companies that have it there. */
  exported?: { title: string; of: readonly ('agency' | 'client')[] };
  /** Its name in the developer API, for clients, and what is said about it there; absent: it is not there. */
  api?: { name: string; about: string };
}
/** Of at most NAME_MAX characters; '' for none. */
interface TextField extends Field {
  kind: 'text';
}
/** `inverted`: calls and forms say T where the column says false; `inside`: what it is called there. */
interface FlagField extends Field {
  kind: 'flag';
  inverted?: true;
  inside?: string;
}

/** The fields of an agency's or client's own row, in the order of forms and files. */
export const COMPANY_FIELDS = {
  external_id: {
    kind: 'text',
    of: ['agency', 'client'],
    enter: 'DownlineOrganizationID',
    show: 'external_organizationid',
    about: 'The company’s ID in another system. Empty if none',
    log: 'organization',
    label: 'Organization ID',
    hint: 'ID in another system (optional).',
    form: 'add',
    exported: { title: 'Organization ID', of: ['agency'] },
    api: { name: 'external_id', about: 'The ID you gave the client in your own system' },
  },
  industry: {
    kind: 'text',
    of: ['client'],
    enter: 'industry',
    show: 'industry',
    about: 'For a client. Its industry. Empty if none',
    log: 'industry',
    label: 'Industry',
    hint: 'Such as Roofing. Leave blank for none.',
    listed: 'INDUSTRY',
    exported: { title: 'Industry', of: ['client'] },
    api: { name: 'industry', about: 'The client’s industry, in your words' },
  },
  phones_off: {
    kind: 'flag',
    inverted: true,
    inside: 'gets_phones',
    of: ['client'],
    enter: 'enablephonenumber',
    show: 'enablephonenumber',
    about: 'For a client. F: its leads are delivered without phone numbers',
    log: 'leads without phone numbers',
    label: 'Leads with phone numbers',
    hint: 'If off, lists, files, and webhooks do not include the phone numbers of its leads.',
    form: 'edit',
    api: { name: 'gets_phone_numbers', about: 'Whether its leads include phone numbers' },
  },
  sheet_editor: {
    kind: 'flag',
    of: ['client'],
    enter: 'editorspreadsheet',
    show: 'editorspreadsheet',
    about: 'For a client. T: recipients of its spreadsheets can edit them',
    log: 'spreadsheet editor',
  },
} as const satisfies Record<string, TextField | FlagField>;

type Fields = typeof COMPANY_FIELDS;
export type CompanyFieldName = keyof Fields;
type Kind<N extends CompanyFieldName> = Fields[N]['kind'];

/** The fields as they are stored. */
export type CompanyFieldValues = {
  -readonly [N in CompanyFieldName]: Kind<N> extends 'flag' ? boolean : string;
};
type Inside<N extends CompanyFieldName> = Fields[N] extends { inside: infer I extends string } ? I : N;
type Given<N extends CompanyFieldName> = Kind<N> extends 'flag' ? 'T' | 'F' : string;
/** The fields as calls give and take them. */
export type CompanyFieldsGiven = { -readonly [N in CompanyFieldName as Inside<N>]: Given<N> };
/** The same with the names that they have on the wire in calls that save them, or show them. */
export type CompanyFieldsOnWire<As extends 'enter' | 'show'> = {
  -readonly [N in CompanyFieldName as Fields[N][As]]: Given<N>;
};
/** The values of their inputs. */
export type CompanyFieldInputs = {
  -readonly [N in CompanyFieldName as Inside<N>]: Kind<N> extends 'flag' ? boolean : string;
};

/** The fields that can be edited, by their names on the wire in calls that show them. */
export type EditedFields = {
  [N in CompanyFieldName as Fields[N] extends { label: string }
    ? Fields[N] extends { form: 'add' }
      ? never
      : Fields[N]['show']
    : never]: true;
};

/** Every field with its column. */
export const companyFields = Object.entries(COMPANY_FIELDS) as [CompanyFieldName, TextField | FlagField][];

/** What calls and forms call a field. */
export const companyFieldName = (
  column: CompanyFieldName,
  field: TextField | FlagField,
): keyof CompanyFieldsGiven =>
  ((field.kind === 'flag' && field.inside) || column) as keyof CompanyFieldsGiven;

/** The fields with a column in the list of a kind of companies. */
export const listedFields = (kind: 'agency' | 'client') =>
  companyFields.filter(([, field]) => field.listed && field.of.includes(kind));

/** The inputs of a form that adds or edits a company of a kind. */
export const companyInputs = (kind: 'agency' | 'client', form: 'add' | 'edit') =>
  companyFields.filter(
    ([, field]) => field.label !== undefined && field.of.includes(kind) && (field.form ?? form) === form,
  );

export const editedFields = Object.fromEntries(
  companyFields.flatMap(([, { label, form, show }]) => (label && form !== 'add' ? [[show, true]] : [])),
) as EditedFields;

const shown = (field: TextField | FlagField, value: boolean | string): string =>
  field.kind === 'text' ? String(value) : Boolean(value) === !field.inverted ? 'T' : 'F';
const stored = (field: TextField | FlagField, value: unknown): boolean | string =>
  field.kind === 'text' ? String(value) : (value === 'T') === !field.inverted;

/** What a call shows of stored fields. */
export const companyFieldsShown = (row: CompanyFieldValues): CompanyFieldsGiven =>
  Object.fromEntries(
    companyFields.map(([name, field]) => [companyFieldName(name, field), shown(field, row[name])]),
  ) as CompanyFieldsGiven;

/** What a call that saves them sets; only what it gives. */
export const companyFieldsStored = (
  given: {
    [Name in keyof CompanyFieldsGiven]?: CompanyFieldsGiven[Name] | undefined;
  },
): Partial<CompanyFieldValues> =>
  Object.fromEntries(
    companyFields.flatMap(([name, field]) => {
      const value = given[companyFieldName(name, field)];
      return value === undefined ? [] : [[name, stored(field, value)]];
    }),
  );

/** The values of a form's inputs for a row that a call showed. */
export const companyInputsOf = (row: CompanyFieldsGiven): CompanyFieldInputs =>
  Object.fromEntries(
    companyFields.map(([column, field]) => {
      const name = companyFieldName(column, field);
      return [name, field.kind === 'flag' ? row[name] === 'T' : row[name]];
    }),
  ) as CompanyFieldInputs;

/** What a form's inputs send, for a call that saves them. */
export const companyInputsEntered = (
  values: CompanyFieldInputs,
  kind: 'agency' | 'client',
  form: 'add' | 'edit',
): Partial<CompanyFieldsGiven> =>
  Object.fromEntries(
    companyInputs(kind, form).map(([column, field]) => {
      const name = companyFieldName(column, field);
      const value = values[name];
      return [name, typeof value === 'string' ? value.trim() : value ? 'T' : 'F'];
    }),
  );

/** The fields of a company that has set none of them, as calls show them. */
export const NO_COMPANY_FIELDS: CompanyFieldsGiven = companyFieldsShown(
  Object.fromEntries(
    companyFields.map(([name, field]) => [name, field.kind === 'text' ? '' : false]),
  ) as CompanyFieldValues,
);

/** What programs get of a client's fields: text, null for none, and flags as inputs show them. */
export type CompanyFieldsOfApi = {
  [N in CompanyFieldName as Fields[N] extends { api: { name: infer A extends string } }
    ? A
    : never]: Kind<N> extends 'flag' ? boolean : string | null;
};
export const companyFieldsOfApi = (row: CompanyFieldValues): CompanyFieldsOfApi =>
  Object.fromEntries(
    companyFields.flatMap(([name, field]) => {
      const value = row[name];
      if (!field.api) return [];
      return [[field.api.name, field.kind === 'text' ? value || null : Boolean(value) === !field.inverted]];
    }),
  ) as CompanyFieldsOfApi;

/** What a program's request sets of them; only what it gives. */
export const companyFieldsFromApi = (
  given: {
    [Name in keyof CompanyFieldsOfApi]?: CompanyFieldsOfApi[Name] | undefined;
  },
): Partial<CompanyFieldValues> =>
  Object.fromEntries(
    companyFields.flatMap(([name, field]) => {
      const value = field.api && given[field.api.name as keyof CompanyFieldsOfApi];
      if (value === undefined) return [];
      return [
        [name, field.kind === 'text' ? String(value ?? '').trim() : Boolean(value) === !field.inverted],
      ];
    }),
  ) as Partial<CompanyFieldValues>;
