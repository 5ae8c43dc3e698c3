import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usd } from '../../../../contract/primitives.ts';
import { ManualClock } from '../../../platform/clock.ts';
import { allInTurn } from '../../../platform/in-turn.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const HOST = 'digest.test';
const USD = 1_000_000n;
const CHICAGO = 'America/Chicago';
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let other: Company;
let tents: MadeCampaign;
let stoves: MadeCampaign;
type User = { id: string; email: string };
let owner: User;
let boss: User;

/** The first number of a statement that says it in other words than the product. */
const sqlNumber = async (text: string, values: unknown[] = []): Promise<number> =>
  Number(Object.values((await app.admin.query(text, values)).rows[0])[0]);

async function go(instant: string): Promise<void> {
  app.clock.advance(new Date(instant).getTime() - app.clock.now().getTime());
  await app.features.visits.keepPartitions(2);
}
async function leads(
  campaign: MadeCampaign,
  count: number,
  more: { url?: string; referrer?: string } = {},
): Promise<string[]> {
  const emails: string[] = [];
  for (let i = 0; i < count; i++) {
    const person = app.make.person();
    emails.push(person.email);
    await app.make.people(root, [person]);
    await app.make.visit(campaign, { email: person.email, ...more });
  }
  await app.features.leads.resolver.resolveAll();
  return emails;
}
/** Has what is due sent, by one worker. Returns how many were sent. @throws the first failure, once all had their turn */
async function due(): Promise<number> {
  await app.features.digests.enqueueDue(root.id);
  const { rows } = await app.admin.query(
    `delete from pgboss.job where name = 'digest.company' returning data`,
  );
  let sent = 0;
  await allInTurn(rows, async ({ data }) => {
    sent += await app.features.digests.sendTo(data);
  });
  return sent;
}
async function mails(to?: string) {
  const all = await app.features.mail.outbox({ rootId: root.id }, 500);
  return all.filter((mail) => mail.kind === 'digest.week' && (!to || mail.to_address === to));
}
/** The sentences of an email: its lines but for the addresses of pages, the button, and what is below it. */
const sentences = (text: string): string[] =>
  text
    .split('\n\n')
    .filter((line) => !/^(Open the dashboard|You’re getting|Unsubscribe|-- )/.test(line))
    .map((line) => line.replace(/ http\S+$/, ''));
const signedIn = async (user: User, host = HOST) => {
  const token = await app.signIn(user.email, host);
  return (method: 'GET' | 'PUT' | 'POST', path: string, body?: object) =>
    app.call(method, `/api/digest${path}`, { host, token, ...(body ? { body } : {}) });
};

beforeAll(async () => {
  app = await testApp({ clock: new ManualClock('2026-02-20T15:00:00Z') });
  root = await app.make.root({ host: 'root.test', name: 'Base' });
  agency = await app.make.agency(root, { host: HOST, name: 'Acme' });
  client = await app.make.client(agency, { name: 'Northwind' });
  other = await app.make.client(agency, { name: 'Contoso' });
  await app.admin.query('update company set time_zone = $2 where id = any($1)', [
    [agency.id, client.id, other.id],
    CHICAGO,
  ]);
  await app.make.leadCost(agency, 2n * USD);
  owner = await app.make.user(client, { email: 'owner@x.test', password: PASSWORD });
  boss = await app.make.user(agency, { email: 'boss@x.test', password: PASSWORD });
  await app.make.user(client, { email: 'quiet@x.test', role: 'administrator' });
  tents = await app.make.campaign(client, {
    name: 'Tents',
    price: 3n * USD,
    balance: 100n * USD,
    reidentify: 'never',
  });
  stoves = await app.make.campaign(client, { name: 'Stoves', price: 5n * USD, balance: 60n * USD });
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});

describe('[BEY-22] a week with an hour less', () => {
  // From Monday, March 2 to Sunday, March 8, when the clocks in Chicago were put forward.
  const inWeek = `(created_at at time zone 'America/Chicago')::date between '2026-03-02' and '2026-03-08'`;
  const inPrior = `(created_at at time zone 'America/Chicago')::date between '2026-02-23' and '2026-03-01'`;

  beforeAll(async () => {
    // Who wants it has asked for it.
    expect((await (await signedIn(owner))('PUT', '', { is_on: true })).status).toBe(200);
    await go('2026-02-25T18:00:00Z');
    await leads(tents, 2);
    const lost = await app.make.campaign(other, { name: 'Lamps', price: 2n * USD, balance: 50n * USD });
    await leads(lost, 3);
    // The last minute of the week before, and the first of the week.
    await go('2026-03-02T05:59:00Z');
    await leads(tents, 1);
    await go('2026-03-02T06:00:00Z');
    const first = await leads(tents, 3, {
      url: 'https://shop.example.com/pricing?utm_source=x',
      referrer: 'https://www.search.example/find?q=tents',
    });
    await leads(tents, 1, { referrer: 'https://shop.example.com/about' });
    await go('2026-03-05T18:00:00Z');
    await leads(stoves, 2, { url: 'https://shop.example.com/pricing#top' });
    for (const email of first.slice(0, 2)) await app.make.visit(tents, { email });
    await app.features.leads.resolver.resolveAll();
    await go('2026-03-05T20:00:00Z');
    await app.make.visit(tents, { email: first[0]! });
    await app.features.leads.resolver.resolveAll();
    // One of the week's leads is refunded.
    const { rows } = await app.admin.query(
      `select id from lead where campaign_id = $1 and ${inWeek} limit 1`,
      [stoves.id],
    );
    await go('2026-03-08T20:00:00Z');
    const token = await app.signIn(boss.email, HOST);
    const refund = await app.call('POST', `/api/credits/lead/${rows[0].id}`, {
      host: HOST,
      token,
      body: { reason: 'wrong_person', note: 'Never heard of them' },
    });
    expect([refund.status, refund.text]).toEqual([200, expect.anything()]);
    // The last minute of the week, in summer time, and the first of the next.
    await go('2026-03-09T04:59:00Z');
    await leads(stoves, 1);
    await go('2026-03-09T05:00:00Z');
    await leads(stoves, 4);
    // What the destinations did not take, which belongs to leads, not to attempts.
    for (let i = 0; i < 2; i++) {
      const { destinationId } = await app.make.connection(client, { campaignId: tents.id });
      await app.admin.query(
        `insert into delivery (id, root_id, agency_id, company_id, campaign_id, integration_id, lead_id, message_id, state, created_at)
       select gen_random_uuid(), root_id, agency_id, company_id, campaign_id, $2, id, gen_random_uuid(), 'failed', created_at
       from lead where campaign_id = $1 and ${inWeek}`,
        [tents.id, destinationId],
      );
    }
    await app.admin.query(
      `update lead set score = v.points from (
         select id, (row_number() over (order by id))::int * 14 as points from lead where company_id = $1 and ${inWeek}) v
       where lead.id = v.id`,
      [client.id],
    );
  });

  test('is due on Monday at eight, in the time zone, and sent once by two workers', async () => {
    await go('2026-03-09T12:59:00Z');
    expect(await due()).toBe(0);
    await go('2026-03-09T13:00:00Z');
    await app.features.digests.enqueueDue(root.id);
    // Asked for again before they ran, each company has one job.
    await app.features.digests.enqueueDue(root.id);
    const { rows: queued } = await app.admin.query(
      `select data ->> 'companyId' as company, group_id from pgboss.job where name = 'digest.company' order by 1`,
    );
    expect(queued).toEqual(
      [agency.id, client.id].sort().map((company) => ({ company, group_id: agency.id })),
    );
    const send = (company: Company) =>
      app.features.digests.sendTo({ rootId: root.id, companyId: company.id });
    const made = await Promise.all([agency, client, agency, client, other].map(send));
    expect(made.reduce((sum, count) => sum + count) + (await due())).toBe(2);
    // Not to who has not asked for it.
    expect((await mails()).map((mail) => mail.to_address).sort()).toEqual(['boss@x.test', 'owner@x.test']);
    const { rows } = await app.admin.query(
      'select s.week, m.to_address from digest_sent s join mail m on m.id = s.mail_id order by 2',
    );
    expect(rows.map((row) => [new Date(row.week).getDate(), row.to_address])).toEqual([
      [2, 'boss@x.test'],
      [2, 'owner@x.test'],
    ]);
  });

  test('every number that a client reads is that of the database', async () => {
    const now = await sqlNumber(`select count(*) from lead where company_id = $1 and ${inWeek}`, [client.id]);
    const prior = await sqlNumber(`select count(*) from lead where company_id = $1 and ${inPrior}`, [
      client.id,
    ]);
    expect([now, prior]).toEqual([7, 3]);
    const best = await sqlNumber(`select count(*) from lead where campaign_id = $1 and ${inWeek}`, [
      tents.id,
    ]);
    const average = await sqlNumber(
      `select round(sum(score)::numeric / count(*)) from lead where company_id = $1 and ${inWeek}`,
      [client.id],
    );
    const high = await sqlNumber(
      `select count(*) from lead where company_id = $1 and ${inWeek} and score > 79`,
      [client.id],
    );
    const priced = await sqlNumber(
      `select count(*) from lead l join lead_contact c on c.lead_id = l.id
       where l.company_id = $1 and ${inWeek.replace('created_at', 'l.created_at')} and c.page_url like '%/pricing%'`,
      [client.id],
    );
    const returned = await sqlNumber(
      `select count(*) from (select distinct l.person_id from lead_return r join lead l on l.id = r.lead_id
       where l.company_id = $1) people`,
      [client.id],
    );
    const failed = await sqlNumber(
      `select count(*) from (select distinct lead_id from delivery where company_id = $1 and state = 'failed') leads`,
      [client.id],
    );
    const charged = await sqlNumber(
      `select sum(price_micros) from lead where company_id = $1 and ${inWeek}`,
      [client.id],
    );
    const refunded = await sqlNumber(`select sum(amount_micros) from credit where company_id = $1`, [
      client.id,
    ]);
    const balance = await sqlNumber(
      `select sum(amount) from entry where company_id = $1 and account_code = account_code('client_prepaid')`,
      [client.id],
    );
    // Stoves: what is left after all leads, at the pace of the week, whose refund counts.
    const left = await sqlNumber(
      `select sum(e.amount) from entry e join account a on a.id = e.account_id where a.campaign_id = $1`,
      [stoves.id],
    );
    const days = Math.floor((left * 7) / (2 * 5 * Number(USD)));
    const [mail] = await mails(owner.email);
    expect(mail!.subject).toBe(`Your week, March 2 to March 8: ${now} leads`);
    expect(sentences(mail!.body!.text)).toEqual([
      `${now} leads came in, ${now - prior} more than the week before.`,
      `The campaign with the most leads was “Tents”, with ${best}.`,
      `Their average score is ${average}, and ${high} of them score 80 or more.`,
      `The top page was /pricing, with ${priced} leads.`,
      'The top referring site was search[.]example, with 3 leads.',
      `${returned} people came back to your site.`,
      `You were charged ${usd(charged)} for leads and fees, and ${usd(refunded)} was refunded.`,
      `The prepaid balance is ${usd(balance)}. At this week’s pace, the balance of “Stoves” lasts about ${days} days.`,
      `${failed} leads could not be delivered.`,
    ]);
    // The agency's brand, and pages on its host.
    expect([mail!.from_name, mail!.from_address]).toEqual(['Acme', `no-reply@${HOST}`]);
    expect(mail!.body!.text).toContain(`could not be delivered. https://${HOST}/deliveries`);
    // No one is named.
    expect(mail!.body!.text).not.toMatch(/people\.example|Last\d/);
  });

  test('every number that an agency reads is that of the database', async () => {
    const of = (where: string, id: string) =>
      sqlNumber(`select count(*) from lead where company_id = $1 and ${where}`, [id]);
    const [now, prior] = [await of(inWeek, client.id), await of(inPrior, client.id)];
    const gone = await of(inPrior, other.id);
    expect(await of(inWeek, other.id)).toBe(0);
    const price =
      (await sqlNumber(`select sum(price_micros) from lead where agency_id = $1 and ${inWeek}`, [
        agency.id,
      ])) -
      (await sqlNumber(`select sum(amount_micros) from credit where agency_id = $1 and giver_id = $1`, [
        agency.id,
      ]));
    const cost = await sqlNumber(`select sum(cost_micros) from lead where agency_id = $1 and ${inWeek}`, [
      agency.id,
    ]);
    const [mail] = await mails(boss.email);
    const told = sentences(mail!.body!.text);
    expect(told).toEqual([
      `${now} leads came in across all clients, ${now - prior - gone} more than the week before.`,
      `Your clients were charged ${usd(price)}, your cost was ${usd(cost)}, and your margin ${usd(price - cost)}.`,
      `1 client had more leads: “Northwind” (${now} leads, ${now - prior} more).`,
      `1 client had no leads while a campaign was active: “Contoso” (${gone} the week before).`,
      // Its last visits came on February 25, and it has had too few to know a usual pause.
      'Sites of 1 client are silent: “Contoso” (1 campaign).',
    ]);
  });

  test('what is previewed and what is sent on demand is the same', async () => {
    const call = await signedIn(owner);
    const { status, body } = await call('GET', '/preview');
    const [mail] = await mails(owner.email);
    expect([status, body.starts_on, body.ends_on, body.subject]).toEqual([
      200,
      '2026-03-02',
      '2026-03-08',
      mail!.subject,
    ]);
    const told = (body.sentences as { text: string }[]).map(({ text }) => text.replace('ch.ex', 'ch[.]ex'));
    expect(told).toEqual(sentences(mail!.body!.text));
    app.clock.advance(1000);
    expect((await call('POST', '/send', {})).body.message).toBe('The digest is on its way to owner@x.test.');
    const { rows } = await app.admin.query(
      `select count(*)::int as n from user_log where action = 'digest.send'`,
    );
    expect(rows[0].n).toBe(1);
    const again = await mails(owner.email);
    expect(again.map((one) => sentences(one.body!.text))).toEqual([told, told]);
    expect(await due()).toBe(0);
  });
});

describe('[BEY-22] who gets it', () => {
  const to = async (instant: string): Promise<string[]> => {
    const before = (await mails()).length;
    await go(instant);
    await due();
    const all = await mails();
    return all
      .slice(0, all.length - before)
      .map((mail) => mail.to_address)
      .sort();
  };

  test('who unsubscribes with one click gets no more, no matter who asks', async () => {
    const [mail] = await mails(owner.email);
    const link = mail!.body!.unsubscribe!;
    expect(link).toMatch(new RegExp(`^https://${HOST}/unsubscribe/`));
    const stop = (token: string, host = HOST) =>
      app.call('POST', `/unsubscribe/${token}`, { host, headers: { 'content-type': 'text/plain' } });
    const token = link.split('/').at(-1)!;
    // Not at the host of another root.
    await app.make.root({ host: 'elsewhere.test' });
    await stop(token, 'elsewhere.test');
    const call = await signedIn(owner);
    expect((await call('GET', '')).body).toMatchObject({
      is_on: true,
      next_at: '2026-03-16T13:00:00.000Z',
      time_zone: CHICAGO,
    });
    expect((await stop(`${token}x`)).status).toBe(410);
    for (const _ of ['once', 'again']) expect((await stop(token)).status).toBe(200);
    expect((await call('GET', '')).body.is_on).toBe(false);
    const { rows } = await app.admin.query(
      `select count(*)::int as n from user_log where action = 'digest.unsubscribed'`,
    );
    expect(rows[0].n).toBe(1);
    expect(await to('2026-03-16T13:00:00Z')).toEqual([boss.email]);
  });

  test('owners of agencies can turn it off, and who turns it on waits for Monday', async () => {
    expect((await (await signedIn(boss))('PUT', '', { is_on: false })).status).toBe(200);
    expect(await to('2026-03-23T13:00:00Z')).toEqual([]);
    expect((await (await signedIn(boss))('PUT', '', { is_on: true })).status).toBe(200);
    await leads(stoves, 1);
    expect(await to('2026-03-23T14:00:00Z')).toEqual([]);
    expect(await to('2026-03-30T13:00:00Z')).toEqual([boss.email]);
  });

  test('a digest that could not be sent is sent until Thursday, and by halves never', async () => {
    await leads(stoves, 1);
    await app.admin.query(
      `create function no_mail() returns trigger language plpgsql as $$ begin raise 'no'; end $$`,
    );
    await app.admin.query(
      'create trigger no_mail before insert on mail for each row execute function no_mail()',
    );
    await go('2026-04-06T13:00:00Z');
    await expect(due()).rejects.toThrow();
    await app.admin.query('drop trigger no_mail on mail');
    expect(await to('2026-04-09T12:59:00Z')).toEqual([boss.email]);
    await leads(stoves, 1);
    expect(await to('2026-04-16T13:00:00Z')).toEqual([]);
  });

  test('nobody whose emails are off, who was removed, or who may not see the results', async () => {
    const { rows } = await app.admin.query(
      `select name, id from role where company_id = $1 and name in ('Read only', 'Full access')`,
      [agency.id],
    );
    const roles = new Map(rows.map(({ name, id }) => [name, id]));
    const admin = (email: string, roleId: string) =>
      app.make.user(agency, { email, role: 'administrator', roleId, password: PASSWORD });
    const full = await admin('full@x.test', roles.get('Full access'));
    const reader = await admin('reader@x.test', roles.get('Read only'));
    const off = await admin('off@x.test', roles.get('Full access'));
    const gone = await admin('gone@x.test', roles.get('Full access'));
    const sales = await app.make.user(agency, { email: 'sales@x.test', role: 'sales', password: PASSWORD });
    for (const user of [full, reader, off, gone])
      expect((await (await signedIn(user))('PUT', '', { is_on: true })).status).toBe(200);
    expect((await (await signedIn(sales))('PUT', '', { is_on: true })).status).toBe(403);
    await app.admin.query('update user_account set mail_off = true where id = $1', [off.id]);
    await app.admin.query('update user_account set disabled_at = now() where id = $1', [gone.id]);
    expect((await (await signedIn(off))('GET', '')).body.is_blocked).toBe(true);
    await leads(stoves, 1);
    expect(await to('2026-04-20T13:00:00Z')).toEqual([boss.email, full.email, reader.email]);
    const text = async (user: User) => (await mails(user.email))[0]!.body!.text;
    expect(await text(full)).toContain('your margin');
    expect(await text(reader)).not.toMatch(/\$|margin/);
    await app.admin.query('delete from digest_choice where user_id = any($1)', [[full.id, reader.id]]);
  });

  test('a view looks at it, and cannot turn it on or have it sent', async () => {
    const token = await app.signIn(boss.email, HOST);
    const { body } = await app.call('POST', '/api/user/switch', {
      host: HOST,
      token,
      body: { usrID: owner.id, reason: 'To see what they see' },
    });
    const view = (method: 'GET' | 'PUT' | 'POST', path: string, given?: object) =>
      app.call(method, `/api/digest${path}`, {
        host: HOST,
        token: body.access_token as string,
        ...(given ? { body: given } : {}),
      });
    expect((await view('GET', '/preview')).status).toBe(200);
    expect((await view('PUT', '', { is_on: true })).status).toBe(403);
    expect((await view('POST', '/send', {})).status).toBe(403);
    // A root has no digest.
    const top = await app.make.user(root, { email: 'top@x.test', password: PASSWORD });
    const answer = await app.call('GET', '/api/digest', {
      host: 'root.test',
      token: await app.signIn(top.email, 'root.test'),
    });
    expect(answer.status).toBe(404);
  });
});

describe('[BEY-22] what it says', () => {
  test('names and pages of strangers open nothing', async () => {
    const names = ['<b>evil.example</b>', 'www.evil.example/login', 'https://evil.example'];
    await app.admin.query('update campaign set name = $2 where id = $1', [stoves.id, names[0]]);
    await app.admin.query('update campaign set name = $2 where id = $1', [tents.id, names[1]]);
    await app.admin.query('update company set name = $2 where id = $1', [client.id, names[2]]);
    await leads(tents, 1);
    await leads(stoves, 3, {
      url: 'https://shop.example.com//evil.example/%3Cscript%3E/http://evil.example',
      referrer: 'https://evil.example/',
    });
    expect((await (await signedIn(owner))('PUT', '', { is_on: true })).status).toBe(200);
    await go('2026-04-27T13:00:00Z');
    expect(await due()).toBe(2);
    for (const user of [owner, boss]) {
      const { text, html } = (await mails(user.email))[0]!.body!;
      for (const part of [text, html, (await mails(user.email))[0]!.subject]) {
        // Addresses that can be opened are those of the agency's host.
        const opened = [...part.matchAll(/https?:\/\/[^\s"<]+/g)].map(([url]) => url);
        expect(opened.filter((url) => !url.startsWith(`https://${HOST}/`))).toEqual([]);
        expect(part).not.toMatch(/evil\.example/i);
      }
      expect(html).not.toMatch(/<b>|<script/i);
      expect(text).toMatch(/evil/);
    }
  });

  test('what agencies are told of silence and debts is what the database has', async () => {
    const debtor = await app.make.client(agency, { name: 'Debtor' });
    const weekly = await app.make.campaign(debtor, { price: 4n * USD, costs: { term: 'Weekly' } });
    await leads(weekly, 3);
    await app.make.bill(debtor, { term: 'Weekly' });
    await go('2026-05-04T13:00:00Z');
    await due();
    const told = sentences((await mails(boss.email))[0]!.body!.text);
    const unpaid = await sqlNumber(
      `select sum(total_micros - paid_micros - credited_micros) from invoice where agency_id = $1 and company_id = $2
         and status not in ('paid', 'void', 'uncollectible')`,
      [agency.id, debtor.id],
    );
    const failed = await sqlNumber('select count(first_failed_at) from invoice where company_id = $1', [
      debtor.id,
    ]);
    expect(unpaid).toBe(Number(12n * USD));
    expect(told.find((line) => /paid/.test(line))).toBe(
      `1 client has not paid yet, ${usd(unpaid)} in total: “Debtor” (${usd(unpaid)} on 1 invoice${failed > 0 ? ', a charge failed' : ''}).`,
    );
    const silent = await app.admin.query(
      `select k.name, count(*)::int as n from campaign c join company k on k.id = c.company_id
       where c.agency_id = $1 and c.state = 'active'
         and $2::timestamptz - (select max(hour) from campaign_hour h where h.campaign_id = c.id and visits > 0)
           > interval '49 hours' group by 1`,
      [agency.id, app.clock.now()],
    );
    const line = told.find((one) => /are silent/.test(one))!;
    expect(silent.rows.length).toBeGreaterThan(1);
    expect(line).toContain(`Sites of ${silent.rows.length} clients`);
    expect(line).toContain('“Debtor” (1 campaign)');
  });

  test('a week with nothing to tell sends nothing, and other agencies count for themselves', async () => {
    const bare = await app.make.agency(root, { host: 'bare.test' });
    const nobody = await app.make.user(bare, { password: PASSWORD });
    const idle = await app.make.client(bare);
    const waiting = await app.make.user(idle, { password: PASSWORD });
    const asked = await app.call('PUT', '/api/digest', {
      host: 'bare.test',
      token: await app.signIn(waiting.email, 'bare.test'),
      body: { is_on: true },
    });
    expect(asked.status).toBe(200);
    await go('2026-05-11T14:00:00Z');
    await due();
    expect([...(await mails(nobody.email)), ...(await mails(waiting.email))]).toEqual([]);
    const { rows } = await app.admin.query('select mail_id from digest_sent where user_id = any($1)', [
      [nobody.id, waiting.id],
    ]);
    expect(rows).toEqual([{ mail_id: null }, { mail_id: null }]);
    const { status, body } = await app.call('POST', '/api/digest/send', {
      host: 'bare.test',
      token: await app.signIn(waiting.email, 'bare.test'),
      body: {},
    });
    expect([status, body.message]).toEqual([422, 'There is nothing to report for last week.']);
  });

  test('a week begins within the hour where the time zone says so', async () => {
    const far = await app.make.client(agency, { name: 'Far' });
    await app.admin.query(`update company set time_zone = 'Asia/Kolkata' where id = $1`, [far.id]);
    const user = await app.make.user(far, { password: PASSWORD });
    const campaign = await app.make.campaign(far, { price: 0n });
    await (await signedIn(user))('PUT', '', { is_on: true });
    await go('2026-05-17T18:29:00Z');
    await leads(campaign, 2);
    await go('2026-05-17T18:31:00Z');
    await leads(campaign, 1);
    await go('2026-05-18T02:29:00Z');
    await due();
    expect(await mails(user.email)).toEqual([]);
    await go('2026-05-18T02:30:00Z');
    await due();
    await go('2026-05-25T02:30:00Z');
    await due();
    const hours = `(created_at + interval '5 hours 30 minutes')::date`;
    const first = await sqlNumber(
      `select count(*) from lead where company_id = $1 and ${hours} < '2026-05-18'`,
      [far.id],
    );
    expect(first).toBe(2);
    expect((await mails(user.email)).map((mail) => sentences(mail.body!.text)[0])).toEqual([
      '1 lead came in, 1 fewer than the week before.',
      `${first} leads came in, after none the week before.`,
    ]);
  });

  test('[BEY-30] a company whose week cannot be read leaves no one else without a digest', async () => {
    const theirs = await app.make.agency(root, { host: 'two.test' });
    const users = [];
    for (const name of ['Broken', 'Sound']) {
      const one = await app.make.client(theirs, { name });
      const user = await app.make.user(one, { password: PASSWORD });
      await (await signedIn(user, 'two.test'))('PUT', '', { is_on: true });
      const campaigns = [];
      for (const price of [3n * USD, 5n * USD])
        campaigns.push(await app.make.campaign(one, { price, balance: 50n * USD }));
      users.push({ ...user, campaigns });
    }
    await go('2026-05-27T14:00:00Z');
    for (const { campaigns } of users) await leads(campaigns[0]!, 1);
    const [broken, sound] = users;
    // The sum of these is more than a number of the database holds.
    const balances = (set: string) =>
      app.admin.query(
        `update account_balance b set balance = ${set} from account a where a.id = b.account_id and a.campaign_id = any($1)`,
        [broken!.campaigns.map(({ id }) => id)],
      );
    await balances('b.balance + 5000000000000000000');
    await go('2026-06-01T14:00:00Z');
    await expect(due()).rejects.toThrow('out of range');
    expect(await mails(sound!.email)).toHaveLength(1);
    expect(await mails(broken!.email)).toHaveLength(0);
    await balances('b.balance - 5000000000000000000');
    await due();
    expect(await mails(sound!.email)).toHaveLength(1);
    expect(await mails(broken!.email)).toHaveLength(1);
  });
});
