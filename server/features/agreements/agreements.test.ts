import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { messages } from '../../../contract/messages.ts';
import { PASSWORD, type TestApp, testApp } from '../../test/app.ts';
import type { Company } from '../../test/factories.ts';

let app: TestApp;
let agency: Company;
let user: { id: string; email: string };
let token: string;
const host = 'acme.test';

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test', isMaster: true, name: 'Meridian' });
  agency = await app.make.agency(root, { host, name: 'Acme' });
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
