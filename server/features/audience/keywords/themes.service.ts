import { KEYWORD_THEME_WORDS, type KeywordTheme } from '../../../../contract/audience/keyword-themes.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { keywordOf } from './policy.ts';
import { themeBit, themesIn, themesOf } from './themes.policy.ts';
import * as store from './themes.store.ts';

export type KeywordThemes = ReturnType<typeof createKeywordThemes>;

/**
 * Keywords on sensitive themes: blocked for everyone, unless the root allows a theme to a client, an agency with all its
 * clients, or everyone (docs/decisions/0487-keyword-themes.md).
 */
export function createKeywordThemes(
  platform: Platform,
  { audit, tenants }: { audit: Audit; tenants: Tenants },
) {
  const { db, clock } = platform;

  return {
    /**
     * Refuses keywords on a theme that the client may not use, whichever way they came in.
     * @param field what the caller calls them
     * @throws Refusal 422 naming the field, the first such keyword, and its theme
     */
    async mustAllow(tx: Tx, owner: Owner, keywords: readonly string[], field: string): Promise<void> {
      const found = keywords.flatMap((text) => {
        const themes = themesOf(keywordOf(text)?.words ?? '');
        return themes === 0 ? [] : [{ text, themes }];
      });
      // Most searches touch no theme, and need not ask.
      if (found.length === 0) return;
      const allowed = await store.allowedThemes(tx, owner);
      const blocked = found.filter(({ themes }) => (themes & ~allowed) !== 0);
      const [first] = blocked;
      if (!first) return;
      const theme = themesIn(first.themes & ~allowed)[0]!;
      const others = blocked.length - 1;
      throw refusalOf(
        field,
        `has “${first.text.slice(0, 60)}”, which is on the theme ${KEYWORD_THEME_WORDS[theme]}${
          others > 0 ? `, and ${others} more on blocked themes` : ''
        }. Keywords on this theme are blocked unless the platform allows them`,
      );
    },

    /** The keywords that a client may use: those whose theme was blocked since they were chosen are left out. */
    async allowed(tx: Tx, owner: Owner, keywords: readonly string[]): Promise<string[]> {
      const judged = keywords.map((text) => ({ text, themes: themesOf(keywordOf(text)?.words ?? '') }));
      if (judged.every(({ themes }) => themes === 0)) return [...keywords];
      const allowed = await store.allowedThemes(tx, owner);
      return judged.filter(({ themes }) => (themes & ~allowed) === 0).map(({ text }) => text);
    },

    /** A root's allowances, the newest first. */
    list: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) =>
        (await store.allowances(tx)).map(({ theme, for_company, created_at, ...row }) => ({
          ...row,
          company_id: for_company,
          theme: themesIn(theme)[0]!,
          created_at: created_at.toISOString(),
        })),
      ),

    /** Allows a theme to a company of the root, or to everyone. @throws Refusal 404, 409 */
    async allow(
      ctx: Ctx,
      given: { theme: KeywordTheme; company_id?: string | undefined; reason: string },
    ): Promise<string> {
      const { rootId } = ctx.scope;
      return inScope(db.app, ctx.scope, async (tx) => {
        const company = await tenants.company(tx, given.company_id ?? rootId);
        if (!company || company.root_id !== rootId) throw new Refusal('not_found', ownMessages.notFound);
        const now = clock.now();
        const id = newId(now);
        const isAdded = await store.insertAllowance(tx, {
          ...{ id, root_id: rootId, company_id: rootId, for_company: company.id },
          ...{
            theme: themeBit(given.theme),
            reason: given.reason,
            allowed_by: ctx.actor.userId,
            created_at: now,
          },
        });
        if (!isAdded) throw new Refusal('conflict', 'This theme is already allowed there.');
        await audit.record(tx, ctx, {
          action: 'privacy.theme_allow',
          objectKind: 'company',
          objectId: company.id,
          description: `Allowed keywords on the theme ${KEYWORD_THEME_WORDS[given.theme]}${
            company.id === rootId ? ' for everyone' : ''
          }`,
        });
        return id;
      });
    },

    /** Blocks a theme again. Campaigns that have such keywords keep them, and no longer look for them. @throws Refusal 404 */
    async revoke(ctx: Ctx, id: string): Promise<void> {
      await inScope(db.app, ctx.scope, async (tx) => {
        const row = await store.deleteAllowance(tx, id);
        if (!row) throw new Refusal('not_found', ownMessages.notFound);
        await audit.record(tx, ctx, {
          action: 'privacy.theme_block',
          objectKind: 'company',
          objectId: row.for_company,
          description: `Blocked keywords on the theme ${KEYWORD_THEME_WORDS[themesIn(row.theme)[0]!]} again${
            row.for_company === row.root_id ? ' for everyone' : ''
          }`,
        });
      });
    },
  };
}
