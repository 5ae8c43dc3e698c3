/** A made-up person: addresses at example.com, numbers that are nobody's. */
export interface MadeUp {
  first_name: string;
  last_name: string;
  email: string;
  phone: string;
  address: string;
  city: string;
  state: string;
  zip: string;
  company_name: string;
  job_title: string;
  website: string;
}

const FIRST = ['Ada', 'Ben', 'Clara', 'David', 'Elena', 'Farah', 'Grace', 'Hugo', 'Ines', 'Jack', 'Kai'];
const LAST = [
  'Abbott',
  'Baker',
  'Castillo',
  'Diaz',
  'Ellis',
  'Fischer',
  'Garcia',
  'Hayes',
  'Ibrahim',
  'Jensen',
];
const PLACES = [
  ['Chicago', 'IL', '60601', '312'],
  ['Austin', 'TX', '78701', '512'],
  ['Denver', 'CO', '80202', '303'],
  ['Seattle', 'WA', '98101', '206'],
  ['Boston', 'MA', '02108', '617'],
] as const;
const EMPLOYERS = ['Bright Harbor Labs', 'Daybreak Foods', 'Greenline Logistics', 'Ironwood Builders'];
const TITLES = ['Owner', 'Operations Manager', 'Head of Marketing', 'Buyer', 'Office Manager', 'Director'];

const nth = <T>(all: readonly T[], n: number): T => all[n % all.length]!;

/** The nth made-up person: always the same one. */
export function madeUp(n: number): MadeUp {
  const [first_name, last_name] = [nth(FIRST, n), nth(LAST, n)];
  const [city, state, zip, area] = nth(PLACES, n);
  const company_name = nth(EMPLOYERS, n);
  const turn = Math.floor(n / (FIRST.length * LAST.length));
  return {
    first_name,
    last_name,
    email: `${first_name}.${last_name}${turn || ''}@example.com`.toLowerCase(),
    // 555-0100 to 555-0199 are for fiction.
    phone: `+1${area}55501${String(n % 100).padStart(2, '0')}`,
    address: `${100 + (n % 900)} Example Street`,
    city,
    state,
    zip,
    company_name,
    job_title: nth(TITLES, n),
    website: `https://${company_name.toLowerCase().replaceAll(' ', '-')}.example.com`,
  };
}
