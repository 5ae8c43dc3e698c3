import { PROFILE_KEYS } from '../../../../contract/audience/enrichment-fields.ts';
import {
  PERSON_TEXTS,
  type PersonTextName,
  personTexts,
} from '../../../../contract/audience/person-texts.ts';
import { looksLikeEmail } from '../../../../contract/text.ts';
import { isDncDateName, isDncName } from './dnc.policy.ts';
import type { PersonField } from './model.ts';

/** Column names as vendors write them, in lower case without spaces, underscores and dashes. */
const NAMES: Record<
  Exclude<PersonField, 'ignore' | 'phone_dnc' | 'phone_dnc_date' | 'keyword' | 'page_url' | 'seen_at'>,
  string
> = {
  ...(Object.fromEntries(personTexts.map((name) => [name, PERSON_TEXTS[name].columns])) as Record<
    PersonTextName,
    string
  >),
  external_id: 'externalid uuid personid pdlid',
  full_name: 'fullname name contactname',
  email:
    'email emailaddress mail emails personalemail personalemails personalverifiedemails deepverifiedemails email1 email2 ' +
    'email3 primaryemail emailarray',
  email_sha256:
    'sha256 emailsha256 sha256email sha256personalemail sha256businessemail personalemailsha256 businessemailsha256 hemsha256 ' +
    'sha256hem hem hems hashedemail emailhash emailhashed',
  email_sha1: 'sha1 emailsha1 sha1email hemsha1 sha1hem',
  email_md5: 'md5 emailmd5 md5email hemmd5 md5hem',
  phone:
    'phone phone1 phonenumber telephone tel mobile mobilephone mobilephone1 mobilenumber cell cellphone cellnumber personalphone ' +
    'homephone',
  phone2:
    'phone2 directnumber directphone workphone mobilephone2 mobilephone3 phone3 altphone alternatephone secondaryphone ' +
    'skiptracewirelessnumbers skiptracelandlinenumbers',
  country: 'country countrycode countryname personalcountry phonecountry phonecountrycode iso2',
  ip: 'ip ipaddress ipaddr ipv4 ipv6 ips skiptraceip',
  device_id: 'deviceid maid maids mobileadid advertisingid idfa aaid gaid',
  age_range: 'agerange age agegroup',
  gender: 'gender sex',
  marital_status: 'maritalstatus married marital',
  children: 'children childrenhh haschildren presenceofchildren numberofchildren',
  home_owner: 'homeowner homeownership homeownerstatus ownrent',
  income_range: 'incomerange income incomehh householdincome estimatedincome',
  net_worth_range: 'networthrange networth networthhh',
  credit_range: 'creditrange creditrating creditscore creditscorerange skiptracecreditrating',
  occupation: 'occupation occupationdetail',
  veteran: 'veteran veteranhh isveteran',
  headline: 'headline linkedinheadline',
  seniority: 'seniority senioritylevel joblevel managementlevel',
  department: 'department jobdepartment jobfunction',
  company_domain: 'companydomain',
  industry: 'industry companyindustry primaryindustry',
  company_size:
    'companysize companyemployeecount employeecount employees numberofemployees headcount companyheadcount',
  company_revenue: 'companyrevenue revenue annualrevenue',
  company_phone: 'companyphone companyphonenumber',
  business_email: 'businessemail businessemails businessverifiedemails businessverifiedemail workemail',
  linkedin: 'linkedin linkedinurl personlinkedinurl linkedinprofile',
  naics: 'naics companynaics naicscode',
  sic: 'sic companysic siccode',
};

const FIELD_OF = new Map(
  Object.entries(NAMES).flatMap(([field, names]) =>
    names.split(' ').map((name) => [name, field as PersonField]),
  ),
);

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** What a column probably means, judged by its name; 'ignore' when unknown. */
export function fieldOf(name: string): PersonField {
  const known = FIELD_OF.get(plainName(name));
  if (known) return known;
  return isDncName(name) ? 'phone_dnc' : isDncDateName(name) ? 'phone_dnc_date' : 'ignore';
}

/** Why columns that vendors are known to send are not used, by their names in plain form; the first match counts. */
const UNUSED: [reason: string, names: RegExp][] = [
  ['Only the 5-digit ZIP code is kept', /zip4$|zipplus4$/],
  ['Update dates are not kept', /lastupdated$|updatedat$|dateupdated$/],
  ['Only the current job and company are kept', /history$/],
  ['Company addresses are not kept', /^company(address|street|city|state|zip|country|location)/],
  ['Company profiles are not kept', /^company(description|linkedin|logo|twitter|facebook|founded|type)/],
  ['Only the LinkedIn profile is kept', /(facebook|twitter|instagram|youtube|github)/],
  ['Only the business email, phone, and website are kept for work', /^skiptraceb2b/],
  [
    'Match scores are not kept because the product computes its own',
    /(matchscore|score|confidence|likelihood)$/,
  ],
  ['Sensitive data is not kept', /(ethnic|race|religion|language|political|birth|dob|ssn)/],
  ['Skip-trace names and addresses are not kept', /^skiptrace(name|address|city|state|zip|county)/],
  ['The age range is kept instead', /exactage$/],
  [
    'Skills, interests, and education are not kept',
    /(skill|interest|education|school|connections|experience)/,
  ],
  [
    'Visits come from your own pixel',
    /^(pixelid|event|referrer|activity|resolution|visit|session|useragent)/,
  ],
];

/** Returns why a column is not used automatically. */
export function ignoredReason(name: string): string {
  const plain = plainName(name);
  if (plain === '') return 'The column has no name';
  return UNUSED.find(([, names]) => names.test(plain))?.[0] ?? 'Column name not recognized';
}

/** The columns of a file that a plan leaves out, and why. */
export function ignoredColumns(
  header: string[],
  plan: readonly PersonField[],
  byName = fieldOf,
): { column: string; reason: string }[] {
  return columnNames(header).flatMap((column, i) =>
    plan[i] !== 'ignore'
      ? []
      : [
          {
            column,
            reason: byName(header[i]!) === 'ignore' ? ignoredReason(header[i]!) : 'Set to be ignored',
          },
        ],
  );
}

/** Returns unique column names: nameless ones are numbered, as are repeats of a name. */
export function columnNames(header: string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((cell, i) => {
    const name = cell.trim() || `column ${i + 1}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/**
 * Returns the meaning of each column: as mapped by hand where the mapping names it, otherwise by the column's own name.
 */
export function planColumns(
  header: string[],
  mapping: Record<string, PersonField>,
  byName = fieldOf,
): PersonField[] {
  return columnNames(header).map((name, i) =>
    Object.hasOwn(mapping, name) ? mapping[name]! : byName(header[i]!),
  );
}

/** Returns the first column that a mapping names but the file lacks, or null. */
export function unknownColumn(header: string[], mapping: Record<string, PersonField>): string | null {
  const names = new Set(columnNames(header));
  return Object.keys(mapping).find((name) => !names.has(name)) ?? null;
}

const PROFILE = new Set<PersonField>(PROFILE_KEYS);
/** Whether rows with these columns can say more about people than who they are and how to reach them. */
export const hasProfile = (plan: PersonField[]): boolean => plan.some((field) => PROFILE.has(field));

/** The number of columns of a file, and how long their names may be together; vendors' files have up to 500. */
const MOST_COLUMNS = 1000;
const MOST_NAMES = 64 * 1024;

/**
 * Why a file has more columns than an import works with, or null. They are judged one by one in the thread that serves
 * everyone, shown on the page where they are mapped, and kept with the import.
 */
export function columnsFault(names: readonly string[]): string | null {
  if (names.length > MOST_COLUMNS)
    return `the file has ${names.length.toLocaleString('en-US')} columns, and the limit is ${MOST_COLUMNS.toLocaleString('en-US')}`;
  return names.some((name) => name.length > 500) || names.join('').length > MOST_NAMES
    ? 'the first line is too long to be column names'
    : null;
}

/** Why a first line cannot be column names (it looks like data, or the file is not text), or null. */
export function headerFault(header: string[]): string | null {
  if (header.some((cell) => cell.includes('\0'))) {
    return 'the first line contains NUL bytes. Save the file as UTF-8 text';
  }
  if (header.some((cell) => cell.includes('\r')))
    return 'the lines end with CR only. Save the file with LF or CRLF line endings';
  const fault = columnsFault(header);
  if (fault) return fault;
  const isData = (cell: string) =>
    looksLikeEmail(cell.trim()) ||
    /^[0-9a-f]{32,64}$/i.test(cell.trim()) ||
    /^\+?[\d ().-]{7,}$/.test(cell.trim());
  if (header.some(isData)) return 'the first line must contain column names, but it looks like data';
  if (header.every((cell) => cell.trim() === ''))
    return 'the first line must contain column names, but it is empty';
  return null;
}
