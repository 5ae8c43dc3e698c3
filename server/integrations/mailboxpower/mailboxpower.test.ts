import { describe, expect, it } from 'vitest';
import { attempt } from '../attempt.ts';
import { bench } from '../bench.ts';
import { baseOf } from '../port.ts';
import { integrationSuite } from '../suite.ts';
import { mailboxpower } from './index.ts';
import { mailboxpowerStub } from './stub.ts';

integrationSuite(mailboxpower, {
  stub: mailboxpowerStub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '9' }, json: {} }, afterMs: 9_000 },
  badField: { key: 'state', value: 'Illinois' },
});

describe('MailBoxPower: its own rules', () => {
  it('[INTG-02] the same name and address is the same contact, whatever the email', async () => {
    const at = await bench(mailboxpower, mailboxpowerStub());
    const { fields } = at.request();
    await attempt(mailboxpower, at.way, at.request(), null, false);
    await attempt(
      mailboxpower,
      at.way,
      at.request({ fields: { ...fields, email: 'z@example.com' } }),
      null,
      false,
    );
    expect(at.stub.records()).toMatchObject([{ fields: { email: 'z@example.com' } }]);
    await at.stop();
  });

  it.each([
    ['https://api.mailboxpower.com/v1/contacts', 'https://api.mailboxpower.com/v1/contacts'],
    [' https://api.mailboxpower.com/v1/contacts/ ', 'https://api.mailboxpower.com/v1/contacts'],
    ['http://api.mailboxpower.com/v1', undefined],
    ['https://user:secret@api.mailboxpower.com/', undefined],
    ['api.mailboxpower.com', undefined],
    ['', undefined],
  ])('[INTG-02] the address %j is taken as %j', (address, base) => {
    expect(baseOf(mailboxpower, { address })).toBe(base);
  });

  it('[INTG-02] the key goes into the header that was named, and into no other kind', async () => {
    const at = await bench(mailboxpower, mailboxpowerStub());
    const test = (header: string) =>
      mailboxpower.test({ ...at.way, credentials: { ...at.way.credentials, header } });
    expect(await test('X-Api-Key')).toMatchObject({ isConnected: false });
    expect(at.running.requests.at(-1)!.headers['x-api-key']).toBe(at.way.credentials.key);
    const asked = at.running.requests.length;
    for (const header of ['Host', 'a b', 'x\r\ny: z', 'transfer-encoding', 'Expect', 'content-type'])
      expect(await test(header)).toEqual({ isConnected: false, why: 'The name of the header is not valid.' });
    expect(at.running.requests).toHaveLength(asked);
    await at.stop();
  });
});
