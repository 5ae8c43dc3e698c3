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

/** So many made-up people, the same for the same seed. Their addresses end in .example, which nobody can own. */
export function inventPeople(count: number, seed: number): MadePerson[] {
  const random = sequence(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  return Array.from({ length: count }, (_, i) => {
    const first_name = pick(first);
    const last_name = pick(last);
    const [city, state, zip, area] = pick(places);
    const works = random() < 0.5;
    return {
      first_name,
      last_name,
      email: `${first_name}.${last_name}${i}@${pick(['mail', 'inbox', 'post'])}.example`.toLowerCase(),
      // 555-01xx is kept free for fiction.
      ...(random() < 0.85 ? { phone: `+1${area}55501${String(i % 100).padStart(2, '0')}` } : {}),
      ...(random() < 0.8
        ? { address: `${1 + Math.floor(random() * 900)} ${pick(streets)}`, city, state, zip }
        : {}),
      ...(works ? { company_name: pick(employers), job_title: pick(jobs) } : {}),
    };
  });
}
