import { expect, test } from 'vitest';
import { leadTexts, ofLeadDetails, ofLeadTexts } from '../../../../contract/audience/person-texts.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, testApp } from '../../../test/app.ts';

const HOST = 'acme.test';

test('[INTG-02] what a file says of a person is on the lead, in its files, and in what is delivered', async () => {
  const app = await testApp();
  try {
    const root = await app.make.root({ host: 'root.test' });
    const agency = await app.make.agency(root, { host: HOST });
    const client = await app.make.client(agency);
    await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
    const campaign = await app.make.campaign(client, { price: 0n });
    const said = ofLeadTexts((name) => `${name} of Ada`);
    const { files } = app.features.people;
    const { id: importId } = await files.add(
      root.id,
      'people.csv',
      (async function* () {
        yield Buffer.from(
          `email,${leadTexts.map(({ exported }) => exported)}\nada@x.test,${leadTexts.map(({ name }) => said[name])}\n`,
        );
      })(),
      { kind: 'people' },
    );
    await files.queue(root.id, importId, {});
    expect(await files.run(root.id, importId)).toMatchObject({ state: 'done', rows_bad: 0n });
    await app.make.visit(campaign, { email: 'ada@x.test' });
    await app.features.leads.resolver.resolveAll();
    const { rows } = await app.admin.query('select id from lead where campaign_id = $1', [campaign.id]);
    const id: string = rows[0].id;

    const token = await app.signIn('client@x.test', HOST);
    const { body } = await app.call('GET', `/api/leadspeek/report/lead/${id}`, { host: HOST, token });
    expect(body).toMatchObject(ofLeadDetails((name) => said[name]));
    const message = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.leads.message(tx, [id]),
    );
    expect(message.get(id)!.person).toMatchObject(said);
    const link = await app.call('POST', '/api/general/download-token', {
      host: HOST,
      token,
      body: { path: `/api/leadspeek/report/lead/export?leadspeekID=${campaign.id}` },
    });
    const file = await app.server.inject({ url: String(link.body.url), headers: { host: HOST } });
    const [head = [], cells = []] = file.body.split('\r\n').map((line) => line.split(','));
    expect(leadTexts.map(({ exported }) => cells[head.indexOf(exported)])).toEqual(
      leadTexts.map(({ name }) => said[name]),
    );
  } finally {
    await app.close();
  }
});
