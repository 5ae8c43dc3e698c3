import { oc } from '@orpc/contract';
import type { Permission } from './permissions.ts';

/** What a call needs: nobody signed in, anybody signed in with this permission. */
export interface Meta {
  access?: 'public' | Permission;
  /**
   * Refused in view mode (403): what changes a person's passwords, second factors, sessions or ways in, and what moves
   * money (cards, charges, balances).
   */
  notInView?: true;
  /**
   * Refused (403 naming `confirm`) unless the person signed in, or confirmed who they are (POST /user/confirm), within the
   * last 15 minutes: what moves money, where leads are sent, where money is paid out.
   */
  fresh?: true;
  /**
   * Open to sales people in view mode, though it is no GET: it changes nothing of the company viewed. All other calls that
   * are none refuse them (403).
   */
  salesView?: true;
  /** Open to a session that can only set up the second factor that is required of its person; all else refuses (403). */
  beforeFactor?: true;
}

/** Start of every call's contract. */
export const call = oc.$meta<Meta>({});
