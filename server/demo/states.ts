import type { Config } from '../platform/config.ts';
import type { Company, Factories } from '../test/factories.ts';
import { writeDemoDns } from './dns.ts';

/** How many clients the largest agency of the demo has: three pages of them. */
const CLIENTS = 25;
/** How long the demo's account in verification stays there. */
const VERIFICATION_MS = 10 * 365 * 86_400_000;

/**
 * Agencies and salespeople in states that everyday work seldom shows: a failed payment, manual billing, each color of
 * the API icon with real keys behind it, no white label, no minimum spend, one to accept, many clients, and pending
 * accounts. Returns the agencies that `seedDomains` gives domains to.
 */
export async function seedStates(
  make: Factories,
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
) {
  const { master, summit, domain, user } = given;
  const agency = async (name: string, host: string, owner: string) => {
    const company = await make.agency(master, { name, host: `${host}.${domain}`, brand: { name } });
    return { company, owner: await user(company, `${host}@demo.test`, owner) };
  };
  const granite = await agency('Granite Media', 'granite', 'Gray Granite');
  const juniper = await agency('Juniper Ads', 'juniper', 'June Juniper');
  const walnut = await agency('Walnut Partners', 'walnut', 'Wally Walnut');
  const oakwood = await agency('Oakwood Digital', 'oakwood', 'Odette Oakwood');
  await make.clients(granite.company, CLIENTS, 'Granite Client');
  await make.terms(juniper.company, { white_labelling: false });
  // The icon is orange for Walnut Partners (terms not accepted), blue for Juniper Ads (no key), green for Oakwood
  // Digital, orange for Granite Media (a key, but the mode is off again) and gray for all others.
  await make.terms(walnut.company, { api_mode: true, manual_bill: true });
  for (const one of [juniper, oakwood, granite]) await make.becomeDeveloper(one.company, one.owner.id);
  const sync = await make.apiKey(oakwood.company, oakwood.owner.id, {
    name: 'CRM sync',
    expires_in_days: 365,
    version: '2026-12-01',
  });
  const reporting = await make.apiKey(oakwood.company, oakwood.owner.id, {
    name: 'Reporting, tried out by the data team',
    mode: 'test',
    scopes: ['campaigns.read', 'leads.read', 'statements.read'],
    expires_in_days: 90,
  });
  await make.apiKey(oakwood.company, oakwood.owner.id, {
    name: 'Claude',
    app: 'claude.ai',
    scopes: ['campaigns.read', 'clients.read', 'leads.read'],
    expires_in_days: 90,
  });
  await make.apiKey(granite.company, granite.owner.id, { name: 'Website' });
  await make.terms(granite.company, { api_mode: false, excluded_minimum_spend: true });
  await make.failedPayment(granite.company, 149_000_000n);
  // A minimum spend that another platform requires by default, announced to its agency, which has not accepted it.
  await make.minimumSpend(summit, { name: 'Standard', months: [0n, 99_000_000n], flat: 149_000_000n });
  for (const [email, name, step] of [
    ['pending@demo.test', 'Perry Pending', 'start'],
    ['verifying@demo.test', 'Vera Verifying', 'submit'],
  ] as const) {
    const { id } = await user(master, email, name, 'sales');
    await make.salesAccount(master, id, step, VERIFICATION_MS);
  }
  return {
    granite: granite.company,
    walnut: walnut.company,
    oakwood: oakwood.company,
    /** Who made the keys of Oakwood Digital, and which. */
    keys: { userId: oakwood.owner.id, live: sync.id, test: reporting.id },
  };
}

/**
 * Agencies' own domains: one just entered, one waiting for its second record, and one being served (by this machine).
 */
export async function seedDomains(
  make: Factories,
  { granite, walnut, oakwood }: Awaited<ReturnType<typeof seedStates>>,
  config: Config,
): Promise<void> {
  const { rootDomain, domainTarget } = config;
  const names: Parameters<typeof writeDemoDns>[1] = { [domainTarget.host]: { addresses: ['127.0.0.1'] } };
  for (const [agency, host, state] of [
    [walnut, 'clients.walnut-partners.example', 'entered'],
    [granite, 'leads.granite-media.example', 'waiting'],
    [oakwood, `oakwood-portal.${rootDomain}`, 'verified'],
  ] as const) {
    const { name, value } = await make.customDomain(agency, host, state);
    names[name] = state === 'entered' ? {} : { txt: [value] };
    names[host] = state === 'verified' ? { cname: [domainTarget.host] } : {};
  }
  await writeDemoDns(config, names);
}

/**
 * What the programs of Oakwood Digital do: requests, one of them refused, and two webhook endpoints: the demo's receiver,
 * and one that no longer answers.
 */
export async function seedPrograms(
  make: Factories,
  { oakwood, keys }: Awaited<ReturnType<typeof seedStates>>,
  receiver: string,
): Promise<void> {
  const about = await make.clients(oakwood, 3, 'Oakwood Client');
  await make.hook(oakwood, keys.userId, {
    ...{ url: `${receiver}/hooks/oakwood`, description: 'CRM sync', about },
  });
  await make.hook(oakwood, keys.userId, {
    url: 'https://reports.oakwood.example/webhooks',
    description: 'Monthly reports',
    types: ['client.created', 'wallet.low'],
    about: about.slice(0, 1),
  });
  const problem = { title: 'Invalid parameters', status: 422, detail: 'body.owner.phone: is not valid' };
  await make.apiRequests(oakwood, keys.userId, keys.live, [
    { route: '/v1/me' },
    { route: '/v1/clients', path: '/v1/clients?limit=100' },
    {
      ...{ method: 'POST', route: '/v1/clients', status: 422, problem },
      body: { name: 'Florist', owner: { name: 'Flo Flores', email: 'flo@example.com', phone: '12' } },
    },
    { route: '/v1/campaigns', path: '/v1/campaigns?limit=100&status=active' },
    { route: '/v1/leads', path: '/v1/leads?limit=100&created_since=2026-01-01T00%3A00%3A00Z' },
  ]);
  await make.apiRequests(oakwood, keys.userId, keys.test, [
    { route: '/v1/leads', path: '/v1/leads?limit=25' },
    { route: '/v1/usage' },
  ]);
}
