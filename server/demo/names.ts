import type { ProfileKey } from '../../contract/audience/enrichment-fields.ts';
import type { MadePerson } from '../test/factories.ts';

const first =
  'Ada Amir Ana Ben Carla Chen Clara Dana David Elena Eli Emma Farah Felix Grace Hana Hugo Ines Ivan Jack Jana Jonas Kai Lea Liam Lina Luis Maya Mei Milo Nadia Nina Noah Nora Omar Oscar Paula Priya Ravi Rosa Ruth Sam Sara Sofia Theo Tom Uma Vera Yara Zoe'.split(
    ' ',
  );
const last =
  'Abbott Ahmed Alvarez Baker Barnes Becker Bennett Castillo Chang Cohen Cooper Costa Diaz Duncan Ellis Evans Fischer Flores Foster Garcia Gibson Grant Gupta Hansen Harper Hayes Ibrahim Jensen Johnson Kaplan Keller Khan Kim Larsen Lopez Mancini Martin Meyer Morales Murphy Nguyen Novak Olsen Owens Park Patel Perez Quinn Reyes Rossi Sato Schmidt Silva Singh Stone Suzuki Tanaka Torres Vargas Walker Weber Wong Young Zimmerman'.split(
    ' ',
  );
const streets =
  'Oak Street,Maple Avenue,Lakeview Drive,Hill Road,Cedar Lane,Park Avenue,River Road,Sunset Boulevard,Elm Street,Washington Street'.split(
    ',',
  );
const places = [
  ['Chicago', 'IL', '60601', '312'],
  ['Austin', 'TX', '78701', '512'],
  ['Denver', 'CO', '80202', '303'],
  ['Seattle', 'WA', '98101', '206'],
  ['Nashville', 'TN', '37201', '615'],
  ['Portland', 'OR', '97201', '503'],
  ['Atlanta', 'GA', '30303', '404'],
  ['Minneapolis', 'MN', '55401', '612'],
  ['Phoenix', 'AZ', '85004', '602'],
  ['Boston', 'MA', '02108', '617'],
] as const;
const employers =
  'Bright Harbor Labs,Copperfield & Sons,Daybreak Foods,Fieldstone Partners,Greenline Logistics,Hillcrest Medical,Ironwood Builders,Juniper Media,Kestrel Software,Larkspur Hotels'.split(
    ',',
  );
const jobs =
  'Owner,Operations Manager,Marketing Director,Engineer,Teacher,Nurse,Accountant,Sales Manager,Designer,Consultant'.split(
    ',',
  );

/** A repeatable sequence of numbers in [0, 1) (mulberry32). */
export function sequence(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Generates this many made-up people, the same for the same seed. Their addresses end in .example, which no one can
 * own.
 */
export function inventPeople(count: number, seed: number): MadePerson[] {
  const random = sequence(seed);
  // A separate sequence, so that who the people are does not depend on what else is known about them.
  const more = sequence(seed + 1_000_000);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  return Array.from({ length: count }, (_, i) => {
    const first_name = pick(first);
    const last_name = pick(last);
    const [city, state, zip, area] = pick(places);
    const works = random() < 0.5;
    const reach = {
      first_name,
      last_name,
      email: `${first_name}.${last_name}${i}@${pick(['mail', 'inbox', 'post'])}.example`.toLowerCase(),
      // 555-01xx is reserved for fiction.
      ...(random() < 0.85 ? { phone: `+1${area}55501${String(i % 100).padStart(2, '0')}` } : {}),
      ...(random() < 0.8
        ? { address: `${1 + Math.floor(random() * 900)} ${pick(streets)}`, city, state, zip }
        : {}),
    };
    const company_name = works ? pick(employers) : undefined;
    return {
      ...reach,
      ...(company_name ? { company_name, job_title: pick(jobs) } : {}),
      ...inventProfile(more, company_name, `${first_name}-${last_name}-${i}`.toLowerCase()),
    };
  });
}

const ages = '18-24,25-34,35-44,45-54,55-64,65 and older'.split(',');
const incomes =
  '$25,000 to $44,999|$45,000 to $59,999|$60,000 to $74,999|$75,000 to $99,999|$100,000 to $149,999|$150,000 or more'.split(
    '|',
  );
const worths =
  'Less than $25,000|$25,000 to $99,999|$100,000 to $249,999|$250,000 to $499,999|$500,000 or more'.split(
    '|',
  );
const credits = '600 to 649,650 to 699,700 to 749,750 to 799,800 or more'.split(',');
const occupations = 'Professional,Management,Sales,Skilled trade,Health care,Education,Retired'.split(',');
const levels = 'Entry,Senior,Manager,Director,VP,C suite,Owner'.split(',');
const departments =
  'Marketing,Sales,Engineering,Operations,Finance,Human Resources,Information Technology'.split(',');
/** The employers' details, in the same order: industry, size, revenue, NAICS and SIC code. */
const trades = [
  ['Research', '51 to 200', '$10M to $25M', '541715', '8731'],
  ['Manufacturing', '201 to 500', '$50M to $100M', '332312', '3441'],
  ['Food and Beverages', '501 to 1000', '$100M to $250M', '311811', '2051'],
  ['Financial Services', '11 to 50', '$5M to $10M', '523940', '6282'],
  ['Logistics', '1001 to 5000', '$250M to $500M', '484121', '4213'],
  ['Hospitals and Health Care', '5001 to 10000', '$500M to $1B', '622110', '8062'],
  ['Construction', '201 to 500', '$50M to $100M', '236220', '1542'],
  ['Media', '11 to 50', '$1M to $5M', '512110', '7812'],
  ['Software', '51 to 200', '$10M to $25M', '541511', '7371'],
  ['Hospitality', '10000+', '$1B and more', '721110', '7011'],
] as const;

/** What is known about a made-up person beyond contact data; for many, something is missing. */
function inventProfile(
  random: () => number,
  employer: string | undefined,
  slug: string,
): Partial<MadePerson> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const known = (part: number, key: ProfileKey, value: string) =>
    random() < part ? { [key]: value } : undefined;
  const at = Math.max(0, employers.indexOf(employer ?? ''));
  const [industry, company_size, company_revenue, naics, sic] = trades[at]!;
  const domain = `${employers[at]!.toLowerCase().replace(/[^a-z]+/g, '')}.example`;
  return {
    ...known(0.8, 'age_range', pick(ages)),
    ...known(0.8, 'gender', pick(['F', 'M'])),
    ...known(0.6, 'marital_status', pick(['Married', 'Single'])),
    ...known(0.5, 'children', pick(['Y', 'N'])),
    ...known(0.7, 'home_owner', pick(['Homeowner', 'Renter'])),
    ...known(0.7, 'income_range', pick(incomes)),
    ...known(0.5, 'net_worth_range', pick(worths)),
    ...known(0.4, 'credit_range', pick(credits)),
    ...known(0.4, 'occupation', pick(occupations)),
    ...known(0.1, 'veteran', 'Y'),
    ...(employer
      ? {
          industry,
          company_size,
          ...known(0.9, 'seniority', pick(levels)),
          ...known(0.9, 'department', pick(departments)),
          ...known(0.3, 'headline', `${pick(levels)} who likes to get things done`),
          ...known(0.9, 'company_domain', domain),
          ...known(0.7, 'company_revenue', company_revenue),
          ...known(0.7, 'company_phone', `+1312555${String(100 + at * 7).padStart(4, '0')}`),
          ...known(0.7, 'business_email', `${slug.replaceAll('-', '.')}@${domain}`),
          ...known(0.6, 'linkedin', `https://www.linkedin.com/in/${slug}-example`),
          ...known(0.8, 'naics', naics),
          ...known(0.8, 'sic', sic),
        }
      : {}),
  };
}
