import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let client: Company;
let sibling: Company;
let asClient: string;
let asAgency: string;
let asSibling: string;
const HOST = 'acme.test';
const fields = { campaignName: 'Tents', urlCode: 'https://shop.example.com/' };

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test' });
  const agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  sibling = await app.make.client(agency);
  for (const [company, email] of [
    [agency, 'agency@x.test'],
    [client, 'client@x.test'],
    [sibling, 'sibling@x.test'],
  ] as const)
    await app.make.user(company, { email, password: PASSWORD });
  asAgency = await app.signIn('agency@x.test', HOST);
  asClient = await app.signIn('client@x.test', HOST);
  asSibling = await app.signIn('sibling@x.test', HOST);
});
afterAll(() => app.close());

const call = (
  token: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: Record<string, unknown>,
) => app.call(method, `/api/leadspeek/${path}`, { host: HOST, token, ...(body ? { body } : {}) });
const list = async (token: string, query = '') =>
  (await call(token, 'GET', `company-group${query}`)).body.data as {
    id: string;
    group_name: string;
    campaigns: number;
  }[];
const add = async (token: string, group_name: string): Promise<string> =>
  ((await call(token, 'POST', 'company-group', { group_name })).body.data as { id: string }).id;

describe('[CAMP-16] company groups', () => {
  test("'View All' with an empty id comes first; groups are added, renamed and deleted", async () => {
    expect(await list(asClient)).toEqual([{ id: '', group_name: 'View All', campaigns: 0 }]);
    const winter = await add(asClient, 'Winter');
    await add(asClient, 'autumn');
    expect((await list(asClient)).map((one) => one.group_name)).toEqual(['View All', 'autumn', 'Winter']);
    const same = await call(asClient, 'POST', 'company-group', { group_name: ' winter ' });
    expect([same.status, same.body.errors]).toEqual([
      409,
      { group_name: ['is already the name of another group'] },
    ]);
    const clash = await call(asClient, 'PUT', `company-group/${winter}`, { group_name: 'Autumn' });
    expect(clash.status).toBe(409);
    const renamed = await call(asClient, 'PUT', `company-group/${winter}`, { group_name: 'WINTER' });
    expect(renamed.body).toMatchObject({
      message: 'Data has been updated successfully',
      data: { id: winter, group_name: 'WINTER', campaigns: 0 },
    });
    expect((await call(asClient, 'DELETE', `company-group/${winter}`)).status).toBe(200);
    expect((await call(asClient, 'DELETE', `company-group/${winter}`)).status).toBe(404);
    expect((await list(asClient)).map((one) => one.group_name)).toEqual(['View All', 'autumn']);
  });

  test.each(['', '   ', 'x'.repeat(101), 'a\u0000b', 7])('refuses the name %j', async (group_name) => {
    const { status, body } = await call(asClient, 'POST', 'company-group', { group_name });
    expect([status, Object.keys(body.errors as object)]).toEqual([422, ['group_name']]);
  });

  test('a campaign is in one group, the list is narrowed to it, and it survives its group', async () => {
    const group = await add(asClient, 'Spring');
    const other = await add(asClient, 'Summer');
    const make = async (companyGroupID?: string) =>
      (
        await call(asClient, 'POST', 'client/create', {
          ...fields,
          ...(companyGroupID === undefined ? {} : { companyGroupID }),
        })
      ).body.data as { leadspeekID: string; version: number; companyGroupID: string | null };
    const first = await make(group);
    const second = await make();
    expect([first.companyGroupID, second.companyGroupID]).toEqual([group, null]);
    const shown = async (id: string) =>
      (
        (await call(asClient, 'GET', `client/list?companyGroupID=${id}`)).body.data as {
          leadspeekID: string;
        }[]
      )
        .map((row) => row.leadspeekID)
        .sort();
    expect(await shown(group)).toEqual([first.leadspeekID]);
    expect(await shown('')).toEqual([first.leadspeekID, second.leadspeekID].sort());
    const change = async (more: object) =>
      (
        await call(asClient, 'PUT', 'client/update', {
          ...fields,
          leadspeekID: first.leadspeekID,
          version: (
            (
              await call(asClient, 'GET', `getcampaign/${first.leadspeekID}`)
            ).body as never as typeof first
          ).version,
          ...more,
        })
      ).body.data as { companyGroupID: string | null };
    expect((await change({})).companyGroupID).toBe(group);
    expect((await change({ companyGroupID: other })).companyGroupID).toBe(other);
    expect(await shown(group)).toEqual([]);
    expect(await list(asClient)).toContainEqual({ id: other, group_name: 'Summer', campaigns: 1 });
    await call(asClient, 'DELETE', `company-group/${other}`);
    expect((await call(asClient, 'GET', `getcampaign/${first.leadspeekID}`)).body.companyGroupID).toBeNull();
    expect((await change({ companyGroupID: group })).companyGroupID).toBe(group);
    expect((await change({ companyGroupID: '' })).companyGroupID).toBeNull();
  });

  test('agency and client sort the same campaign each its own way; siblings and their groups stay apart', async () => {
    const mine = await add(asClient, 'Mine');
    const theirs = await add(asAgency, 'Ours');
    const made = (await call(asClient, 'POST', 'client/create', { ...fields, companyGroupID: mine })).body
      .data as { leadspeekID: string; version: number };
    const asked = { ...fields, leadspeekID: made.leadspeekID, version: made.version };
    const set = await call(asAgency, 'PUT', 'client/update', { ...asked, companyGroupID: theirs });
    expect((set.body.data as { companyGroupID: string }).companyGroupID).toBe(theirs);
    expect((await call(asClient, 'GET', `getcampaign/${made.leadspeekID}`)).body.companyGroupID).toBe(mine);
    // The agency sees its client's groups but cannot change them; a sibling sees nothing.
    expect((await list(asAgency, `?companyID=${client.id}`)).map((one) => one.group_name)).toContain('Mine');
    expect((await list(asAgency)).map((one) => one.group_name)).toEqual(['View All', 'Ours']);
    for (const token of [asAgency, asSibling]) {
      expect((await call(token, 'PUT', `company-group/${mine}`, { group_name: 'X' })).status).toBe(404);
      expect((await call(token, 'DELETE', `company-group/${mine}`)).status).toBe(404);
    }
    expect((await call(asSibling, 'GET', `company-group?companyID=${client.id}`)).status).toBe(404);
    expect((await call(asClient, 'GET', `company-group?companyID=${sibling.id}`)).status).toBe(404);
    const foreign = await call(asSibling, 'POST', 'client/create', { ...fields, companyGroupID: mine });
    expect([foreign.status, Object.keys(foreign.body.errors as object)]).toEqual([422, ['companyGroupID']]);
    expect((await call(asSibling, 'GET', `client/list?companyGroupID=${mine}`)).body.total).toBe(0);
  });
});
