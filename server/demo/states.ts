import { inScope } from '../platform/db/scope.ts';
import type { Platform } from '../platform/platform.ts';
import type { Company, createFactories } from '../test/factories.ts';

type Make = ReturnType<typeof createFactories>;
type Features = Parameters<typeof createFactories>[0];

/** How many clients the largest agency of the demo has: three pages of them. */
const CLIENTS = 25;

/**
 * Agencies and sales people in states that everyday work seldom shows: a failed payment, manual billing, each color of the API
 * sign that there is without keys, no white label, no minimum spend, one to accept, many clients, and accounts that wait.
 */
export async function seedStates(
  { db, clock }: Pick<Platform, 'db' | 'clock'>,
  features: Features,
  make: Make,
  given: {
    master: Company;
    summit: Company;
    domain: string;
    user: (
      company: Company,
      email: string,
      name: string,
      role?: 'owner' | 'sales',
    ) => Promise<{ id: string }>;
  },
): Promise<void> {
  const { master, summit, domain, user } = given;
  const agency = async (name: string, host: string, email: string, owner: string) => {
    const company = await make.agency(master, { name, host: `${host}.${domain}`, brand: { name } });
    return { company, owner: await user(company, email, owner) };
  };
  const granite = await agency('Granite Media', 'granite', 'granite@demo.test', 'Gray Granite');
  const juniper = await agency('Juniper Ads', 'juniper', 'juniper@demo.test', 'June Juniper');
  const walnut = await agency('Walnut Partners', 'walnut', 'walnut@demo.test', 'Wally Walnut');
  for (let i = 1; i <= CLIENTS; i++)
    await make.client(granite.company, { name: `Granite Client ${String(i).padStart(2, '0')}` });

  // What Granite Media's payment failed for.
  await make.failedInvoice(granite.company, 149_000_000n);
  await inScope(db.app, { rootId: master.id }, async (tx) => {
    const at = clock.now();
    const ownerOf = ({ id, root_id }: Company) => ({ root_id, agency_id: id, company_id: id });
    const set = (company: Company, values: object) =>
      features.billing.accounts.setTerms(tx, ownerOf(company), { ...values, updated_at: at });
    await set(granite.company, { payment_status: 'failed', excluded_minimum_spend: true });
    await set(juniper.company, { api_mode: true, api_mode_since: at, white_labelling: false });
    await features.agreements.accept(tx, {
      owner: ownerOf(juniper.company),
      userId: juniper.owner.id,
      document: 'developer',
      at,
      ip: null,
    });
    await set(walnut.company, { api_mode: true, api_mode_since: at, manual_bill: true });
  });
  // A minimum spend that another platform asks by default, announced to its agency, which has not accepted it.
  await inScope(db.app, { rootId: summit.id }, (tx) =>
    features.plans.insertDefault(
      tx,
      summit,
      { name: 'Standard', months: [0n, 99_000_000n], flat: 149_000_000n },
      clock.now(),
    ),
  );
  await features.minimumSpend.offers.announce(summit.id);
  for (const [email, name, step] of [
    ['pending@demo.test', 'Perry Pending', 'start'],
    ['verifying@demo.test', 'Vera Verifying', 'submit'],
  ] as const) {
    const { id } = await user(master, email, name, 'sales');
    await make.salesAccount(master, id, 'start');
    if (step === 'submit') await make.salesAccount(master, id, step);
  }
}
