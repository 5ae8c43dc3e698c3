import { describe, expect, it } from 'vitest';
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
    for (const header of ['Host', 'a b', 'x\r\ny: z', 'transfer-encoding'])
      expect(await test(header)).toEqual({ isConnected: false, why: 'The name of the header is not valid.' });
    expect(at.running.requests).toHaveLength(asked);
    await at.stop();
  });
});
