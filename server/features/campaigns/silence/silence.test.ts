import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../platform/clock.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const HOST = 'silence.test';
const HOUR = 3_600_000;
let app: TestApp;
let root: Company;
let client: Company;

const heard = async ({ id }: MadeCampaign, hours: number[]) =>
  app.admin.query(
    `insert into campaign_hour (campaign_id, hour, root_id, agency_id, company_id, visits)
     select id, h, root_id, agency_id, company_id, 1 from campaign, unnest($2::timestamptz[]) h where id = $1
     on conflict do nothing`,
    [id, hours.map((ago) => new Date(Math.floor(app.clock.now().getTime() / HOUR - ago) * HOUR))],
  );
/** Heard every hour for ten days, until so many hours ago. */
const busyUntil = (campaign: MadeCampaign, hoursAgo: number) =>
  heard(
    campaign,
    Array.from({ length: 240 }, (_, i) => hoursAgo + i),
  );
const due = () => app.features.silences.sendDue(root.id);
let read = 0;
/** The emails since this was last asked. */
async function mails() {
  const all = (await app.features.mail.outbox({ rootId: root.id }, 500)).filter(
    ({ kind }) => kind === 'silence.told',
  );
  const fresh = all.length - read;
  read = all.length;
  return all.slice(0, fresh);
}
const to = async () => (await mails()).map((mail) => mail.to_address).sort();
const signedIn = async (email: string) => {
  const token = await app.signIn(email, HOST);
  return (method: 'GET' | 'PUT', body?: object) =>
    app.call(method, '/api/silence', { host: HOST, token, ...(body ? { body } : {}) });
};

beforeAll(async () => {
  app = await testApp({ clock: new ManualClock('2026-03-10T15:30:00Z') });
  root = await app.make.root({ host: 'root.silence.test' });
  const agency = await app.make.agency(root, { host: HOST, name: 'Acme' });
  client = await app.make.client(agency);
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  await app.make.user(client, { email: 'owner@x.test', password: PASSWORD });
  await app.make.user(client, { email: 'admin@x.test', password: PASSWORD, role: 'administrator' });
  await app.make.user(await app.make.client(agency), { email: 'other@x.test', password: PASSWORD });
});
afterAll(() => app.close());

describe('[BEY-10] a site that goes silent is told of', () => {
  let tents: MadeCampaign;
  let stoves: MadeCampaign;

  test('once, to the users of its client, all silent sites in one email, whatever the name is', async () => {
    tents = await app.make.campaign(client, { name: '<b>Tents</b> evil.example' });
    stoves = await app.make.campaign(client, { name: 'Stoves' });
    await busyUntil(tents, 11);
    await busyUntil(stoves, 2);
    expect([await due(), await to()]).toEqual([0, []]);
    app.clock.advance(3 * HOUR);
    await heard(stoves, [0]);
    // Two workers.
    const sent = await Promise.all([due(), due()]);
    expect(sent.sort()).toEqual([0, 2]);
    const told = await mails();
    expect(told.map(({ to_address }) => to_address).sort()).toEqual(['admin@x.test', 'owner@x.test']);
    expect(told[0]!.subject).toMatch(/^The site of .* is silent$/);
    expect(told[0]!.body!.text).toMatch(/silent since March 9, 11:00\sPM CDT|silent since March \d+ at/);
    expect(told[0]!.body!.text).not.toContain('Stoves');
    expect(told[0]!.body!.html).not.toContain('<b>Tents</b>');
    app.clock.advance(24 * HOUR);
    await heard(stoves, [0]);
    expect(await due()).toBe(0);
  });

  test('again only after something was heard, and not because the campaign was changed or paused', async () => {
    for (const state of ['paused', 'active']) {
      await app.admin.query('update campaign set state = $2, updated_at = $3 where id = $1', [
        tents.id,
        state,
        app.clock.now(),
      ]);
      expect(await due()).toBe(0);
    }
    await heard(tents, [0]);
    expect(await due()).toBe(0);
    app.clock.advance(90 * HOUR);
    expect(await due()).toBe(2);
    const [mail] = await mails();
    expect(mail!.subject).toBe('2 of your sites are silent');
    expect(mail!.body!.text).toContain('Stoves');
  });

  test('not to who turned it off in the profile or with one click, nor may see no campaigns', async () => {
    const owner = await signedIn('owner@x.test');
    expect((await owner('GET')).body).toMatchObject({ is_on: true, email: 'owner@x.test' });
    for (const _ of ['once', 'again']) expect((await owner('PUT', { is_on: false })).status).toBe(200);
    expect((await owner('GET')).body).toMatchObject({ is_on: false });
    expect((await owner('PUT', { is_on: 'no' })).status).toBe(422);
    await heard(tents, [0]);
    await due();
    app.clock.advance(90 * HOUR);
    expect(await due()).toBe(1);
    const [mail] = await mails();
    expect(mail!.to_address).toBe('admin@x.test');
    const token = mail!.body!.unsubscribe!.split('/').at(-1)!;
    const stop = (text: string) =>
      app.call('POST', `/unsubscribe/${text}`, { host: HOST, headers: { 'content-type': 'text/plain' } });
    expect((await stop(`${token}x`)).status).toBe(410);
    for (const _ of ['once', 'again']) expect((await stop(token)).status).toBe(200);
    const log = await app.admin.query(
      `select action from user_log where action like 'pixel.silence%' order by 1`,
    );
    expect(log.rows.map(({ action }) => action)).toEqual([
      'pixel.silence_choose',
      'pixel.silence_unsubscribed',
    ]);
    await heard(tents, [0]);
    await due();
    app.clock.advance(90 * HOUR);
    expect(await due()).toBe(0);
    expect(await to()).toEqual([]);
  });

  test('is a choice of a client’s own users', async () => {
    expect((await (await signedIn('agency@x.test'))('GET')).status).toBe(404);
    expect((await (await signedIn('other@x.test'))('GET')).body).toMatchObject({ is_on: true });
  });
});
