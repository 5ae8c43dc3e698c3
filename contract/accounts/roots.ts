import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Email, Flag, Id, Instant, Line, Page, PageQuery } from '../primitives.ts';
import { isHostName } from '../text.ts';

/** A root of the installation as the master root sees it, without any of its contents. */
export const RootNode = z.object({
  id: Id,
  name: z.string(),
  host: z.string(),
  owner_name: z.string(),
  owner_email: z.string(),
  agencies: z.int(),
  is_master: Flag,
  created_at: Instant,
});

/** Additional roots (enterprises), for the master root only; all others get a not-found response (spec calls 7). */
export const roots = {
  list: call
    .route({
      method: 'GET',
      path: '/configuration/root/list',
      tags: ['Roots'],
      summary: 'Lists the roots of the installation (master root only)',
    })
    .meta({ access: 'root.list' })
    .input(PageQuery)
    .output(Page(RootNode)),
  create: call
    .route({
      method: 'POST',
      path: '/configuration/root/create',
      tags: ['Roots'],
      summary: 'Creates another root and invites its owner by email (master root only)',
    })
    .meta({ access: 'root.create', notInView: true, fresh: 'access' })
    .input(
      z.object({
        name: Line,
        host: z
          .string()
          .trim()
          .toLowerCase()
          .min(1, 'is required')
          .max(253, 'must not exceed 253 characters')
          .refine(isHostName, 'must be a full host name such as leads.example.com'),
        owner_name: Line,
        owner_email: Email,
      }),
    )
    .output(Done.extend({ id: Id })),
};
