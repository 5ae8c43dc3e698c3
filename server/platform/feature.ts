import type { AnyContractRouter } from '@orpc/contract';
import type { FastifyInstance } from 'fastify';
import type { ExportList } from './http/csv-file.ts';
import type { Handlers, PlainRoute } from './http/routes.ts';
import type { AnyHandler, Doors, Finishes } from './http/server.ts';
import type { Platform } from './platform.ts';

/** A router of the contract with the handlers of its calls. */
export interface Served {
  router: AnyContractRouter;
  handlers: Record<string, AnyHandler>;
  finishes: Finishes | undefined;
}

/** Pairs a router of the contract with its handlers, which the compiler checks call by call. */
export const serve = <Router extends AnyContractRouter>(
  router: Router,
  handlers: Handlers<Router>,
  finishes?: Finishes,
): Served => ({ router, handlers: handlers as unknown as Record<string, AnyHandler>, finishes });

/** What a feature answers over HTTP. */
export interface HttpPart {
  calls?: readonly Served[];
  /** Routes outside the contract: uploads, downloads, files. */
  plain?: readonly PlainRoute[];
  /** Routes that `mount` adds by itself, for the OpenAPI document. */
  documented?: readonly PlainRoute[];
  /** Adds routes that need the server itself, such as bodies read as they arrive. */
  mount?: (server: FastifyInstance, doors: Doors) => void;
}

/** What ends a feature's background work. */
export interface Working {
  /** Before the jobs in progress are waited for. */
  stop?: () => Promise<unknown> | unknown;
  /** After the last job, while the database is still there. */
  finish?: () => Promise<unknown> | unknown;
}

/**
 * A feature, whole: what it is, what it owns, how it is made, and what it adds to the server. `All` is every service of
 * the product; each part declares only the services that it uses (server/features/index.ts checks that they exist).
 */
export interface Feature<All> {
  /** Its room: area and name, as in server/features. */
  name: string;
  /** What it is, in one line. */
  about: string;
  /** The tables that it owns: no other feature writes them (server/features/index.test.ts). */
  tables: readonly string[];
  /** The tables of other features that its own statements read: its read models. */
  reads: readonly string[];
  /** The tables of a feature below that it writes nevertheless, by agreement. */
  writes?: readonly string[];
  /** Makes its services from the platform and from the features below it. */
  create: (platform: Platform, below: All) => object;
  /** Runs at every start, in every role, before anything else. */
  prepare?: (all: All) => Promise<unknown>;
  /** For the role web. */
  http?: (all: All, platform: Platform) => HttpPart;
  /** For the role ingest. */
  ingest?: (all: All, server: FastifyInstance) => void;
  /** Starts what it does in the background, for the role ingest. */
  receive?: (all: All) => Promise<Working>;
  /** Starts its jobs, for the role worker. */
  work?: (all: All, platform: Platform) => Promise<Working | undefined> | Working | undefined;
  /** Its lists that can be downloaded as files. */
  exports?: readonly ExportList[];
}

/** Declares a feature. Its parts say which services they use by the type of their first parameter. */
export const defineFeature = <
  Made extends object,
  Below = unknown,
  Prepared = unknown,
  Http = unknown,
  Ingest = unknown,
  Receive = unknown,
  Work = unknown,
>(
  it: Omit<Feature<never>, 'create' | 'prepare' | 'http' | 'ingest' | 'receive' | 'work'> & {
    create: (platform: Platform, below: Below) => Made;
    prepare?: (all: Prepared) => Promise<unknown>;
    http?: (all: Http, platform: Platform) => HttpPart;
    ingest?: (all: Ingest, server: FastifyInstance) => void;
    receive?: (all: Receive) => Promise<Working>;
    work?: (all: Work, platform: Platform) => Promise<Working | undefined> | Working | undefined;
  },
) => it;
