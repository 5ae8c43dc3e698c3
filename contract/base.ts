import { oc } from '@orpc/contract';
import type { Permission } from './permissions.ts';

/** What a call needs: nobody signed in, anybody signed in with this permission. */
export interface Meta {
  access?: 'public' | Permission;
}

/** Start of every call's contract. */
export const call = oc.$meta<Meta>({});
