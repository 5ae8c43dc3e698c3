import { agencyzoomStub } from './agencyzoom/stub.ts';
import { clickfunnelsStub } from './clickfunnels/stub.ts';
import { gohighlevelStub } from './gohighlevel/stub.ts';
import { gohighlevelV1Stub } from './gohighlevel-v1/stub.ts';
import { googleSheetsStub } from './google-sheets/stub.ts';
import { hubspotStub } from './hubspot/stub.ts';
import { kartraStub } from './kartra/stub.ts';
import { mailboxpowerStub } from './mailboxpower/stub.ts';
import { sendgridStub } from './sendgrid/stub.ts';
import { slackStub } from './slack/stub.ts';
import type { Stub } from './stub.ts';
import { teamsStub } from './teams/stub.ts';
import { zapierStub } from './zapier/stub.ts';

/** A stand-in for each vendor, by id: the demo's services. */
export const stubs: Readonly<Record<string, () => Stub>> = {
  agencyzoom: agencyzoomStub,
  clickfunnels: clickfunnelsStub,
  gohighlevel: gohighlevelStub,
  'gohighlevel-v1': gohighlevelV1Stub,
  'google-sheets': googleSheetsStub,
  hubspot: hubspotStub,
  kartra: kartraStub,
  mailboxpower: mailboxpowerStub,
  sendgrid: sendgridStub,
  slack: slackStub,
  teams: teamsStub,
  zapier: zapierStub,
};
