import { hash } from 'node:crypto';
import { extractText } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { templateOf } from './documents.policy.ts';

let app: TestApp;
let agency: Company;
let user: { id: string; email: string };
let token: string;
let root: Company;
const host = 'acme.test';

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true, name: 'Meridian' });
  agency = await app.make.agency(root, { host, name: 'Acme', brand: { name: 'Acme' } });
  user = await app.make.user(agency, { password: PASSWORD });
  token = await app.signIn(user.email, host);
});
afterAll(() => app.close());

const ask = (method: 'GET' | 'POST', path: string, body?: object) =>
  app.call(method, `/api/general/${path}`, { host, token, body });
const status = async (feature: number) =>
  (await ask('GET', `marketing-services-agreement-feature?user_id=${user.id}&feature_id=${feature}`)).body;
const feature = (more: object = {}) =>
  ask('POST', 'marketing-services-agreement-feature', {
    feature_id: 1,
    feature_name: 'Data Wallet',
    user_id: user.id,
    is_marketing_services_agreement_feature: 'T',
    company_name: 'Acme',
    company_id: agency.id,
    location_menu: 'Data Wallet',
    ...more,
  });
const rows = async () =>
  (
    await app.admin.query(
      'select * from agreement_acceptance where company_id = $1 order by accepted_at, id',
      [agency.id],
    )
  ).rows;

describe('[BETA-03] agreements', () => {
  test('of a feature: not agreed, refused without the tick, then kept with hash, time and address, once', async () => {
    expect(await status(1)).toEqual({ status: 'F', version: '1', name: 'data_wallet', party: 'Meridian' });
    const unticked = await feature({ is_marketing_services_agreement_feature: 'F' });
    expect([unticked.status, unticked.body.message]).toEqual([422, messages.clickAgree]);
    expect(await rows()).toEqual([]);
    expect((await feature()).body).toMatchObject({ result: 'success', status: 'T', version: '1' });
    expect((await feature()).status).toBe(200);
    expect(await status(1)).toMatchObject({ status: 'T' });
    expect(await status(2)).toMatchObject({ status: 'F', name: 'b2b_module' });
    expect(await status(3)).toMatchObject({ status: 'F', name: 'simplifi_module' });
    const shown = (await ask('GET', 'document/data_wallet')).body.data as string;
    expect(shown).toContain('Meridian');
    expect(await rows()).toEqual([
      expect.objectContaining({
        user_id: user.id,
        document_type: 'data_wallet',
        version: '1',
        text_hash: hash('sha256', shown),
        ip: '127.0.0.1',
        accepted_at: app.clock.now(),
        company_name: 'Acme',
        location_menu: 'Data Wallet',
      }),
    ]);
  });

  test("the developer's, and the documents of minimum spend and of agencies", async () => {
    const developer = async () => (await ask('GET', `marketing-services-agreement/${agency.id}`)).body;
    expect(await developer()).toEqual({
      is_marketing_services_agreement_developer: 'F',
      first_time_charge: '349.00',
      minimum_spend_max: '0.00',
      minimum_spend_amount_list: [],
      minimum_spend_flat: '0.00',
    });
    await app.admin.query(
      `with plan as (insert into minspend_plan (id, root_id, company_id, name, is_default, created_at)
         values (gen_random_uuid(), $1, $1, 'Growth', true, now()) returning id)
       insert into minspend_amount (root_id, company_id, plan_id, valid_from, months, flat)
       select $1, $1, id, '2000-01-01', '{150000000,300000000,200000000}', 0 from plan`,
      [agency.root_id],
    );
    expect(await developer()).toMatchObject({
      minimum_spend_max: '300.00',
      minimum_spend_amount_list: ['150.00', '300.00', '200.00'],
    });
    const agree = (document_type?: string, more: object = {}) =>
      ask('POST', 'marketing-services-agreement', {
        user_id: user.id,
        is_marketing_services_agreement_developer: 'T',
        company_name: 'Acme',
        company_id: agency.id,
        location_menu: 'Developer',
        document_type,
        ...more,
      });
    // It costs money, and requires developer mode and a card (server/features/developer/api/developer.test.ts).
    const owner = { root_id: root.id, agency_id: agency.id, company_id: agency.id };
    await app.features.billing.accounts.sandboxCard(owner, 'works');
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.billing.accounts.setTerms(tx, owner, { api_mode: true, updated_at: app.clock.now() }),
    );
    expect((await agree()).body).toMatchObject({ result: 'success' });
    expect(await developer()).toMatchObject({ is_marketing_services_agreement_developer: 'T' });
    for (const name of ['minimum_spend', 'minimum_spend_v2', 'minimum_spend_v3', 'default_agency'])
      expect((await agree(name)).status).toBe(200);
    expect((await agree('default_client')).status).toBe(422);
    expect((await agree('developer', { is_marketing_services_agreement_developer: 'F' })).body.message).toBe(
      messages.clickAgree,
    );
  });

  test('only for oneself and the own company', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';
    expect((await feature({ user_id: nobody })).status).toBe(404);
    expect((await feature({ company_id: nobody })).status).toBe(404);
    expect((await ask('GET', `marketing-services-agreement/${nobody}`)).status).toBe(404);
    expect(
      (await ask('GET', `marketing-services-agreement-feature?user_id=${nobody}&feature_id=1`)).status,
    ).toBe(404);
    expect((await feature({ feature_id: 4 })).status).toBe(422);
  });
});

describe('[AGCY-20] [AGCY-04] the agreement file of a company', () => {
  /** Downloads with a one-use token; returns the status and the text of the response. */
  async function file(who: string, at: string, companyId: string) {
    const path = `/api/configuration/agreement/${companyId}/file`;
    const { body } = await app.call('POST', '/api/general/download-token', {
      host: at,
      token: who,
      body: { path },
    });
    const answer = await app.server.inject({ method: 'GET', url: String(body.url), headers: { host: at } });
    if (answer.statusCode !== 200) return { status: answer.statusCode, text: '', name: '' };
    const pages = await extractText(new Uint8Array(answer.rawPayload), { mergePages: true });
    const name = String(answer.headers['content-disposition']);
    return { status: 200, text: pages.text.replaceAll(/\s+/g, ' '), name };
  }
  const fileOf = async (companyId: string, who: string, at: string, parent: string) => {
    const url = `/api/configuration/user/${parent}/all/all/all/all/all/all/all?PerPage=100`;
    const { body } = await app.call('GET', url, { host: at, token: who });
    return (body.data as { company_id: string; company_agreement_file: string }[]).find(
      (row) => row.company_id === companyId,
    )!.company_agreement_file;
  };

  test('is there once the agreement is accepted, made on demand, with its text and who accepted it', async () => {
    const owner = await app.make.user(root, { email: 'root@x.test', password: PASSWORD });
    const rootToken = await app.signIn(owner.email, 'root.test');
    const made = await app.make.agency(root, { host: 'new.test', name: 'New & <Bright>' });
    const person = await app.make.user(made, { name: 'Nia New', password: PASSWORD });
    const theirs = await app.signIn(person.email, 'new.test');
    expect(await fileOf(made.id, rootToken, 'root.test', root.id)).toBe('');
    expect((await file(rootToken, 'root.test', made.id)).status).toBe(404);
    const agreed = await app.call('POST', '/api/general/marketing-services-agreement', {
      host: 'new.test',
      token: theirs,
      body: {
        user_id: person.id,
        is_marketing_services_agreement_developer: 'T',
        company_name: 'New',
        company_id: made.id,
        location_menu: 'Set-up',
        document_type: 'default_agency',
      },
    });
    expect(agreed.status).toBe(200);
    expect(await fileOf(made.id, rootToken, 'root.test', root.id)).toBe('download');
    const { status, text, name } = await file(rootToken, 'root.test', made.id);
    expect([status, name]).toEqual([200, 'attachment; filename="agreement-New-Bright-.pdf"']);
    for (const part of [
      'Agency agreement',
      'Meridian and New & <Bright>',
      'Accepted on behalf of New & <Bright>',
      'By Nia New',
      'version 1',
      'March 10, 2026',
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/SHA-256 of the text [0-9a-f]{64}/);
    expect(text).not.toContain('has changed since');
  });

  test("a client's is with its agency; another tenant's is not there", async () => {
    const client = await app.make.client(agency, { name: 'Cleo' });
    const person = await app.make.user(client, { name: 'Clara', password: PASSWORD });
    const owner = { root_id: root.id, agency_id: agency.id, company_id: client.id };
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.agreements.accept(tx, {
        owner,
        userId: person.id,
        document: 'default_client',
        at: app.clock.now(),
        ip: '203.0.113.9',
        text: { ...templateOf('default_client', 'Acme'), title: 'An older wording' },
      }),
    );
    expect(await fileOf(client.id, token, host, agency.id)).toBe('download');
    const { text } = await file(token, host, client.id);
    for (const part of ['An older wording', 'Acme and Cleo', 'From 203.0.113.9'])
      expect(text).toContain(part);
    expect(text).not.toContain('Meridian');
    const other = await app.make.agency(root, { host: 'other.test' });
    const stranger = await app.make.user(other, { password: PASSWORD });
    const theirs = await app.signIn(stranger.email, 'other.test');
    expect((await file(theirs, 'other.test', client.id)).status).toBe(404);
    expect((await file(token, host, 'no-id')).status).toBe(404);
    const mine = await app.signIn(person.email, host);
    expect((await file(mine, host, client.id)).status).toBe(403);
  });
});
