import { oc } from '@orpc/contract';
import type { Permission } from './accounts/permissions.ts';

/** What a call requires: no sign-in, or a signed-in user with this permission. */
export interface Meta {
  access?: 'public' | Permission;
  /**
   * Refused in view mode (403): anything that changes a person's passwords, second factors, sessions or ways in, or
   * that moves money (cards, charges, balances).
   */
  notInView?: true;
  /**
   * Refused (403 naming `confirm`) unless the person signed in or confirmed their identity (POST /user/confirm) within
   * the last 15 minutes: calls that move money, change where leads are sent or where money is paid out, or give someone a
   * way in or rights. 'access': the latter, which are also refused to someone who has nothing to confirm with.
   */
  fresh?: true | 'access';
  /**
   * Open to salespeople in view mode: a call that changes nothing in the company viewed and shows no more than who is
   * viewed. All others refuse them (403), except GET calls whose permission is one of `SALES_VIEW_READS`.
   */
  salesView?: true;
  /** Open to a session that can only set up the second factor required of its user; all other calls refuse (403). */
  beforeFactor?: true;
}

/** Start of every call's contract. */
export const call = oc.$meta<Meta>({});
