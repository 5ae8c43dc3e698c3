import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../platform/clock.ts';
import { createOutbound } from '../platform/outbound.ts';
import { type Attempted, attempt, attemptMany, outcomeOf } from './attempt.ts';
import { createHttp } from './http.ts';
import { fieldsOf, missingFields } from './mapping.ts';
import type { Request, Sending, Vendor, Way } from './port.ts';
import { createRedactor, recorded } from './record.ts';
import { type RunningStub, type Stub, type StubAnswer, startStub } from './stub.ts';

/** What differs between vendors in the suite. */
export interface SuiteOptions {
  /** A new stub for each test. */
  stub: () => Stub;
  /** The vendor's way of saying "too many requests", and how long it asks to wait. */
  tooMany: { answer: StubAnswer; afterMs: number };
  /** A target field and a value that the vendor refuses for good; missing when it refuses none. */
  badField?: { key: string; value: string };
  /** A repeated message is a second one there, and nothing can be asked: a chat. */
  repeats?: boolean;
  /** Values that the vendor's stub stores under other names or not at all are left out of the comparison. */
  unseen?: readonly string[];
}

export const AT = new Date('2026-03-02T15:00:00Z');

/** A lead with everything that is known about a person, and with characters that must arrive as they are. */
export const LEAD = {
  lead_id: '0195a1f0-0000-7000-8000-000000000001',
  first_name: 'Zoë',
  last_name: 'O\'Hara <b>&"',
  email: 'zoe@example.com',
  phone: '+12025550123',
  phone_dnc: 'no',
  phone_dnc_checked_at: '2026-03-01T00:00:00.000Z',
  phone2: '+12025550124',
  phone2_dnc: 'unknown',
  address: '=1 Main St',
  city: 'Springfield',
  state: 'IL',
  zip: '62701',
  company_name: 'Hara & Sons',
  job_title: 'Owner',
  website: 'https://example.com/?a=1&b=2',
  campaign_id: '1001',
  campaign_name: 'Spring campaign',
  page_url: 'https://shop.example/pricing',
  created_at: '2026-03-02T14:59:00.000Z',
};

/** Someone else: neither the name, the address, the email address nor a phone number matches. */
const OTHER_LEAD = {
  ...LEAD,
  lead_id: '0195a1f0-0000-7000-8000-000000000002',
  first_name: 'Ann',
  address: '2 Main St',
  email: 'other@example.com',
  phone: '+12025550125',
  phone2: '+12025550126',
};

/** What every vendor's adapter must do, tried against its stub. */
export function integrationSuite(vendor: Vendor, options: SuiteOptions): void {
  const http = (allow: string) => createHttp(createOutbound({ allow: [allow] }), new ManualClock(AT));

  describe(`${vendor.name}: what every vendor's adapter does`, () => {
    let stub: Stub;
    let running: RunningStub;
    let way: Way;
    beforeEach(async () => {
      stub = options.stub();
      running = await startStub(stub, vendor.id);
      way = {
        base: running.base,
        credentials: stub.credentials(running.base),
        http: http(running.host),
        now: () => AT,
      };
    });
    afterEach(() => running.stop());

    const requestFor = (more: Record<string, string> = {}, lead: typeof LEAD = LEAD): Request => ({
      settings: stub.settings,
      fields: { ...fieldsOf(vendor, {}, lead), ...more },
      leadId: lead.lead_id,
      at: AT,
    });
    const deliver = (request = requestFor(), remoteId: string | null = null, isInDoubt = false) =>
      attempt(vendor, way, request, remoteId, isInDoubt);
    const delivered = ({ result }: Attempted) => {
      expect(result).toMatchObject({ kind: 'delivered' });
      return result;
    };

    it('[INTG-02] tells whether the credentials work, and what they lead to', async () => {
      expect(await vendor.test(way)).toEqual({ isConnected: true, account: expect.stringMatching(/\S/) });
      stub.revoke();
      expect(await vendor.test(way)).toEqual({ isConnected: false, why: expect.stringMatching(/\S/) });
    });

    it('[BEY-30] says whose refusal of an address counts: never where the client chooses where leads go', () => {
      const { judgesEmail, base, fields } = vendor;
      if (judgesEmail === null) return;
      expect(base).not.toContain('{');
      expect(fields.find(({ key }) => key === judgesEmail)?.from).toBe('email');
    });

    it('[INTG-02] delivers a lead once, every value as it is', async () => {
      const request = requestFor();
      expect(missingFields(vendor, request.fields)).toEqual([]);
      delivered(await deliver(request));
      const [record, ...others] = stub.records();
      expect(others).toEqual([]);
      const seen = Object.fromEntries(
        Object.entries(request.fields).filter(([key]) => !options.unseen?.includes(key)),
      );
      expect(record!.fields).toMatchObject(seen);
    });

    it('[INTG-02] two leads become two records', async () => {
      delivered(await deliver());
      delivered(await deliver(requestFor({}, OTHER_LEAD)));
      expect(stub.records()).toHaveLength(2);
    });

    it('[INTG-04] a response that was lost leads to exactly one record', async () => {
      running.loseNextAnswer();
      const first = await deliver();
      expect(first.result.kind).toBe('unknown');
      delivered(await deliver(requestFor(), first.remoteId, true));
      expect(stub.records()).toHaveLength(options.repeats ? 2 : 1);
    });

    it('[INTG-04] waits as long as the vendor asks', async () => {
      running.answerNext(options.tooMany.answer, 10);
      expect((await deliver()).result).toMatchObject({ kind: 'retry', afterMs: options.tooMany.afterMs });
      expect(stub.records()).toEqual([]);
    });

    it('[INTG-04] an outage is no reason to give up', async () => {
      running.answerNext({ status: 503, text: '<html>Service Unavailable</html>' }, 10);
      expect((await deliver()).result).toMatchObject({ kind: 'retry', status: 503 });
    });

    it('[INTG-04] revoked credentials break the connection, not the delivery', async () => {
      stub.revoke();
      expect((await deliver()).result).toMatchObject({ kind: 'broken', why: expect.stringMatching(/\S/) });
      expect(stub.records()).toEqual([]);
    });

    it('[INTG-04] answers that make no sense are taken for what they are', async () => {
      const odd: StubAnswer[] = [
        { status: 400, text: '<html>no</html>' },
        { status: 404, json: null },
        { status: 422, json: [] },
        { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
        { status: 200, text: 'x'.repeat(10_000_000) },
        { status: 200, json: { id: { nested: true }, results: 'none', contact: 7, data: [null] } },
      ];
      for (const answer of odd) {
        running.answerNext(answer, 10);
        const { result } = await deliver();
        expect(['final', 'retry', 'unknown', 'broken', 'delivered']).toContain(result.kind);
        if (answer.status >= 300) expect(result.kind).not.toBe('delivered');
        if (result.kind === 'final') expect(result.fix).toMatch(/\S/);
        expect(await vendor.test(way).catch((error) => outcomeOf(error))).toBeTruthy();
        await vendor.choices?.(way).catch((error) => outcomeOf(error));
      }
    });

    it('[INTG-04] an answer whose headers never end is a question, not a success', async () => {
      const endless = createServer((socket) => {
        socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\n');
        const more = () => {
          while (!socket.destroyed) {
            if (!socket.write(`x-more: ${'x'.repeat(1000)}\r\n`)) return void socket.once('drain', more);
          }
        };
        socket.once('data', more);
      });
      endless.listen(0, '127.0.0.1');
      await once(endless, 'listening');
      const host = `${vendor.id}.localhost:${(endless.address() as AddressInfo).port}`;
      try {
        way = {
          ...way,
          base: `http://${host}`,
          credentials: stub.credentials(`http://${host}`),
          http: http(host),
        };
        expect((await deliver()).result).toMatchObject({
          kind: 'unknown',
          why: 'The response headers are too large.',
        });
      } finally {
        endless.close();
      }
    });

    it('[INTG-02] never puts a credential into an address that is logged or into what it says', async () => {
      running.answerNext({ status: 400, json: { message: 'bad' } }, 10);
      const { result } = await deliver();
      const secrets = vendor.credentials.filter(({ isSecret }) => isSecret);
      for (const { key } of secrets) {
        const secret = way.credentials[key];
        if (secret) expect(JSON.stringify(result)).not.toContain(secret);
      }
    });

    it('[BEY-04] what is recorded of it holds no credential and nothing about the person', async () => {
      const secrets = vendor.credentials.flatMap(({ key, isSecret }) => {
        const value = isSecret && way.credentials[key];
        return value ? [value] : [];
      });
      const { lead_id, campaign_id, campaign_name, created_at, ...rest } = LEAD;
      // The flags are words of any response, 'unknown' and the like, and a check has only a date.
      const personal = Object.fromEntries(Object.entries(rest).filter(([key]) => !/^phone2?_dnc/.test(key)));
      const seen = async (request: Request, isInDoubt: boolean) => {
        const record = recorded(way.http, createRedactor([LEAD], secrets));
        await attempt(vendor, { ...way, http: record.http }, request, null, isInDoubt);
        return record.exchanges;
      };
      const exchanges = [...(await seen(requestFor(), false)), ...(await seen(requestFor(), true))];
      running.answerNext({ status: 422, json: { message: Object.values(personal).join(' ') } }, 1);
      exchanges.push(...(await seen(requestFor(), false)));
      expect(exchanges.length).toBeGreaterThan(1);
      const text = JSON.stringify(exchanges).toLowerCase();
      const open = [...Object.values(personal), ...secrets].filter((value) =>
        text.includes(value.toLowerCase()),
      );
      // A state alone is two letters that stand in many words.
      expect(open.filter((value) => value.length > 2)).toEqual([]);
      expect(text).toContain('{{email}}');
    });

    if (options.badField) {
      const { key, value } = options.badField;
      it('[INTG-04] a value that is refused is final, with a way to mend it', async () => {
        expect((await deliver(requestFor({ [key]: value }))).result).toMatchObject({
          kind: 'final',
          fix: expect.stringMatching(/\S/),
        });
      });
    }

    if (!options.repeats) {
      it('[INTG-04] a second delivery of a lead is an update', async () => {
        const first = await deliver();
        delivered(first);
        delivered(await deliver(requestFor(), first.remoteId));
        expect(stub.records()).toHaveLength(1);
      });

      it('[INTG-04] a record that was deleted there is made again', async () => {
        const first = await deliver();
        for (const { id } of stub.records()) stub.remove(id);
        delivered(await deliver(requestFor(), first.remoteId));
        expect(stub.records()).toHaveLength(1);
      });
    }

    if (vendor.deliverMany) {
      const batchOf = (count: number, more: Partial<Sending> = {}): Sending[] =>
        Array.from({ length: count }, (_, n) => {
          const lead = {
            ...LEAD,
            lead_id: `lead-${n}`,
            email: `zoe${n}@example.com`,
            phone: `+1202555${1000 + n}`,
          };
          return { request: requestFor({}, lead), remoteId: null, isInDoubt: false, ...more };
        });
      const send = (batch: Sending[]) => attemptMany(vendor, way, batch);

      it('[INTG-04] a batch becomes one record for each lead, in a few calls', async () => {
        const results = await send(batchOf(50));
        expect(results).toHaveLength(50);
        for (const one of results) delivered(one);
        expect(new Set(results.map(({ remoteId }) => remoteId)).size).toBe(50);
        expect(stub.records()).toHaveLength(50);
        const calls = vendor.queue?.quota?.eachBatch ?? 12;
        expect(running.requests.length).toBeLessThanOrEqual(calls);
      });

      it('[INTG-04] a batch whose response was lost leads to exactly one record for each lead', async () => {
        running.loseNextAnswer();
        for (const { result } of await send(batchOf(20))) expect(result.kind).toBe('unknown');
        for (const one of await send(batchOf(20, { isInDoubt: true }))) delivered(one);
        expect(stub.records()).toHaveLength(20);
      });

      it('[INTG-04] a batch of leads that arrived before is an update, and what was deleted is made again', async () => {
        const first = await send(batchOf(4));
        stub.remove(stub.records()[0]!.id);
        for (const one of await send(
          batchOf(4).map((sending, at) => ({ ...sending, remoteId: first[at]!.remoteId })),
        ))
          delivered(one);
        expect(stub.records()).toHaveLength(4);
      });

      it('[INTG-04] an outage, a quota, or revoked credentials hold for the whole batch', async () => {
        running.answerNext(options.tooMany.answer, 10);
        for (const { result } of await send(batchOf(3)))
          expect(result).toMatchObject({ kind: 'retry', afterMs: options.tooMany.afterMs });
        running.answerNext({ status: 200 }, 0);
        stub.revoke();
        for (const { result } of await send(batchOf(3))) expect(result.kind).toBe('broken');
      });

      if (options.badField) {
        const { key, value } = options.badField;
        it('[INTG-04] one refused value of a batch is final for its lead alone', async () => {
          const batch = batchOf(5);
          const [bad] = batch as [Sending];
          batch[0] = { ...bad, request: { ...bad.request, fields: { ...bad.request.fields, [key]: value } } };
          const kinds = (await send(batch)).map(({ result }) => result.kind);
          expect(kinds).toEqual(['final', ...Array(4).fill('delivered')]);
        });
      }
    }

    if (vendor.erase) {
      it('[INTG-04] deletes a record, also one that is gone', async () => {
        const { remoteId } = await deliver();
        await vendor.erase!(way, remoteId!);
        expect(stub.records()).toEqual([]);
        await vendor.erase!(way, remoteId!);
      });
    }

    if (vendor.customers) {
      const { list } = vendor.customers;
      it('[BEY-20] lists everyone whom it marks as a customer, page by page, and no one who is only a lead', async () => {
        await deliver();
        const given = Array.from({ length: 207 }, (_, n) => ({
          name: `Ada Lovelace${n}`,
          email: `c${n}@customers.example`,
          phone: n % 2 === 0 ? '+12025550188' : '',
        }));
        for (const one of given) stub.addCustomer!(one);
        const pages = [];
        for (let after: string | null = null, page = 0; page === 0 || after !== null; page++) {
          expect(page).toBeLessThan(10);
          const { customers, next }: { customers: typeof given; next: string | null } = await list(
            way,
            after,
          );
          pages.push(customers);
          after = next;
        }
        expect(pages.length).toBeGreaterThan(1);
        expect(pages.flat()).toEqual(given);
      });

      it('[BEY-20] says why it lists no customers', async () => {
        running.answerNext(options.tooMany.answer, 1);
        await expect(list(way, null)).rejects.toMatchObject({
          result: { kind: 'retry', afterMs: options.tooMany.afterMs },
        });
        stub.revoke();
        await expect(list(way, null)).rejects.toMatchObject({ result: { kind: 'broken' } });
      });
    }

    if (vendor.settings.some(({ kind }) => kind !== 'text') || vendor.hasOwnFields) {
      it('[INTG-02] offers choices for its settings', async () => {
        const choices = await vendor.choices!(way);
        for (const { key, kind } of vendor.settings) {
          if (kind !== 'text')
            expect(choices[key]).toContainEqual({ id: expect.any(String), name: expect.any(String) });
        }
        if (vendor.hasOwnFields) expect(choices.fields?.length).toBeGreaterThan(0);
      });
    }
  });
}
