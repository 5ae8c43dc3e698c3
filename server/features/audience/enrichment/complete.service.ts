import { z } from 'zod';
import type { InformationKey } from '../../../../contract/audience/enrichment-fields.ts';
import type { DataVendor, VendorAnswer } from '../../../platform/data-vendor.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import { KEY_PURPOSE, type Vendor } from './policy.ts';
import * as store from './store.ts';

export type Vendors = Record<Vendor, DataVendor>;

/** The longest a lead waits for a vendor before it is sent. */
export const WAIT_MS = 30_000;

const completeJob = defineJob('enrichment.complete', z.object({ rootId: z.uuid(), leadId: z.uuid() }), {
  retryLimit: 3,
  retryDelay: 2,
  expireInSeconds: 60,
});

/** Whether a lead must no longer be given to anyone; in the root's scope. */
export type IsWithheld = (tx: Tx, rootId: string, leadId: string) => Promise<boolean>;

/** Fills in missing data of leads by asking a vendor, before they are sent. */
export function createCompletion(
  { db, clock, vault, jobs, events, log }: Platform,
  { vendors, isWithheld }: { vendors: Vendors; isWithheld: IsWithheld },
) {
  /** Returns the fields of a lead that are unknown and that the vendor may know. */
  const missing = (fields: Record<string, string | null>, vendor: DataVendor): InformationKey[] =>
    (Object.keys(fields) as InformationKey[]).filter((key) => fields[key] === null && vendor.knows.has(key));

  return {
    /** Returns the root's vendors that can be asked, in the root's scope. */
    connected: async (tx: Tx, rootId: string): Promise<Set<Vendor>> =>
      new Set((await store.providersOf(tx, rootId)).map((row) => row.provider)),

    /** Whether a vendor may know what is missing. */
    isWorthAsking: (fields: Record<string, string | null>, vendor: Vendor): boolean =>
      missing(fields, vendors[vendor]).length > 0,

    /** Queues the completion of leads after the transaction that stores them. */
    begin: (tx: Tx, rootId: string, leadIds: readonly string[]): Promise<void> =>
      jobs.send(
        tx,
        completeJob,
        leadIds.map((leadId) => ({ rootId, leadId })),
      ),

    /**
     * Asks for one lead, outside any transaction, and stores what is found; a busy vendor is asked again while the lead
     * waits. Then announces the lead as ready. Safe to run twice: a second run finds that the lead no longer waits.
     */
    async run({ rootId, leadId }: { rootId: string; leadId: string }): Promise<void> {
      const scope = { rootId };
      const ready = await inScope(db.app, scope, async (tx) => {
        const waiting = await store.waitingLead(tx, leadId);
        const [provider] = await store.providersOf(tx, rootId);
        // A person put on a list in the meantime is disclosed to no one, including a vendor; the delivery handles the
        // rest.
        return (
          waiting && { waiting, provider: (await isWithheld(tx, rootId, leadId)) ? undefined : provider }
        );
      });
      if (!ready) return;
      const { waiting, provider } = ready;
      const vendor = vendors.pdl;
      const keys = missing(waiting.fields, vendor);
      let answer: VendorAnswer | undefined;
      if (provider && keys.length > 0 && waiting.waits_until > clock.now()) {
        try {
          answer = await vendor.enrich(vault.open(provider.key_sealed, KEY_PURPOSE), waiting.who, keys);
        } catch (error) {
          log.error({ err: error, leadId }, 'a data vendor could not be reached');
          answer = { kind: 'refused', why: 'The key cannot be decrypted with the current APP_KEY.' };
        }
      }
      await inScope(db.app, scope, async (tx) => {
        const still = await store.waitingLead(tx, leadId, true);
        if (!still) return;
        const now = clock.now();
        if (answer?.kind === 'busy') {
          const again = new Date(now.getTime() + answer.againMs);
          if (again < still.waits_until)
            return jobs.send(tx, completeJob, [{ rootId, leadId }], { startAfter: again });
        }
        const values = answer?.kind === 'found' ? answer.values : {};
        // Only what was asked for and is still missing; nothing else of a response is kept.
        const found = Object.fromEntries(keys.flatMap((key) => (values[key] ? [[key, values[key]]] : [])));
        await store.completeLead(tx, leadId, { ...still.fields, ...found });
        if (answer && provider) {
          const why = 'why' in answer ? answer.why : null;
          await store.countAnswer(tx, provider, Object.keys(found).length > 0, why, now);
        }
        await events.emit(tx, 'leads.completed', { rootId, leadIds: [leadId] });
      });
    },

    /** Starts the worker that asks vendors. */
    async start(): Promise<void> {
      await jobs.work(completeJob, { localConcurrency: 4, pollingIntervalSeconds: 2 }, (payload) =>
        this.run(payload),
      );
    },
  };
}

export type Completion = ReturnType<typeof createCompletion>;
