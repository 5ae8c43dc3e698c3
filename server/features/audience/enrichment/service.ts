import type { z } from 'zod';
import type { DataChoice, ProviderState } from '../../../../contract/audience/enrichment.ts';
import type { InformationField, InformationType } from '../../../../contract/audience/enrichment-fields.ts';
import { enrichmentMessages } from '../../../../contract/audience/enrichment-messages.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { People } from '../people/index.ts';
import { createCompletion, type IsWithheld, type Vendors } from './complete.service.ts';
import { createLeadData } from './data.service.ts';
import {
  type Allowed,
  allowedBy,
  type ChoiceRow,
  fieldById,
  fieldsOfIds,
  KEY_PURPOSE,
  PROVIDERS,
} from './policy.ts';
import * as store from './store.ts';

type Choice = Inside<z.input<typeof DataChoice>>;
type Held = NonNullable<Awaited<ReturnType<typeof store.companyById>>>;
export type Enrichment = ReturnType<typeof createEnrichment>;

/** Returns who sets a company's choice: a root its own and its agencies', an agency its clients'. */
const setBy = (company: Held): 'root' | 'agency' => (company.kind === 'client' ? 'agency' : 'root');

/** Data fields about the people of leads: which a company may ask for, from which sources, and what leads are given. */
export function createEnrichment(
  platform: Platform,
  deps: { audit: Audit; people: People; vendors: Vendors; isWithheld: IsWithheld },
) {
  const { db, clock, vault } = platform;
  const { audit, people } = deps;
  const completion = createCompletion(platform, deps);
  const data = createLeadData(platform, { people, completion });

  async function company(tx: Tx, ctx: Ctx, id: string | undefined, lock = false): Promise<Held> {
    const found = await store.companyById(tx, id ?? ctx.actor.companyId, lock);
    if (!found) throw new Refusal('not_found', ownMessages.notFound);
    return found;
  }

  /** Returns what a company may use, by its own choice and all those above it. */
  async function allowed(tx: Tx, companyId: string): Promise<Allowed> {
    return allowedBy((await store.choicesOf(tx, [companyId])).get(companyId) ?? []);
  }

  /** Returns what the companies above offer to a company, and its own choice. */
  async function standing(tx: Tx, found: Held) {
    const rows = (await store.choicesOf(tx, [found.id])).get(found.id) ?? [];
    const above = rows.filter((row) => row.level !== found.kind);
    const own = rows.find((row) => row.level === found.kind);
    const offered = allowedBy(above);
    // A root is offered everything.
    if (found.kind === 'root') offered.vendors.add('pdl');
    return { offered, own };
  }

  /**
   * Returns the vendors that the root has an account with. Uses its own transaction, because they are not in an
   * agency's scope.
   */
  const connectedOf = ({ rootId }: { rootId: string }) =>
    inScope(
      db.app,
      { rootId },
      async (tx) => new Set<string>((await store.providersOf(tx, rootId)).map((row) => row.provider)),
    );

  async function view(tx: Tx, ctx: Ctx, found: Held, connected: Set<string>): Promise<Choice> {
    const { offered, own } = await standing(tx, found);
    const asked = await store.askedOf(tx, found);
    const set = setBy(found);
    const isOurs = set === ctx.actor.kind;
    const hasVendor = (vendor: 'pdl') =>
      offered.vendors.has(vendor) && (own ? own.providers.includes(vendor) : found.kind !== 'root');
    return {
      company_id: found.id,
      company_name: found.name,
      kind: found.kind,
      can_change: isOurs && ctx.may('setting.write'),
      set_by: isOurs ? null : set,
      narrowed: own !== undefined,
      fields: fieldsOfIds(ALL).map((field) => ({
        ...field,
        offered: offered.information.has(field.id),
        selected: offered.information.has(field.id) && (own?.information.includes(field.id) ?? true),
        campaigns: asked.get(field.id)?.campaigns ?? 0,
      })),
      providers: [
        { provider: 'embedded', name: PROVIDERS.embedded, offered: true, selected: true, connected: true },
        // Companies below a root must not see which vendors it does not offer.
        ...(offered.vendors.has('pdl') || ctx.actor.kind === 'root'
          ? [
              {
                provider: 'pdl' as const,
                name: PROVIDERS.pdl,
                offered: offered.vendors.has('pdl'),
                selected: hasVendor('pdl'),
                connected: connected.has('pdl'),
              },
            ]
          : []),
      ],
    };
  }

  async function sourceList(tx: Tx, rootId: string): Promise<Inside<z.input<typeof ProviderState>>[]> {
    const [row] = await store.providersOf(tx, rootId);
    return [
      {
        provider: 'pdl',
        connected: row !== undefined,
        asked: Number(row?.asked ?? 0),
        found: Number(row?.found ?? 0),
        failed: Number(row?.failed ?? 0),
        last_error: row?.last_error ?? null,
        last_error_at: row?.last_error_at?.toISOString() ?? null,
      },
    ];
  }

  /** What a choice changes, in words for the log. */
  const changeWords = (before: ChoiceRow | undefined, offered: Allowed, after: ChoiceRow): string => {
    const had = new Set([...offered.information].filter((id) => before?.information.includes(id) ?? true));
    const has = new Set(after.information);
    const names = (ids: Iterable<number>) => fieldsOfIds(new Set(ids)).map((field) => field.name);
    const parts = [
      ['added', names([...has].filter((id) => !had.has(id)))],
      ['removed', names([...had].filter((id) => !has.has(id)))],
    ] as const;
    const words = parts.flatMap(([verb, list]) => (list.length ? [`${verb} ${list.join(', ')}`] : []));
    return [...words, `sources: ${['embedded', ...after.providers].join(', ')}`].join('; ');
  };

  return {
    ...data,
    /** Asks vendors for missing data of leads. */
    completion,

    /**
     * Returns the ids of the data fields that campaigns of a company may ask for: the catalog, narrowed by its root,
     * its agency and itself. Works in any scope that sees the company; for other companies nothing is narrowed, so pass
     * only companies of the scope.
     */
    fieldsFor: async (tx: Tx, companyId: string): Promise<Set<number>> =>
      (await allowed(tx, companyId)).information,

    /**
     * Returns the same for a campaign that starts asking in this transaction: until it ends, none of the fields can be
     * removed.
     */
    async fieldsToAsk(tx: Tx, rootId: string, companyId: string): Promise<Set<number>> {
      await store.holdChoices(tx, rootId, true);
      return (await allowed(tx, companyId)).information;
    },

    /** Returns the same as the contract shows it. @throws Refusal 404 for a company outside the scope */
    list: (ctx: Ctx, companyId: string | undefined, type?: InformationType): Promise<InformationField[]> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const found = await company(tx, ctx, companyId);
        return fieldsOfIds((await allowed(tx, found.id)).information, type);
      }),

    /** Returns what a company may use. @throws Refusal 404 for a company outside the scope */
    choice: async (ctx: Ctx, companyId: string | undefined): Promise<Choice> => {
      const connected = await connectedOf(ctx.scope);
      return inScope(db.app, ctx.scope, async (tx) =>
        view(tx, ctx, await company(tx, ctx, companyId), connected),
      );
    },

    /**
     * Narrows what a company may use, or lifts the restriction where everything offered is chosen. @throws Refusal 404;
     * 403 for a company whose choice is made by another company; 422 naming the field that is unknown, not offered, or
     * asked for by campaigns
     */
    choose: async (
      ctx: Ctx,
      given: { company_id: string; information: number[]; providers: ('embedded' | 'pdl')[] },
    ): Promise<Choice> => {
      const connected = await connectedOf(ctx.scope);
      return inScope(db.app, ctx.scope, async (tx) => {
        await store.holdChoices(tx, ctx.scope.rootId, false);
        const found = await company(tx, ctx, given.company_id, true);
        const set = setBy(found);
        if (set !== ctx.actor.kind) {
          const why = set === 'root' ? enrichmentMessages.setByRoot : enrichmentMessages.setByAgency;
          throw new Refusal('forbidden', `company_id: ${why}`, { errors: { company_id: [why] } });
        }
        const { offered, own } = await standing(tx, found);
        for (const id of given.information) {
          const field = fieldById(id);
          if (!field) throw refusalOf('information', enrichmentMessages.unknownField(id));
          if (!offered.information.has(id))
            throw refusalOf('information', enrichmentMessages.notOffered(field.name));
        }
        const vendors = [...new Set(given.providers)].filter((one) => one !== 'embedded');
        for (const one of vendors)
          if (!offered.vendors.has(one))
            throw refusalOf('providers', enrichmentMessages.notOffered(PROVIDERS[one]));
        const chosen = new Set(given.information);
        for (const [id, { campaigns, numbers }] of await store.askedOf(tx, found)) {
          const field = fieldById(id);
          if (field && !chosen.has(id) && offered.information.has(id))
            throw refusalOf('information', enrichmentMessages.inUse(field.name, campaigns, numbers));
        }
        const isAll =
          chosen.size === offered.information.size &&
          (found.kind === 'root' ? vendors.length === 0 : vendors.length === offered.vendors.size);
        const information = fieldsOfIds(chosen).map((field) => field.id);
        const owner = { root_id: found.root_id, agency_id: found.agency_id, company_id: found.id };
        await store.keepChoice(tx, owner, isAll ? null : { information, providers: vendors }, clock.now());
        await audit.record(tx, ctx, {
          action: 'data.choose',
          objectKind: 'company',
          objectId: found.id,
          description: `Changed the data fields of ${found.name}: ${changeWords(own, offered, { level: found.kind, information, providers: vendors })}`,
          owner,
        });
        return view(tx, ctx, found, connected);
      });
    },

    /** The vendors that a root may have an account with. */
    sources: (ctx: Ctx) => inScope(db.app, ctx.scope, (tx) => sourceList(tx, ctx.scope.rootId)),

    /** Stores the key of an account with a vendor, or removes it if the given key is empty. */
    setSource: (ctx: Ctx, { provider, key }: { provider: 'pdl'; key: string }) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rootId } = ctx.scope;
        const owner = { root_id: rootId, agency_id: null, company_id: rootId };
        await store.keepProvider(tx, owner, provider, key ? vault.seal(key, KEY_PURPOSE) : null, clock.now());
        await audit.record(tx, ctx, {
          action: 'data.source',
          objectKind: 'company',
          objectId: rootId,
          description: `${key ? 'Set' : 'Removed'} the key of ${PROVIDERS[provider]}`,
        });
        return sourceList(tx, rootId);
      }),

    /**
     * Returns the days for which there are signals, and what may be asked for. @throws Refusal 404 for a company
     * outside the scope
     */
    config: async (ctx: Ctx, companyId: string | undefined) => {
      const fields = await inScope(db.app, ctx.scope, async (tx) => {
        const found = await company(tx, ctx, companyId);
        return (await allowed(tx, found.id)).information;
      });
      // Signals belong to the root; a client's scope has none.
      const days = await inScope(db.app, { rootId: ctx.scope.rootId }, (tx) =>
        people.signalDays(tx, ctx.scope.rootId),
      );
      return { ...days, advanced: fieldsOfIds(fields, 'advanced'), b2b: fieldsOfIds(fields, 'b2b') };
    },
  };
}

const ALL: ReadonlySet<number> = allowedBy([]).information;
