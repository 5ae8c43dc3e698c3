import { hubspotStub } from './hubspot/stub.ts';
import type { Stub } from './stub.ts';

/** A stand-in for each vendor, by id: the demo's services. */
export const stubs: Readonly<Record<string, () => Stub>> = { hubspot: hubspotStub };
