import { ManualClock } from '../platform/clock.ts';
import { createOutbound } from '../platform/outbound.ts';
import { createHttp } from './http.ts';
import { fieldsOf } from './mapping.ts';
import type { Request, Vendor, Way } from './port.ts';
import { type RunningStub, type Stub, startStub } from './stub.ts';
import { AT, LEAD } from './suite.ts';

/** A stub that runs and the way to it, for the tests of a vendor's own rules. */
export interface Bench<S extends Stub> {
  stub: S;
  running: RunningStub;
  way: Way;
  /** A request with the suite's lead and the stub's settings. */
  request(more?: Partial<Request>): Request;
  stop(): Promise<void>;
}

/** Starts a stub for the tests of a vendor's own rules. */
export async function bench<S extends Stub>(vendor: Vendor, stub: S): Promise<Bench<S>> {
  const running = await startStub(stub, vendor.id);
  const http = createHttp(createOutbound({ allow: [running.host] }), new ManualClock(AT));
  return {
    stub,
    running,
    way: { base: running.base, credentials: stub.credentials(running.base), http, now: () => AT },
    request: (more = {}) => ({
      settings: stub.settings,
      fields: fieldsOf(vendor, {}, LEAD),
      leadId: LEAD.lead_id,
      at: AT,
      ...more,
    }),
    stop: running.stop,
  };
}
