import { z } from 'zod';
import { dayInText } from '../../../../contract/accounts/agreement-text.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Notice, Notices } from '../../money/ledger/index.ts';
import type { Tenants } from '../tenants/index.ts';
import * as store from './store.ts';

const dueJob = defineJob('agreements.news', z.object({}));

const DAY_MS = 86_400_000;
/** How long before the earlier version ends companies are reminded. */
const SOON_MS = 7 * DAY_MS;
/** How long after its end they are still told: later, nobody waits for that email anymore. */
const LATE_MS = 30 * DAY_MS;
/** Companies told in one transaction. */
const STEP = 200;

/**
 * Which email is due about a version; undefined: none anymore. A company is not told of the same version by two emails at
 * once: whoever was added during the last week gets the reminder only.
 */
function dueKind(effectiveAt: Date, now: Date): store.NoticeKind | undefined {
  const left = effectiveAt.getTime() - now.getTime();
  if (left > SOON_MS) return 'published';
  if (left > 0) return 'soon';
  return left > -LATE_MS ? 'ended' : undefined;
}

function noticeOf(row: store.UntoldRow, kind: store.NoticeKind, party: string): Notice {
  const day = dayInText(row.effective_on);
  const page = { label: 'Read and accept', path: `/configuration/agreements/${row.document_type}` };
  const title = `“${row.title}”`;
  if (kind === 'ended')
    return {
      subject: `${row.title}: please accept the new version`,
      lines: [
        `Version ${row.version} of ${title} with ${party} took effect on ${day}. The version that you accepted no longer applies.`,
        'What depends on it waits until someone in charge of your company accepts the new version.',
      ],
      page,
    };
  return {
    subject:
      kind === 'published'
        ? `${row.title}: a new version takes effect on ${day}`
        : `${row.title}: please accept the new version by ${day}`,
    lines: [
      `${party} has published version ${row.version} of ${title}. It takes effect on ${day}.`,
      'Until then, the version that you accepted still applies. If you accept earlier, the new version applies from that day, too.',
    ],
    page,
  };
}

/** Emails about new versions of agreements, to the companies that accepted an earlier one. */
export function createNews(
  { db, clock, jobs }: Pick<Platform, 'db' | 'clock' | 'jobs'>,
  { tenants, notices }: { tenants: Tenants; notices: Notices },
) {
  return {
    /** Sends what is due in a root; returns how many companies were told. */
    async sendDue(rootId: string): Promise<number> {
      const now = clock.now();
      const versions = await inScope(db.app, { rootId }, (tx) =>
        store.newestSince(tx, rootId, new Date(now.getTime() - LATE_MS)),
      );
      let told = 0;
      for (const version of versions) {
        const kind = dueKind(version.effective_at, now);
        if (!kind) continue;
        const { name: party } = await tenants.frontDoor(version.company_id);
        for (;;) {
          const rows = await inScope(db.app, { rootId }, (tx) => store.untold(tx, version, kind, STEP));
          for (const row of rows) {
            const sender = await notices.sender(row);
            await inScope(db.app, { rootId }, async (tx) => {
              // Another worker may have told it since.
              if (!(await store.insertNotice(tx, row, version.id, kind, now))) return;
              const notice = noticeOf({ ...version, ...row }, kind, party);
              await notices.tell(tx, `agreement.${kind}`, sender, row, notice);
              told += 1;
            });
          }
          if (rows.length < STEP) break;
        }
      }
      return told;
    },

    /** Looks every ten minutes, in every root; a failure in one does not hold up the others. */
    async start(): Promise<void> {
      await jobs.work(dueJob, { pollingIntervalSeconds: 30 }, () =>
        tenants.eachRoot((rootId) => this.sendDue(rootId)),
      );
      await jobs.schedule(dueJob, '*/10 * * * *', {});
    },
  };
}
