import { describe, expect, it } from 'vitest';
import { ownMessages } from '../../contract/messages.ts';
import { peopleIn, Session } from './session.ts';

const jwt = (sub: string, by?: string) =>
  `h.${Buffer.from(JSON.stringify({ sub, jti: '?>~', ...(by ? { act: { sub: by } } : {}) })).toString('base64url')}.s`;
const own = jwt('root');
const view = jwt('client', 'root');

/** A session whose renewals return what `next` holds, using a storage that may be shared with another. */
function setUp(kept = new Map<string, string>()) {
  const next: string[] = [];
  let changes = 0;
  const session = new Session({
    store: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
    renew: async () => next.shift() ?? own,
  });
  session.onViewChange(() => changes++);
  return { session, kept, next, changes: () => changes };
}

describe('[NAV-03] the session in view mode', () => {
  it('keeps who is behind a view in storage for as long as it lasts', async () => {
    const { session, kept } = setUp();
    session.start(own);
    expect(kept.get('original_user')).toBeUndefined();
    session.become(view);
    expect([session.token, kept.get('original_user'), session.agrees]).toEqual([view, 'root', true]);
    await session.rejoin();
    expect([session.token, kept.has('original_user'), session.agrees]).toEqual([own, false, true]);
  });

  it('goes on with the view after a reload and in a second tab, and finds the login after its end', async () => {
    const first = setUp();
    first.session.start(own);
    first.session.become(view);
    const second = setUp(first.kept);
    second.next.push(view);
    expect(await second.session.fresh()).toBe(view);
    expect(second.changes()).toBe(0);
    const late = setUp(first.kept);
    expect(await late.session.fresh()).toBe(own);
    // Nothing was started as another user, but the page belongs to the viewed user.
    expect(late.changes()).toBe(1);
    expect(late.kept.has('original_user')).toBe(false);
  });

  it('[BEY-12] never sends on as oneself what was begun as the person viewed', async () => {
    const { session, changes } = setUp();
    session.start(own);
    session.become(view);
    const refused = { status: 409, message: ownMessages.viewOver };
    await expect(session.fresh(view)).rejects.toMatchObject(refused);
    expect([session.token, changes()]).toEqual([own, 1]);
    // A call whose 401 arrives only now was also started as the viewed user.
    await expect(session.fresh(view)).rejects.toMatchObject(refused);
    expect(changes()).toBe(1);
    expect(session.alive).toBe(true);
  });

  it('a renewal within the view changes nothing', async () => {
    const { session, next, changes } = setUp();
    session.start(own);
    session.become(view);
    const another = `${view}2`;
    next.push(another);
    expect(await session.fresh(view)).toBe(another);
    expect(await session.fresh(view)).toBe(another);
    expect(changes()).toBe(0);
  });

  it('a tab notices when another has begun or ended a view', () => {
    const one = setUp();
    one.session.start(own);
    const other = setUp(one.kept);
    other.session.start(own);
    one.session.become(view);
    expect(other.session.agrees).toBe(false);
    other.session.become(view);
    expect(other.session.agrees).toBe(true);
    one.session.become(own);
    expect(other.session.agrees).toBe(false);
  });

  it('reads tokens of this kind only', () => {
    expect(peopleIn(view)).toEqual({ subject: 'client', trueActor: 'root' });
    expect(peopleIn(own)).toEqual({ subject: 'root' });
    for (const token of [undefined, '', 'x', 'a.b.c']) expect(peopleIn(token)).toEqual({});
  });
});
