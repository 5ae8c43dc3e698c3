import type { ManualClock } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { Services } from '../services.ts';

const MINUTE_MS = 60_000;

/**
 * Returns of a client's leads, one of each kind: waiting, proven, approved, declined, and approved by itself. `buyers`: the
 * addresses of people who bought before they became leads.
 */
export async function seedReturns(
  features: Services,
  clock: ManualClock,
  { asClient, asAgency, buyers }: { asClient: Ctx; asAgency: Ctx; buyers: readonly string[] },
): Promise<void> {
  const { returns, settings } = features;
  const { rows } = await features.leads.list(
    asClient,
    {},
    { sort: 'created_at', order: 'desc', limit: 400, offset: 0 },
  );
  const [bought, boughtToo] = buyers.map((email) => rows.find((row) => row.email === email)?.id);
  const again = rows.find((row, at) => rows.slice(at + 1).some(({ email }) => email === row.email))?.id;
  const others = rows
    .map(({ id }) => id)
    .filter((id) => id !== bought && id !== boughtToo && id !== again)
    .slice(0, 5);
  const [wrong, wrongToo, unreachable, abroad, unclear] = others;
  const open = async (
    id: string | undefined,
    reason: Parameters<typeof returns.open>[1]['reason'],
    note = '',
  ) => {
    clock.advance(5 * MINUTE_MS);
    if (id) await returns.open(asClient, { ids: [id], reason, note });
  };
  const decide = async (leadId: string | undefined, decision: 'approved' | 'declined', answer: string) => {
    const made = leadId && (await returns.ofLead(asAgency, leadId)).data;
    if (made) await returns.decide(asAgency, { ids: [made.id], decision, answer });
  };
  await open(wrong, 'wrong_person', 'Whoever answers says that they never visited our shop.');
  await open(again, 'duplicate', 'We called them last week.');
  await open(bought, 'customer', 'Bought hiking boots from us.');
  await open(unclear, 'other', 'They work for a competitor.');
  await open(wrongToo, 'wrong_person', 'The number belongs to a bakery.');
  clock.advance(90 * MINUTE_MS);
  await decide(wrongToo, 'approved', 'Thank you for telling us. We have checked it.');
  await open(abroad, 'outside_target', 'Lives too far away for our guided tours.');
  await decide(
    abroad,
    'declined',
    'The campaign has no filter by place. You can add one on its Audience tab.',
  );
  await open(unreachable, 'invalid_contact', 'Our emails come back.');
  await decide(unreachable, 'approved', '');
  // From now on, those who bought before need no decision.
  await settings.save(asAgency, {
    setting: 'lead_returns',
    value: { window_days: 14, automatic: ['customer'] },
  });
  await open(boughtToo, 'customer', 'A customer for years.');
}
