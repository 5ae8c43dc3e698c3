import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { startDns, type TestDns } from '../../../test/dns.ts';
import type { Company } from '../../../test/factories.ts';
import { readDomain, subdomainFault } from './domain.policy.ts';

const TARGET = 'edge.platform.test';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let dns: TestDns;
let app: TestApp;
let root: Company;
let acme: Company;
let other: Company;
let token: string;
let theirs: string;
let serial = 0;

beforeAll(async () => {
  dns = await startDns();
  app = await testApp({
    settings: {
      dnsServers: [dns.address],
      domainTarget: { host: TARGET, addresses: [] },
      rootDomain: 'root.test',
    },
  });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  await app.make.user(root, { email: 'root@x.test', password: PASSWORD });
});
afterAll(async () => {
  await app.close();
  await dns.close();
});
beforeEach(async () => {
  dns.records.clear();
  dns.mood = 'good';
  dns.set('A', TARGET, '192.0.2.10');
  const n = ++serial;
  acme = await app.make.agency(root, { host: `acme${n}.root.test` });
  other = await app.make.agency(root, { host: `other${n}.root.test` });
  for (const [company, name] of [
    [acme, 'acme'],
    [other, 'other'],
  ] as const)
    await app.make.user(company, { email: `${name}${n}@x.test`, password: PASSWORD });
  await signIn();
});
/** Signs in again after the clock has moved: a login lasts 15 minutes. */
const signIn = async () => {
  token = await app.signIn(`acme${serial}@x.test`, `acme${serial}.root.test`);
  theirs = await app.signIn(`other${serial}@x.test`, `other${serial}.root.test`);
};

const ask = (method: 'GET' | 'PUT' | 'POST', url: string, body?: unknown, who: 'acme' | 'other' = 'acme') =>
  app.call(method, `/api/configuration/${url}`, {
    host: `${who}${serial}.root.test`,
    token: who === 'acme' ? token : theirs,
    ...(body ? { body } : {}),
  });
interface State {
  subdomain: string;
  domain: string | null;
  status: string;
  claim: {
    domain: string;
    status: string;
    taken: boolean;
    serves_until: string | null;
    next_check_at: string;
    records: { type: string; name: string; value: string; status: string; found: string[] }[];
  } | null;
}
const state = async (who: 'acme' | 'other' = 'acme') =>
  (await ask('GET', 'custom-domain', undefined, who)).body as unknown as State;
const enter = async (domain: string, who: 'acme' | 'other' = 'acme') => {
  const { status, body } = await ask('PUT', 'update-custom-domain', { domain }, who);
  return {
    status,
    body,
    data: body.data as State,
    fault: (body.errors as Record<string, string[]>)?.domain?.[0],
  };
};
/** Puts both records of a claim into the DNS. */
const publish = (claim: State['claim']) => {
  const [txt, address] = claim!.records;
  dns.set('TXT', txt!.name, txt!.value);
  dns.set('CNAME', address!.name, address!.value);
};
const look = async (ms = 0) => {
  app.clock.advance(ms);
  await app.features.settings.domains.lookAtDue();
  await signIn();
};
const served = async (host: string) => (await app.call('GET', '/api/general/domain-info', { host })).status;

describe('[TEN-05] a domain of the tenant’s own', () => {
  test('[BEY-31] is verified whatever others’ records contain, and one whose check fails does not stay first', async () => {
    const { data: broken } = await enter('odd.customer.test');
    const { data } = await enter('plain.customer.test', 'other');
    dns.set('TXT', broken.claim!.records[0]!.name, 'odd\u0000text');
    publish(data.claim);
    await look();
    expect((await state('other')).claim ?? (await state('other'))).toMatchObject({ status: 'verified' });
    expect((await state()).claim).toMatchObject({ records: [{ found: ['oddtext'] }, {}] });
    // A defect of one check.
    await app.admin.query(
      `create function fail_odd() returns trigger language plpgsql as 'begin if new.checks > old.checks then raise ''a defect''; end if; return new; end'`,
    );
    await app.admin.query(
      `create trigger fail_odd before update on domain_claim for each row when (old.host = 'odd.customer.test') execute function fail_odd()`,
    );
    try {
      await app.admin.query('update domain_claim set next_check_at = $1', [app.clock.now()]);
      await expect(app.features.settings.domains.lookAtDue()).rejects.toThrow('a defect');
      const { rows } = await app.admin.query('select host, next_check_at > $1 as later from domain_claim', [
        app.clock.now(),
      ]);
      expect(rows.filter(({ later }) => !later)).toEqual([]);
    } finally {
      await app.admin.query('drop trigger fail_odd on domain_claim');
      await app.admin.query('drop function fail_odd');
    }
  });
  test('is entered, shows its records, is verified, and only then serves; the subdomain keeps working', async () => {
    expect(await state()).toMatchObject({
      status: 'none',
      claim: null,
      domain: null,
      subdomain: `acme${serial}`,
    });
    const { data, body } = await enter('Portal.Customer.Test.');
    expect(body.message).toContain('Add the two records');
    expect(data).toMatchObject({
      status: 'waiting',
      domain: null,
      claim: {
        domain: 'portal.customer.test',
        records: [
          {
            type: 'TXT',
            name: '_verify.portal.customer.test',
            value: expect.stringMatching(/^verify=[0-9a-f]{40}$/),
          },
          { type: 'CNAME', name: 'portal.customer.test', value: TARGET },
        ],
      },
    });
    await look();
    expect((await state()).claim).toMatchObject({
      status: 'waiting',
      records: [{ status: 'missing' }, { status: 'missing' }],
    });
    expect(await served('portal.customer.test')).toBe(421);
    // One of the two is not enough.
    const [txt] = data.claim!.records;
    dns.set('TXT', txt!.name, 'v=spf1 -all', txt!.value);
    await look(5 * 60_000);
    expect((await state()).claim!.records.map((r) => r.status)).toEqual(['found', 'missing']);
    expect(await served('portal.customer.test')).toBe(421);
    dns.set('A', 'portal.customer.test', '203.0.113.9');
    await look(HOUR);
    expect((await state()).claim!.records[1]).toMatchObject({ status: 'wrong', found: ['203.0.113.9'] });
    dns.remove('A', 'portal.customer.test');
    publish(data.claim);
    await look(HOUR);
    expect(await state()).toMatchObject({ status: 'verified', domain: 'portal.customer.test' });
    expect(await served('portal.customer.test')).toBe(200);
    expect(await served(`acme${serial}.root.test`)).toBe(200);
    expect(await app.features.tenants.primaryHost(acme.id)).toBe('portal.customer.test');
    const { rows } = await app.admin.query(
      `select action from user_log where company_id = $1 and action like 'domain%' order by id`,
      [acme.id],
    );
    expect(rows.map((row) => row.action)).toEqual(['domain.custom', 'domain.verified']);
  });

  test('stands in each of its states as if it had come there by itself', async () => {
    const shown = async () => {
      const { domain, claim } = await state();
      return [claim!.status, ...claim!.records.map((r) => r.status), domain];
    };
    await app.make.customDomain(acme, 'entered.test', 'entered');
    expect(await shown()).toEqual(['waiting', 'unknown', 'unknown', null]);
    await app.make.customDomain(acme, 'waiting.test', 'waiting');
    expect((await enter('waiting.test')).status).toBe(200);
    expect(await shown()).toEqual(['waiting', 'found', 'missing', null]);
    const proof = await app.make.customDomain(acme, 'live.test', 'verified');
    expect(await shown()).toEqual(['verified', 'found', 'found', 'live.test']);
    expect((await state()).claim!.records[0]).toMatchObject(proof);
    expect(await served('live.test')).toBe(200);
    await app.make.customDomain(other, 'going.test', 'failing');
    expect(await state('other')).toMatchObject({ status: 'failing', domain: 'going.test' });
    expect(await served('going.test')).toBe(200);
  });

  test('an address record with the target’s own addresses does as well, others do not', async () => {
    const { data } = await enter('apex.test');
    dns.set('TXT', data.claim!.records[0]!.name, data.claim!.records[0]!.value);
    dns.set('A', 'apex.test', '192.0.2.10', '198.51.100.1');
    await look();
    expect((await state()).claim!.records[1]!.status).toBe('wrong');
    dns.set('A', 'apex.test', '192.0.2.10');
    await look(HOUR);
    expect((await state()).status).toBe('verified');
  });

  test('records are looked for with growing pauses, and a claim that never comes true is forgotten', async () => {
    await enter('slow.customer.test');
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      await look();
      const next = Date.parse((await state()).claim!.next_check_at) - app.clock.now().getTime();
      pauses.push(next / 60_000);
      app.clock.advance(next);
      await signIn();
    }
    expect(pauses).toEqual([1, 2, 5, 10, 15, 30, 60, 60, 60]);
    await look(15 * DAY);
    expect((await state()).status).toBe('none');
  });

  test('is looked at daily; when its records go it is failing, served three days more, and comes back with them', async () => {
    const { data } = await enter('moving.customer.test');
    publish(data.claim);
    await look();
    expect((await state()).status).toBe('verified');
    dns.remove('TXT', data.claim!.records[0]!.name);
    await look(23 * HOUR);
    expect((await state()).status).toBe('verified');
    await look(2 * HOUR);
    const failing = await state();
    expect(failing).toMatchObject({ status: 'failing', domain: 'moving.customer.test' });
    expect(Date.parse(failing.claim!.serves_until!)).toBe(app.clock.now().getTime() + 3 * DAY);
    expect(await served('moving.customer.test')).toBe(200);
    await look(3 * DAY + HOUR);
    expect(await state()).toMatchObject({ status: 'failing', domain: null });
    expect(await served('moving.customer.test')).toBe(421);
    expect(await app.features.tenants.primaryHost(acme.id)).toBe(`acme${serial}.root.test`);
    publish(data.claim);
    await look(DAY + HOUR);
    expect(await state()).toMatchObject({ status: 'verified', domain: 'moving.customer.test' });
    expect(await served('moving.customer.test')).toBe(200);
  });

  test('name servers that do not answer change nothing', async () => {
    const { data } = await enter('quiet.customer.test');
    publish(data.claim);
    await look();
    dns.mood = 'failing';
    await look(DAY + HOUR);
    const { status, claim } = await state();
    expect([status, claim!.records.map((r) => r.status)]).toEqual(['verified', ['unanswered', 'unanswered']]);
    expect(await served('quiet.customer.test')).toBe(200);
  });

  test('belongs to whoever proves it: a served one cannot be entered by others, and of two claims one wins', async () => {
    const mine = await enter('contested.customer.test');
    const rival = await enter('contested.customer.test', 'other');
    expect(mine.data.claim!.records[0]!.value).not.toBe(rival.data.claim!.records[0]!.value);
    publish(mine.data.claim);
    await look();
    expect((await state()).status).toBe('verified');
    expect((await state('other')).claim).toMatchObject({
      status: 'waiting',
      taken: true,
      records: [{ status: 'wrong' }, { status: 'found' }],
    });
    // Both records are in the DNS at once: the company already being served keeps the domain.
    dns.set(
      'TXT',
      mine.data.claim!.records[0]!.name,
      mine.data.claim!.records[0]!.value,
      rival.data.claim!.records[0]!.value,
    );
    await look(2 * HOUR);
    expect((await state('other')).status).toBe('waiting');
    expect((await enter('contested.customer.test', 'other')).fault).toBe('is already in use');
    // A third party's subdomain cannot be taken either.
    expect((await enter(`acme${serial}.root.test`, 'other')).status).toBe(422);
  });

  test('another one takes its place only when it is verified; taken away, the subdomain is the main address', async () => {
    const first = await enter('first.customer.test');
    publish(first.data.claim);
    await look();
    const second = await enter('second.customer.test');
    expect(second.data).toMatchObject({ status: 'waiting', domain: 'first.customer.test' });
    expect(await served('first.customer.test')).toBe(200);
    publish(second.data.claim);
    await look();
    expect(await state()).toMatchObject({ status: 'verified', domain: 'second.customer.test' });
    expect(await served('first.customer.test')).toBe(421);
    expect((await enter('')).body.message).toBe('Domain removed.');
    expect(await state()).toMatchObject({ status: 'none', domain: null });
    expect(await served('second.customer.test')).toBe(421);
    expect(await app.features.tenants.primaryHost(acme.id)).toBe(`acme${serial}.root.test`);
  });

  test('“Check now” looks at once, and not twice within ten seconds', async () => {
    expect((await ask('POST', 'custom-domain/check', {})).status).toBe(409);
    const { data } = await enter('now.customer.test');
    publish(data.claim);
    const { status, body } = await ask('POST', 'custom-domain/check', {});
    expect([status, (body.data as State).status]).toEqual([200, 'verified']);
    const again = await ask('POST', 'custom-domain/check', {});
    expect([again.status, again.headers['retry-after']]).toEqual([429, '10']);
  });

  test('names that are none, or not theirs to bring, are refused with the rule', async () => {
    const faults: Record<string, string> = {
      'https://portal.customer.test/x':
        'must be only the name, such as portal.example.com, without http:// or a path',
      'portal.customer.test:8443': 'must not include a port',
      '*.customer.test': 'must be a single name, not a wildcard',
      '203.0.113.7': 'must be a name, not an IP address',
      '[2001:db8::1]': 'must be a name, not an IP address',
      '0x7f.1': 'must be a name, not an IP address',
      localhost: 'must be a full domain name, such as portal.example.com',
      'app.localhost': 'cannot be reached from the internet',
      'a..b.test': 'is not a domain name',
      '-a.test': 'is not a domain name',
      'under_score.test': 'is not a domain name',
      'root.test': "is part of the platform's own domain. Set a subdomain instead",
      'deep.er.ROOT.test.': "is part of the platform's own domain. Set a subdomain instead",
      [TARGET]: "is part of the platform's own domain. Set a subdomain instead",
    };
    for (const [given, fault] of Object.entries(faults)) {
      const { status, fault: got } = await enter(given);
      expect([given, status, got]).toEqual([given, 422, fault]);
    }
    expect(readDomain('Bücher.Example.com')).toEqual({ host: 'xn--bcher-kva.example.com' });
    expect(readDomain('例え.テスト')).toEqual({ host: 'xn--r8jz45g.xn--zckzah' });
    expect(readDomain(` ${'a'.repeat(63)}.com `)).toEqual({ host: `${'a'.repeat(63)}.com` });
    expect(readDomain(`${'a'.repeat(64)}.com`)).toEqual({ fault: 'is not a domain name' });
    expect((await state()).status).toBe('none');
  });
});

describe('[TEN-05] name servers are not asked at will', () => {
  test('of many looks at once one is made', async () => {
    await enter('many.customer.test');
    const asked = await Promise.all(Array.from({ length: 20 }, () => ask('POST', 'custom-domain/check', {})));
    expect(asked.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(429)]);
  });

  test('a company that enters one domain after the other has to wait', async () => {
    for (let i = 0; i < 20; i++) expect((await enter(`n${i}.customer.test`)).status).toBe(200);
    const late = await enter('n20.customer.test');
    expect(late.status).toBe(429);
    expect((await state()).claim!.domain).toBe('n19.customer.test');
    expect((await enter('mine.customer.test', 'other')).status).toBe(200);
  });
});

describe('[TEN-04] the subdomain', () => {
  test('changed many times at once it ends as one of them', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => ask('PUT', 'subdomain', { subdomain: `race${serial}-${i}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const hosts = Array.from({ length: 6 }, (_, i) => `race${serial}-${i}.root.test`);
    expect((await Promise.all(hosts.map(served))).filter((status) => status === 200)).toHaveLength(1);
  });

  test('is changed, and the one before serves no one any more', async () => {
    const { status, body } = await ask('PUT', 'subdomain', { subdomain: ` New-Name${serial} ` });
    expect([status, body.message, (body.data as State).subdomain]).toEqual([
      200,
      'Setting has been saved.',
      `new-name${serial}`,
    ]);
    expect(await served(`new-name${serial}.root.test`)).toBe(200);
    expect(await served(`acme${serial}.root.test`)).toBe(421);
  });

  test('is changed by owners only, freshly confirmed; the one before is kept for the agency for 90 days', async () => {
    const was = `acme${serial}`;
    const rename = (subdomain: string, who: 'acme' | 'other' = 'acme') =>
      ask('PUT', 'subdomain', { subdomain }, who);
    const owners = token;
    const { email } = await app.make.user(acme, {
      email: `admin${serial}@x.test`,
      role: 'administrator',
      password: PASSWORD,
    });
    token = await app.signIn(email, `${was}.root.test`);
    expect((await rename(`by-admin${serial}`)).status).toBe(403);
    token = owners;
    await app.admin.query(
      `update session set created_at = created_at - interval '1 hour', confirmed_at = null`,
    );
    const stale = await rename(`stale${serial}`);
    expect([stale.status, stale.body.errors]).toEqual([403, { confirm: ['password'] }]);
    await signIn();
    expect((await rename(`moved${serial}`)).status).toBe(200);
    expect(await served(`${was}.root.test`)).toBe(421);
    const taken = async () => {
      const { status, body } = await rename(was, 'other');
      return [status, (body.errors as Record<string, string[]> | undefined)?.subdomain?.[0]];
    };
    expect(await taken()).toEqual([422, 'is already taken']);
    // The agency itself can go back, and leave again.
    theirs = await app.signIn(`other${serial}@x.test`, `other${serial}.root.test`);
    token = await app.signIn(`acme${serial}@x.test`, `moved${serial}.root.test`);
    const go = async (label: string, at: string) =>
      app.call('PUT', '/api/configuration/subdomain', {
        host: `${at}.root.test`,
        token,
        body: { subdomain: label },
      });
    expect((await go(was, `moved${serial}`)).status).toBe(200);
    expect(await served(`${was}.root.test`)).toBe(200);
    expect((await go(`moved${serial}`, was)).status).toBe(200);
    for (const [days, outcome] of [
      [89, [422, 'is already taken']],
      [1, [200, undefined]],
    ] as const) {
      app.clock.advance(days * DAY + 1000);
      await app.features.settings.domains.lookAtDue();
      theirs = await app.signIn(`other${serial}@x.test`, `other${serial}.root.test`);
      expect(await taken()).toEqual(outcome);
    }
  });

  test('is refused by rule, and when someone has it, naming the field', async () => {
    const fault = async (subdomain: string) => {
      const { status, body } = await ask('PUT', 'subdomain', { subdomain });
      return [status, (body.errors as Record<string, string[]>).subdomain?.[0]];
    };
    expect(await fault(`other${serial}`)).toEqual([422, 'is already taken']);
    expect(await fault('')).toEqual([422, 'is required']);
    expect(await fault('a_b')).toEqual([422, 'must have only letters, digits, and hyphens']);
    expect(await fault('a.b')).toEqual([422, 'must have only letters, digits, and hyphens']);
    expect(await fault('-a')).toEqual([422, 'must not start or end with a hyphen']);
    expect(await fault('a-')).toEqual([422, 'must not start or end with a hyphen']);
    expect(await fault('a'.repeat(64))).toEqual([422, 'must not exceed 63 characters']);
    expect(await fault('www')).toEqual([422, 'is reserved. Choose another one']);
    expect(await fault('xn--bcher-kva')).toEqual([
      422,
      'must not have hyphens in the third and fourth positions',
    ]);
    expect(subdomainFault('a')).toBeUndefined();
    expect(subdomainFault('a'.repeat(63))).toBeUndefined();
    expect(await served(`acme${serial}.root.test`)).toBe(200);
  });

  test('a root sets it for its agency, never for itself; no one for a foreign agency', async () => {
    const token = await app.signIn('root@x.test', 'root.test');
    const as = (companyID: string | undefined) =>
      app.call('PUT', '/api/configuration/subdomain', {
        host: 'root.test',
        token,
        body: { companyID, subdomain: `by-root${serial}` },
      });
    expect((await as(undefined)).status).toBe(422);
    expect((await as(acme.id)).status).toBe(200);
    const foreign = await app.make.root({ host: `foreign${serial}.test` });
    const agency = await app.make.agency(foreign, { host: `a.foreign${serial}.test` });
    expect((await as(agency.id)).status).toBe(404);
    expect((await ask('PUT', 'subdomain', { companyID: acme.id, subdomain: 'stolen' }, 'other')).status).toBe(
      404,
    );
    expect(
      (await ask('PUT', 'update-custom-domain', { companyID: acme.id, domain: '' }, 'other')).status,
    ).toBe(404);
  });
});
