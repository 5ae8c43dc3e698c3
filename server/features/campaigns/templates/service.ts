import { z } from 'zod';
import type { Permission } from '../../../../contract/accounts/permissions.ts';
import {
  PUSH_STATES,
  type PushState,
  TEMPLATE_PARTS,
  type TemplateField,
  type TemplateKind,
} from '../../../../contract/campaigns/template-fields.ts';
import { MOST_TARGETS } from '../../../../contract/campaigns/templates.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { boundedBy } from '../../../platform/db/bounds.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { defineJob, type RunningJob } from '../../../platform/jobs.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { actingFor, mayNow } from '../../accounts/auth/index.ts';
import { workerOf } from '../../accounts/users/index.ts';
import type { FieldChange, Values } from './policy.ts';
import * as policy from './policy.ts';
import * as store from './store.ts';
import { createTargets, type Sort } from './targets.ts';

export type Templates = ReturnType<typeof createTemplates>;

const pushJob = defineJob('templates.push', z.object({ rootId: z.uuid(), pushId: z.uuid() }));

/** Pushes of a company. Each keeps what every target was before, up to a list of ZIP codes for each of 2,000. */
const PUSHES: LimitRule = { name: 'template.push', max: 50, base: 60, cap: 3600, window: 86_400 };
/** How many targets one job pushes to before everyone else's pushes have their turn. Tests lower it. */
export const PART = { targets: 100 };
/** How many versions and pushes a template's page shows. */
const SHOWN = 50;

const missing = (): never => {
  throw new Refusal('not_found', ownMessages.notFound);
};

/** Undoes the transaction of a preview. */
class Tried extends Error {}

/** What must be allowed besides the permission of the call, to push templates of a kind. */
const NEEDS: Record<TemplateKind, Permission> = { campaign: 'campaign.write', branding: 'setting.write' };

/**
 * Templates of campaigns and of branding: versions, and pushes of them in stages that can be stopped and rolled back
 * (docs/decisions/0470-templates.md). What a push changes is changed as by hand, with the rights of whoever started it.
 */
export function createTemplates(
  platform: Platform,
  deps: { audit: Audit; limits: Limits } & Parameters<typeof createTargets>[0],
) {
  const { db, clock, jobs } = platform;
  const { audit, limits } = deps;
  const targets = createTargets(deps);

  const ownerOf = (ctx: Ctx) => {
    const { rootId, agencyId, companyId } = ctx.actor;
    return { root_id: rootId, agency_id: agencyId, company_id: companyId };
  };
  /** What is in a template of campaigns is what campaigns have: prices, keywords, filters. @throws Refusal 403 */
  const mustRead = (ctx: Ctx, { kind }: { kind: string }): void => {
    if (kind === 'campaign') ctx.need('campaign.read');
  };
  /** A template of the actor's company. @throws Refusal 403, 404 */
  async function mine(tx: Tx, ctx: Ctx, id: string, lock = false): Promise<store.TemplateRow> {
    const template = (await store.templateById(tx, ctx.actor.companyId, id, lock)) ?? missing();
    mustRead(ctx, template);
    return template;
  }
  const version = async (tx: Tx, template: store.TemplateRow, number: number, field: string) =>
    (await store.versionOf(tx, template.id, number)) ??
    (() => {
      throw refusalOf(field, 'is not a version of this template');
    })();
  /** A push of the actor's company, and its template, both locked. */
  async function myPush(tx: Tx, ctx: Ctx, id: string) {
    const known = await store.pushById(tx, id);
    if (known?.company_id !== ctx.actor.companyId) return missing();
    const template = await mine(tx, ctx, known.template_id, true);
    return { template, push: (await store.pushById(tx, id, true))! };
  }

  const note = (tx: Tx, ctx: Ctx, action: string, template: { id: string }, description: string) =>
    audit.record(tx, ctx, {
      action: `template.${action}`,
      objectKind: 'template',
      objectId: template.id,
      description,
    });

  /** The fields of a version that were chosen, or those of `usual`. @throws Refusal 422 */
  function chosen(
    sort: Sort,
    given: string[] | undefined,
    usual: (field: TemplateField) => boolean,
  ): string[] {
    const all = targets.fieldsOf(sort);
    for (const name of given ?? [])
      if (!all.some(({ field }) => field === name))
        throw refusalOf('fields', `has ${name}, which templates of this kind do not have`);
    return all.filter((one) => (given ? given.includes(one.field) : usual(one))).map(({ field }) => field);
  }

  const wordsOf = (sort: Sort) => {
    const byName = new Map(targets.fieldsOf(sort).map((field) => [field.field, field]));
    return {
      label: (field: string): string => byName.get(field)?.label ?? field,
      change: ({ field, before, after }: FieldChange) => {
        const one = byName.get(field);
        const say = (value: unknown): string => one?.words(value) ?? String(value);
        return { field, label: one?.label ?? field, before: say(before), after: say(after) };
      },
    };
  };

  /** The fields of a version, in the order of forms. */
  const shownFields = (sort: Sort, values: Values) =>
    targets
      .fieldsOf(sort)
      .flatMap(({ field, label, part, words }) =>
        Object.hasOwn(values, field)
          ? [{ field, label, part: TEMPLATE_PARTS[part], value: words(values[field]) }]
          : [],
      );

  const costs = (sort: Sort, values: Values): boolean =>
    targets.fieldsOf(sort).some((one) => one.costs && Object.hasOwn(values, one.field));

  /** Pushes the fields of a version to a target, in the transaction of the context. */
  async function pushOne(
    tx: Tx,
    ctx: Ctx,
    template: store.TemplateRow,
    fields: Values,
    push: { version: number; overwrites: boolean },
    targetId: string,
  ): Promise<policy.Plan & { applied: Values }> {
    const inside = ctx.within(tx);
    const target = await targets.open(tx, inside, template, targetId);
    const last = await store.lastApplied(tx, template.id, targetId);
    const plan = policy.planOf(target.values, fields, last, push.overwrites);
    if (plan.changes.length > 0) {
      const { label } = wordsOf(template);
      const names = plan.changes.map(({ field }) => label(field).toLowerCase()).join(', ');
      await target.change(
        policy.valuesOf(plan.changes, 'after'),
        `Pushed ${names} of version ${push.version} of the template ${template.name}`,
      );
    }
    // What was kept stays a conflict with the push before, until someone overwrites it.
    const kept = Object.fromEntries(plan.kept.map(({ field }) => [field, last?.[field] ?? null]));
    return { ...plan, applied: { ...fields, ...kept } };
  }

  /** Restores what a push changed in a target, and says what became of each field. */
  async function undoOne(tx: Tx, ctx: Ctx, template: store.TemplateRow, row: store.TargetRow) {
    const target = await targets.open(tx, ctx.within(tx), template, row.target_id);
    const { restore, changedSince } = policy.undoOf(target.values, row.changes);
    const { label, change } = wordsOf(template);
    if (restore.length > 0)
      await target.change(
        policy.valuesOf(restore, 'before'),
        `Rolled back ${restore.map(({ field }) => label(field).toLowerCase()).join(', ')} of the template ${template.name}`,
      );
    const say = (one: FieldChange, message: string) => ({
      field: one.field,
      label: label(one.field),
      message,
    });
    return {
      state:
        changedSince.length === 0
          ? ('restored' as const)
          : restore.length > 0
            ? ('partly' as const)
            : ('left' as const),
      undone: [
        ...restore.map((one) => say(one, `Restored to ${change(one).before}`)),
        ...changedSince.map((one) => say(one, 'Left as it is, since it was changed after the push')),
      ],
    };
  }

  /** What a refused target says: the rule, not the wire's name of the field. */
  const reasonOf = (error: Refusal): string => error.message.slice(0, 1000);

  /**
   * One step of a push or its rollback: one target in one transaction, with the push locked, so that a stop takes effect
   * before the next target and a job that runs twice does nothing twice. Returns whether there may be another step.
   */
  async function step(
    ctx: Ctx,
    template: store.TemplateRow,
    fields: Values,
    pushId: string,
  ): Promise<boolean> {
    let at: store.TargetRow | undefined;
    let isUndoing = false;
    try {
      return await inScope(db.app, ctx.scope, async (tx) => {
        const push = (await store.pushById(tx, pushId, true)) ?? missing();
        const now = clock.now();
        isUndoing = push.state === 'undoing';
        if (push.state !== 'running' && !isUndoing) return false;
        at = await store.nextTarget(tx, pushId, isUndoing ? 'pushed' : 'waiting', isUndoing ? 2 : push.stage);
        if (!at) {
          const state: PushState = isUndoing ? 'undone' : push.stage < push.stages ? 'paused' : 'done';
          await store.updatePush(tx, pushId, {
            state,
            ...(state === 'paused' ? {} : state === 'undone' ? { undone_at: now } : { ended_at: now }),
          });
          return false;
        }
        if (isUndoing) {
          const { state, undone } = await undoOne(tx, ctx, template, at);
          await store.updateTarget(tx, at, { state, undone: store.json(undone) });
          return true;
        }
        const { changes, kept, applied } = await pushOne(tx, ctx, template, fields, push, at.target_id);
        await store.updateTarget(tx, at, {
          state: changes.length > 0 ? 'pushed' : 'unchanged',
          changes: store.json(changes),
          kept: store.json(kept),
          applied: store.json(applied),
          done_at: now,
        });
        return true;
      });
    } catch (error) {
      if (!(error instanceof Refusal) || !at) throw error;
      const { push_id, position } = at;
      await inScope(db.app, ctx.scope, async (tx) => {
        await store.pushById(tx, pushId, true);
        await store.updateTarget(
          tx,
          { push_id, position },
          isUndoing
            ? { state: 'left', reason: reasonOf(error) }
            : { state: 'refused', reason: reasonOf(error), done_at: clock.now() },
          // Another run of the job may have done it meanwhile.
          isUndoing ? 'pushed' : 'waiting',
        );
      });
      return true;
    }
  }

  const send = (tx: Tx, ctx: Ctx, pushId: string) =>
    jobs.send(tx, pushJob, [{ rootId: ctx.actor.rootId, pushId }], { turn: ctx.actor.companyId });

  /** A push or rollback under way, and who makes it; null if there is none, or if it stops because they may not anymore. */
  async function underWay(tx: Tx, pushId: string) {
    const push = await store.pushById(tx, pushId, true);
    if (push?.state !== 'running' && push?.state !== 'undoing') return null;
    const template = (await store.templateById(tx, push.company_id, push.template_id))!;
    const who = await workerOf(tx, push.acts_as);
    if (who && mayNow(who, 'template.write') && mayNow(who, NEEDS[template.kind]))
      return { push, template, who };
    const now = clock.now();
    await store.updatePush(tx, pushId, { state: 'stopped', ended_at: now });
    const { root_id, agency_id, company_id } = push;
    await audit.recordSystem(
      tx,
      now,
      { root_id, agency_id, company_id },
      {
        action: 'template.stopped',
        objectKind: 'template',
        objectId: template.id,
        description: `The push of the template ${template.name} stopped, because whoever started it may not push anymore`,
      },
    );
    return null;
  }

  const notWhile = (isOpen: boolean): void => {
    if (isOpen)
      throw new Refusal('conflict', 'Another push of this template is under way. Finish or stop it first.');
  };

  /** The identity has to be confirmed for what can change prices, before the transaction. */
  async function mustConfirm(ctx: Ctx, pushId: string): Promise<void> {
    const costly = await inScope(db.app, ctx.scope, async (tx) => {
      const { template, push } = await myPush(tx, ctx, pushId);
      const row = await store.versionOf(tx, template.id, push.version);
      return costs(template, row?.fields ?? {});
    });
    if (costly) await ctx.mustBeConfirmed();
  }

  async function shownPushes(tx: Tx, rows: Awaited<ReturnType<typeof store.pushesOf>>) {
    const counts = await store.countsOf(
      tx,
      rows.map((row) => row.id),
    );
    return rows.map((row) => ({
      id: row.id,
      version: row.version,
      state: row.state as PushState,
      stage: row.stage,
      stages: row.stages,
      overwrites: row.overwrites,
      author_name: row.author_name ?? '',
      created_at: row.created_at.toISOString(),
      ended_at: row.ended_at?.toISOString() ?? null,
      undone_at: row.undone_at?.toISOString() ?? null,
      counts: counts.get(row.id) ?? {},
    }));
  }

  const shownTemplate = (row: NonNullable<Awaited<ReturnType<typeof store.shownById>>>) => ({
    id: row.id,
    kind: row.kind as TemplateKind,
    module: row.module,
    name: row.name,
    versions: row.versions,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    author_name: row.author_name ?? '',
    push_state: PUSH_STATES.find((state) => state === row.push_state) ?? null,
    pushed_at: row.pushed_at?.toISOString() ?? null,
    pushed_version: row.pushed_version,
  });

  return {
    /** A page of the templates of the actor's company, the last changed first. */
    list: (
      ctx: Ctx,
      asked: { kind?: TemplateKind | undefined; search?: string | undefined; limit: number; offset: number },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rows, total } = await store.pageOf(tx, ctx.actor.companyId, asked, asked.limit, asked.offset);
        return { rows: rows.map(shownTemplate), total };
      }),

    /** A template with its newest versions and pushes. @throws Refusal 404 */
    one: (ctx: Ctx, id: string) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.shownById(tx, ctx.actor.companyId, id)) ?? missing();
        mustRead(ctx, row);
        const versions = await store.versionsOf(tx, id, SHOWN);
        return {
          data: shownTemplate(row),
          versions: versions.map((one) => ({
            number: one.number,
            source: one.source,
            note: one.note,
            author_name: one.author_name ?? '',
            created_at: one.created_at.toISOString(),
            fields: shownFields(row, one.fields),
          })),
          pushes: await shownPushes(tx, await store.pushesOf(tx, id, SHOWN)),
        };
      }),

    /**
     * Creates a template from a campaign or from the branding of a company.
     * @throws Refusal 404, 422 naming the field
     */
    create: (
      ctx: Ctx,
      given: {
        kind: TemplateKind;
        name: string;
        source_id: string;
        fields?: string[] | undefined;
        note: string;
      },
    ): Promise<string> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { kind, name } = given;
        const { module, values, words } = await targets.source(tx, ctx.within(tx), kind, given.source_id);
        await boundedBy(tx, 'templates', ctx.actor.companyId, 'name');
        const names = chosen({ kind, module }, given.fields, ({ part }) => part !== 'prices');
        const now = clock.now();
        const id = newId(now);
        const by = { ...ownerOf(ctx), created_by: ctx.actor.userId, created_at: now };
        await store.insertTemplate(tx, {
          ...{ id, ...by, kind, name, versions: 1, updated_at: now },
          module: module as 'local' | null,
        });
        await store.insertVersion(tx, {
          ...{ template_id: id, number: 1, ...by, note: given.note, source: words.slice(0, 300) },
          fields: store.json(Object.fromEntries(names.map((field) => [field, values[field]]))),
        });
        await note(tx, ctx, 'create', { id }, `Created the template ${name} from: ${words}`);
        return id;
      }),

    /** Adds a version. Returns its number. @throws Refusal 404, 409 if there is a newer one than `base`, 422 */
    addVersion: (
      ctx: Ctx,
      id: string,
      given: { source_id: string; fields?: string[] | undefined; note: string; base?: number | undefined },
    ): Promise<number> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const template = await mine(tx, ctx, id, true);
        if (given.base !== undefined && given.base !== template.versions)
          throw new Refusal('conflict', `There is a newer version, ${template.versions}. Reload to see it.`);
        const { module, values, words } = await targets.source(
          tx,
          ctx.within(tx),
          template.kind,
          given.source_id,
        );
        if (module !== template.module)
          throw refusalOf('source_id', 'must be a campaign of the same product as the template');
        const newest = (await store.versionOf(tx, id, template.versions))!;
        const names = chosen(template, given.fields, ({ field }) => Object.hasOwn(newest.fields, field));
        await boundedBy(tx, 'templateVersions', id, 'source_id');
        const now = clock.now();
        const number = template.versions + 1;
        await store.insertVersion(tx, {
          ...{ template_id: id, number, ...ownerOf(ctx), created_by: ctx.actor.userId, created_at: now },
          ...{ note: given.note, source: words.slice(0, 300) },
          fields: store.json(Object.fromEntries(names.map((field) => [field, values[field]]))),
        });
        await store.updateTemplate(tx, id, { versions: number, updated_at: now });
        await note(tx, ctx, 'version', template, `Added version ${number} to the template ${template.name}`);
        return number;
      }),

    /** @throws Refusal 404 */
    rename: (ctx: Ctx, id: string, name: string): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const template = await mine(tx, ctx, id, true);
        if (template.name === name) return;
        await store.updateTemplate(tx, id, { name, updated_at: clock.now() });
        await note(tx, ctx, 'rename', template, `Renamed the template ${template.name} to ${name}`);
      }),

    /** @throws Refusal 404, 409 while it is pushed */
    remove: (ctx: Ctx, id: string): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const template = await mine(tx, ctx, id, true);
        notWhile(await store.isPushing(tx, id));
        await store.updateTemplate(tx, id, { removed_at: clock.now() });
        await note(tx, ctx, 'remove', template, `Removed the template ${template.name}`);
      }),

    /** Two versions, field by field. @throws Refusal 404, 422 */
    compare: (ctx: Ctx, id: string, from: number, to: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const template = await mine(tx, ctx, id);
        const [a, b] = [
          (await version(tx, template, from, 'from')).fields,
          (await version(tx, template, to, 'to')).fields,
        ];
        return targets.fieldsOf(template).flatMap(({ field, label, words }) => {
          const [inA, inB] = [Object.hasOwn(a, field), Object.hasOwn(b, field)];
          if (!inA && !inB) return [];
          return {
            field,
            label,
            before: inA ? words(a[field]) : null,
            after: inB ? words(b[field]) : null,
            differs: inA !== inB || !policy.same(a[field], b[field]),
          };
        });
      }),

    /** A page of what a template can be pushed to. @throws Refusal 404 */
    targets: (ctx: Ctx, id: string, search: string | undefined, limit: number, offset: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const template = await mine(tx, ctx, id);
        const { rows, total } = await store.possiblePage(tx, template, search, limit, offset);
        return {
          rows: rows.map(({ company_id: _, ...row }) => ({
            ...row,
            pushed_at: row.pushed_at?.toISOString() ?? null,
          })),
          total,
        };
      }),

    /**
     * What a push would change in each of these targets: it is made and undone, one by one, so that whatever would refuse
     * it does. @throws Refusal 404, 422
     */
    async preview(
      ctx: Ctx,
      id: string,
      given: { version: number; target_ids: string[]; overwrite: boolean },
    ) {
      const read = await inScope(db.app, ctx.scope, async (tx) => {
        const template = await mine(tx, ctx, id);
        ctx.need(NEEDS[template.kind]);
        const { fields } = await version(tx, template, given.version, 'version');
        const found = await store.possibleTargets(tx, template, given.target_ids, MOST_TARGETS);
        if (found.length < new Set(given.target_ids).size) missing();
        return { template, fields, found, who: (await workerOf(tx, ctx.actor.userId)) ?? missing() };
      });
      const { template, fields, found } = read;
      const acting = actingFor(clock, read.who);
      const { change } = wordsOf(template);
      const shown = [];
      for (const one of found) {
        let plan: policy.Plan = { changes: [], kept: [] };
        let refusal: string | null = null;
        try {
          await inScope(db.app, acting.scope, async (tx) => {
            const push = { version: given.version, overwrites: given.overwrite };
            plan = policy.planOf(
              (await targets.open(tx, acting.within(tx), template, one.id)).values,
              fields,
              await store.lastApplied(tx, template.id, one.id),
              given.overwrite,
            );
            await pushOne(tx, acting, template, fields, push, one.id);
            throw new Tried();
          });
        } catch (error) {
          if (error instanceof Refusal) refusal = reasonOf(error);
          else if (!(error instanceof Tried)) throw error;
        }
        shown.push({
          target_id: one.id,
          target_name: nameOf(template, one),
          changes: plan.changes.map(change),
          kept: plan.kept.map(change),
          refusal,
        });
      }
      return shown;
    },

    /**
     * Pushes a version in a job: to all targets, or to those of the first clients and, when someone continues it, to the
     * rest. Returns the push. @throws Refusal 404, 409, 422, 429
     */
    async push(
      ctx: Ctx,
      id: string,
      given: {
        version: number;
        target_ids?: string[] | undefined;
        first_clients?: number | undefined;
        first_percent?: number | undefined;
        overwrite: boolean;
      },
    ): Promise<string> {
      const costly = await inScope(db.app, ctx.scope, async (tx) => {
        const template = await mine(tx, ctx, id);
        ctx.need(NEEDS[template.kind]);
        return costs(template, (await version(tx, template, given.version, 'version')).fields);
      });
      if (costly) await ctx.mustBeConfirmed();
      await limits.take(PUSHES, ctx.actor.companyId);
      return inScope(db.app, ctx.scope, async (tx) => {
        const template = await mine(tx, ctx, id, true);
        await version(tx, template, given.version, 'version');
        notWhile(await store.isPushing(tx, id));
        const found = await store.possibleTargets(tx, template, given.target_ids, MOST_TARGETS + 1);
        if (given.target_ids && found.length < new Set(given.target_ids).size) missing();
        if (found.length === 0) throw refusalOf('target_ids', 'needs at least one target');
        if (found.length > MOST_TARGETS)
          throw refusalOf('target_ids', `must not exceed ${MOST_TARGETS}. Choose some`);
        const stages = policy.stagesOf(
          found.map((one) => one.company_id),
          { clients: given.first_clients, percent: given.first_percent },
        );
        const now = clock.now();
        const pushId = newId(now);
        const owner = ownerOf(ctx);
        await store.insertPush(tx, {
          ...{ id: pushId, ...owner, template_id: id, version: given.version, state: 'running', stage: 1 },
          stages: stages.includes(2) ? 2 : 1,
          overwrites: given.overwrite,
          ...{ created_by: ctx.actor.userId, acts_as: ctx.actor.userId, created_at: now },
        });
        await store.insertTargets(
          tx,
          found.map((one, position) => ({
            ...{ push_id: pushId, position, ...owner, template_id: id, target_id: one.id },
            target_name: nameOf(template, one),
            stage: stages[position]!,
          })),
        );
        await store.updateTemplate(tx, id, { updated_at: now });
        await send(tx, ctx, pushId);
        const many = found.length === 1 ? '1 target' : `${found.length} targets`;
        await note(
          tx,
          ctx,
          'push',
          template,
          `Pushed version ${given.version} of the template ${template.name} to ${many}${stages.includes(2) ? `, ${stages.filter((stage) => stage === 1).length} of them first` : ''}`,
        );
        return pushId;
      });
    },

    /** A push, and a page of its targets. @throws Refusal 404 */
    pushed: (ctx: Ctx, id: string, limit: number, offset: number) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const row = (await store.shownPush(tx, ctx.actor.companyId, id)) ?? missing();
        const template = await mine(tx, ctx, row.template_id);
        const { change } = wordsOf(template);
        const { rows, total } = await store.targetsOf(tx, id, limit, offset);
        return {
          template_id: template.id,
          push: (await shownPushes(tx, [row]))[0]!,
          rows: rows.map((one) => ({
            target_id: one.target_id,
            target_name: one.target_name,
            stage: one.stage,
            state: one.state,
            changes: one.changes.map(change),
            kept: one.kept.map(change),
            undone: one.undone,
            reason: one.reason,
            done_at: one.done_at?.toISOString() ?? null,
          })),
          total,
        };
      }),

    /** Lets a push go on after its first stage, or after a stop. @throws Refusal 404, 409 */
    async goOn(ctx: Ctx, id: string): Promise<void> {
      await mustConfirm(ctx, id);
      await inScope(db.app, ctx.scope, async (tx) => {
        const { template, push } = await myPush(tx, ctx, id);
        ctx.need(NEEDS[template.kind]);
        if (push.state !== 'paused' && push.state !== 'stopped')
          throw new Refusal('conflict', 'Only a push that waits or was stopped can continue.');
        if (push.state === 'stopped') notWhile(await store.isPushing(tx, template.id));
        const stage = push.state === 'paused' ? 2 : push.stage;
        await store.updatePush(tx, id, {
          state: 'running',
          stage,
          acts_as: ctx.actor.userId,
          ended_at: null,
        });
        await send(tx, ctx, id);
        await note(tx, ctx, 'continue', template, `Continued the push of the template ${template.name}`);
      });
    },

    /** Stops a push before its next target. @throws Refusal 404, 409 */
    stop: (ctx: Ctx, id: string): Promise<void> =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { template, push } = await myPush(tx, ctx, id);
        if (push.state !== 'running' && push.state !== 'paused')
          throw new Refusal('conflict', 'This push is not under way.');
        await store.updatePush(tx, id, { state: 'stopped', ended_at: clock.now() });
        await note(tx, ctx, 'stop', template, `Stopped the push of the template ${template.name}`);
      }),

    /** Rolls a push back in a job. @throws Refusal 404, 409 */
    async rollBack(ctx: Ctx, id: string): Promise<void> {
      await mustConfirm(ctx, id);
      await inScope(db.app, ctx.scope, async (tx) => {
        const { template, push } = await myPush(tx, ctx, id);
        ctx.need(NEEDS[template.kind]);
        if (push.state === 'undoing' || push.state === 'undone')
          throw new Refusal('conflict', 'This push was already rolled back.');
        if (push.state === 'running')
          throw new Refusal('conflict', 'Stop this push first, then roll it back.');
        if (push.state !== 'paused') notWhile(await store.isPushing(tx, template.id));
        await store.updatePush(tx, id, {
          state: 'undoing',
          acts_as: ctx.actor.userId,
          ended_at: push.ended_at ?? clock.now(),
        });
        await send(tx, ctx, id);
        await note(
          tx,
          ctx,
          'rollback',
          template,
          `Rolled back the push of version ${push.version} of the template ${template.name}`,
        );
      });
    },

    /**
     * Does the next part of a push or a rollback and leaves the rest to another job. Each target is changed with the
     * rights that whoever started it has then; it stops if they have none anymore. Safe to run twice, and at the same time.
     */
    async run(
      { rootId, pushId }: { rootId: string; pushId: string },
      { signal, advanced }: Partial<RunningJob> = {},
    ): Promise<void> {
      let fields: Values | undefined;
      for (let done = 0; ; done++) {
        signal?.throwIfAborted();
        const next = await inScope(db.app, { rootId }, async (tx) => {
          const found = await underWay(tx, pushId);
          if (!found || done < PART.targets) {
            if (found) fields ??= (await store.versionOf(tx, found.template.id, found.push.version))!.fields;
            return found;
          }
          await jobs.send(tx, pushJob, [{ rootId, pushId }], { turn: found.push.company_id });
          return null;
        });
        if (!next || !(await step(actingFor(clock, next.who), next.template, fields!, pushId))) return;
        advanced?.();
      }
    },

    async start(): Promise<void> {
      await jobs.work(pushJob, { pollingIntervalSeconds: 2 }, (payload, job) => this.run(payload, job));
    },
  };
}

const nameOf = ({ kind }: { kind: string }, one: store.Possible): string =>
  (kind === 'campaign' ? `${one.company_name}: ${one.name}` : one.name).slice(0, 600);
