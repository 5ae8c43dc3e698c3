import { z } from 'zod';
import { call } from '../base.ts';
import { Done, hasControls, Id } from '../primitives.ts';

/** The most parameters and columns that a view can hold; a page has far fewer. */
const MAX_PARAMS = 20;
const MAX_COLUMNS = 40;

export const DENSITIES = ['comfortable', 'compact'] as const;

export const ListName = z
  .string()
  .regex(/^[a-z][a-z0-9.-]{0,59}$/, 'must be the name of a list, such as leads')
  .describe('The name of a list on the screens, such as leads or campaigns');

const Columns = z
  .array(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/i, 'must be the names of columns'))
  .max(MAX_COLUMNS, `must not have more than ${MAX_COLUMNS} columns`)
  .nullable()
  .describe('The columns shown, or null for the default columns of the list');

const ViewName = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(60, 'must not exceed 60 characters')
  .refine((text) => !hasControls(text), 'must not contain control characters');

export const Params = z
  .record(
    z.string().regex(/^[a-z_]{1,40}$/i, 'must be names of parameters'),
    z.string().max(300, 'must not exceed 300 characters'),
  )
  .refine(
    (params) => Object.keys(params).length <= MAX_PARAMS,
    `must not have more than ${MAX_PARAMS} parameters`,
  )
  .describe("The filters and sort, as in the page's address");

const Look = z.object({ list: ListName, density: z.enum(DENSITIES), columns: Columns });

const View = z.object({
  id: Id,
  list: ListName,
  name: ViewName,
  is_shared: z.boolean().describe('Whether everyone in the company sees it'),
  params: Params,
  columns: Columns,
});

const Which = z.object({ id: Id });

/** How people look at lists: columns and density for each person, and saved views. */
export const views = {
  mine: call
    .route({
      method: 'GET',
      path: '/user/lists',
      tags: ['Users'],
      summary: 'Returns your list settings and the saved views that you can use',
    })
    .meta({ access: 'session.own' })
    .output(
      z.object({
        looks: z.array(Look),
        views: z
          .array(
            View.extend({
              by: z.string().describe('The name of the user who saved it'),
              may_change: z.boolean().describe('Whether you may change and delete it'),
            }),
          )
          .describe('By name: your own and those shared in your company'),
      }),
    ),
  setLook: call
    .route({
      method: 'PUT',
      path: '/user/lists/look',
      tags: ['Users'],
      summary: 'Saves the columns and density of a list for you',
    })
    .meta({ access: 'session.own', notInView: true })
    .input(Look)
    .output(Done),
  create: call
    .route({ method: 'POST', path: '/user/lists/view', tags: ['Users'], summary: 'Saves a view of a list' })
    .meta({ access: 'session.own', notInView: true })
    .input(View.omit({ id: true }))
    .output(Done.extend({ id: Id })),
  update: call
    .route({
      method: 'PUT',
      path: '/user/lists/view/{id}',
      tags: ['Users'],
      summary: 'Changes a view that you saved, or as an owner, one that is shared in your company',
    })
    .meta({ access: 'session.own', notInView: true })
    .input(Which.extend(View.omit({ id: true, list: true }).partial().shape))
    .output(Done),
  remove: call
    .route({
      method: 'DELETE',
      path: '/user/lists/view/{id}',
      tags: ['Users'],
      summary: 'Deletes a view that you saved, or as an owner, one that is shared in your company',
    })
    .meta({ access: 'session.own', notInView: true })
    .input(Which)
    .output(Done),
};
