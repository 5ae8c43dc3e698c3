import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../test/app.ts';
import { inScope } from '../../platform/db/scope.ts';
import * as store from './store.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

test('x', async () => {
  const root = await app.make.root({ host: 'data.test' });
  const agency = await app.make.agency(root);
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    await store.companyById(tx, agency.id, true); console.log(1);
    await store.choicesOf(tx, [agency.id]); console.log(2);
    await store.askedOf(tx, {id: agency.id, kind: 'agency'}); console.log(3);
    await store.keepChoice(tx, {root_id: root.id, agency_id: agency.id, company_id: agency.id}, {information: [1], providers: []}, new Date()); console.log(4);
  });
});
