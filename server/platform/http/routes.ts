import type { AnySchema, ContractProcedure, InferSchemaInput, InferSchemaOutput } from '@orpc/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Permission } from '../../../contract/accounts/permissions.ts';
import type { Inside } from '../../../contract/wire.ts';
import type { Ctx } from '../ctx.ts';
import type { Upload } from './uploads.ts';

/**
 * The handlers of a feature's contract: one function per endpoint, given the context and the validated input, returning
 * what the contract's output schema accepts (undeclared fields are stripped); both with the names that fields have
 * inside.
 */
export type Handlers<T> = {
  [K in keyof T]: T[K] extends ContractProcedure<infer I, infer O, infer _E, infer _M>
    ? (
        ctx: Ctx,
        input: I extends AnySchema ? Inside<InferSchemaOutput<I>> : undefined,
      ) => Promise<O extends AnySchema ? Inside<InferSchemaInput<O>> : unknown>
    : never;
};

/** Who may use a plain route. 'open' needs no tenant either: health, pixel, visits. */
export type Access = 'open' | 'public' | 'download' | Permission;

/**
 * A route outside the contract: uploads, downloads, the visit log. It has a policy like any other (`access`), is
 * covered by the same guards and the same matrix test, and appears in the OpenAPI document by `summary`. 'download'
 * routes are requested with ?token= (see access.downloadToken) and guarded by `permission`.
 */
export interface PlainRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** From the root, e.g. /api/identity/imports */
  url: string;
  access: Access;
  permission?: Permission;
  /** Refused in view mode, as in an endpoint's meta. */
  notInView?: boolean;
  tag: string;
  summary: string;
  bodyLimit?: number;
  /** What a route for programs is called, takes and returns, for the OpenAPI document. */
  described?: {
    name: string;
    /** What a key needs. */
    scopes?: readonly string[];
    query: z.ZodObject;
    /** Of a request that writes. */
    body?: z.ZodObject;
    status?: 200 | 201;
    answer: z.ZodObject;
  };
  /** Its query or form, if its refusals name fields, and its answer, if that is JSON: both as on the wire. */
  input?: z.ZodType;
  answer?: z.ZodType;
  /**
   * The handler reads the body itself, from `upload` and never from the request: that is where a sender whose rights
   * have ended meanwhile is refused.
   */
  streamed?: boolean;
  /** The body arrives as bytes, whatever its type, up to `bodyLimit`: for files from people who have not signed in. */
  raw?: boolean;
  handler: (ctx: Ctx, request: FastifyRequest, reply: FastifyReply, upload: Upload) => Promise<unknown>;
}
