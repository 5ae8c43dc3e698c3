import { agencyzoom } from './agencyzoom/index.ts';
import { clickfunnels } from './clickfunnels/index.ts';
import { gohighlevel } from './gohighlevel/index.ts';
import { gohighlevelV1 } from './gohighlevel-v1/index.ts';
import { googleSheets } from './google-sheets/index.ts';
import { hubspot } from './hubspot/index.ts';
import { kartra } from './kartra/index.ts';
import { mailboxpower } from './mailboxpower/index.ts';
import type { Vendor } from './port.ts';
import { sendgrid } from './sendgrid/index.ts';
import { slack } from './slack/index.ts';
import { teams } from './teams/index.ts';
import { zapier } from './zapier/index.ts';

/** Every vendor that leads can be delivered to, besides webhooks. Adding one is a folder and a line here. */
const VENDORS: readonly Vendor[] = [
  agencyzoom,
  clickfunnels,
  gohighlevel,
  gohighlevelV1,
  googleSheets,
  hubspot,
  kartra,
  mailboxpower,
  sendgrid,
  slack,
  teams,
  zapier,
];

export const vendors: ReadonlyMap<string, Vendor> = new Map(VENDORS.map((vendor) => [vendor.id, vendor]));

export { type Attempted, attempt, attemptMany, outcomeOf, vendorWords } from './attempt.ts';
export { createHttp, type Http } from './http.ts';
export {
  exchangeCode,
  newVerifier,
  type OAuthClient,
  renewTokens,
  revokeTokens,
  signInUrl,
} from './oauth.ts';
export type {
  Choice,
  Credentials,
  Customer,
  Lead,
  Queue,
  Request,
  Result,
  TestResult,
  Vendor,
  Way,
} from './port.ts';
export { createRedactor, type Redactor, recorded } from './record.ts';
