import { describe, expect, it } from 'vitest';
import { diagnose, type PageFacts, type Ran } from './diagnosis.policy.ts';
import { isChallenge, MANAGERS } from './marks.policy.ts';

// What needs more than a page of one's own: containers of tag managers, tools of others, and what browsers tell.

const KEY = 'abcdefgh23456789wxyz';
const script = `https://leads.acme.test/p/v1/${KEY}.js`;
const tag = `<script async src="${script}"></script>`;
const [GOOGLE] = MANAGERS;
const gtm = '<script src="https://www.googletagmanager.com/gtm.js?id=GTM-ABC123"></script>';
const inGtm = [{ manager: GOOGLE!, container: 'GTM-ABC123' }];

const facts = (html: string, more: Partial<PageFacts> = {}): PageFacts => ({
  url: 'https://shop.test/',
  status: 200,
  html,
  isCut: false,
  policies: [],
  inManagers: [],
  ...more,
});
const ran = (more: Partial<Ran> = {}): Ran => ({
  html: '',
  scripts: [],
  events: 0,
  eventFailure: '',
  sources: [],
  ...more,
});
const asked = (more: Partial<Ran['scripts'][number]> = {}): Ran['scripts'] => [
  { url: script, by: [], outcome: 'loaded', reason: '', ...more },
];
const judge = (page: PageFacts) =>
  diagnose(page, {
    siteKey: KEY,
    tag,
    script,
    isOurs: (host) => host === 'leads.acme.test',
    isSite: (host) => host === 'shop.test',
  });

describe('[BEY-10] a tag in a tag manager', () => {
  const byGoogle = asked({ by: ['https://www.googletagmanager.com/gtm.js?id=GTM-ABC123'] });

  it('works when its container loads it, and is a duplicate of one on the page', () => {
    expect(judge(facts(gtm, { ran: ran({ html: gtm + tag, scripts: byGoogle, events: 1 }) }))).toMatchObject({
      cause: 'tag_manager',
      message: 'The tag manager Google Tag Manager loads the pixel, and it works.',
    });
    const both = facts(gtm + tag, { ran: ran({ html: gtm + tag, scripts: byGoogle, events: 1 }) });
    expect(judge(both).cause).toBe('duplicate');
  });

  it('is said to be there and not to be loaded, if a browser opened the page and nothing asked for it', () => {
    expect(judge(facts(gtm, { inManagers: inGtm }))).toMatchObject({ cause: 'tag_manager', tone: 'good' });
    const opened = facts(gtm, { inManagers: inGtm, ran: ran({ html: gtm }) });
    expect(judge(opened)).toMatchObject({ cause: 'not_fired', tone: 'bad', fixes: [{ code: tag }] });
    // With a consent banner, that is what it most often waits for, and then nothing is wrong.
    const sources = ['https://consent.cookiebot.com/uc.js'];
    expect(judge({ ...opened, ran: ran({ html: gtm, sources }) })).toMatchObject({
      cause: 'consent',
      tone: 'warn',
      message: expect.stringContaining('Cookiebot'),
    });
    // The tag of another campaign on the same page is not why.
    const other = `<script src="https://leads.acme.test/p/v1/zzzzzzzz22222222zzzz.js"></script>`;
    expect(judge({ ...opened, html: gtm + other }).cause).toBe('not_fired');
  });
});

describe('[BEY-10] no wrong cause', () => {
  it.each([
    // Curly quotes and written-out elements elsewhere on the page have nothing to do with the tag.
    ['missing', `<p>“Boots” for <code>&lt;script></code></p><p>${'x'.repeat(600)}${script}</p>`],
    ['shown_as_text', `<p>“Boots”</p><pre>&lt;script async src=&#8221;${script}&#8221;&gt;</pre>`],
    ['curly_quotes', `<script async src=&#8221;${script}&#8221;></script>`],
    // A string with the beginning of a comment is none.
    ['tag', `<script>input.accept='image/*';s.src='${script}'</script>`],
    ['missing', `<script>/* s.src='${script}' */</script>`],
    // A frame of an app.
    ['single_page', '<div id="__next"></div>'],
  ])('finds %s (%#)', (cause, html) => {
    expect(judge(facts(html)).cause).toBe(cause);
  });

  it('does not say that a banner or an optimizer holds a tag that works, unless one that is known does', () => {
    const works = (held: string) =>
      judge(facts(held, { ran: ran({ html: held + tag, scripts: asked(), events: 1 }) })).cause;
    expect(works(`<script type="text/plain" data-src="${script}"></script>`)).toBe('tag');
    expect(works(`<script type="text/plain" data-cookieconsent="marketing" src="${script}"></script>`)).toBe(
      'consent',
    );
    expect(works(`<script type="rocketlazyloadscript" data-rocket-src="${script}"></script>`)).toBe(
      'delayed',
    );
  });

  it('names a policy that turns scripts off, and none that lets the tag run', () => {
    const page = facts(tag, {
      policies: ["sandbox allow-forms; script-src 'self'"],
      ran: ran({ html: tag }),
    });
    expect(judge(page).fixes.map(({ code }) => code)).toEqual([
      `script-src 'self' https://leads.acme.test`,
      'sandbox allow-forms allow-scripts',
    ]);
    const open = facts(tag, {
      policies: ['default-src https: data:'],
      ran: ran({ html: tag, scripts: asked() }),
    });
    expect(judge(open)).toMatchObject({ cause: 'blocked', message: /no event was sent/ });
  });

  it('takes only the pages of bot filters for challenges, not those behind one', () => {
    expect(isChallenge('<title>Just a moment...</title>')).toBe(true);
    expect(isChallenge('<script>window._cf_chl_opt={}</script>')).toBe(true);
    expect(isChallenge('Request unsuccessful. Incapsula incident ID: 1-2')).toBe(true);
    expect(isChallenge('<title>Just a moment in time: photographs</title>')).toBe(false);
    expect(isChallenge('<script src="/cdn-cgi/challenge-platform/h/b/scripts/jsd/main.js"></script>')).toBe(
      false,
    );
    expect(isChallenge('<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>')).toBe(false);
  });
});
