import { integrationSuite } from '../suite.ts';
import { hubspot } from './index.ts';
import { hubspotStub } from './stub.ts';

integrationSuite(hubspot, {
  stub: hubspotStub,
  tooMany: { answer: { status: 429, headers: { 'retry-after': '10' }, json: {} }, afterMs: 10_000 },
  badField: { key: 'email', value: 'not an address' },
});
