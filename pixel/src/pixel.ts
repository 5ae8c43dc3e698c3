// The visitor script. It runs on pages of other people: it must never throw into them, never block them and
// never let a plain email leave. Every byte counts (1,536 gzipped), so helpers are few and some lines are dense.
// What it sends, and when, is told to site owners in pixel/README.md; keep both in step.
// biome-ignore-all lint/suspicious/noDoubleEquals: bytes
// biome-ignore-all lint/suspicious/noAssignInExpressions: bytes
// biome-ignore-all lint/suspicious/noExplicitAny: globals of other people's pages
// biome-ignore-all lint/style/useTemplate: bytes
export {};

/** One event of a body; empty fields are left out of the JSON. */
interface PixelEvent {
  i: string;
  n: string | undefined;
  v: string | undefined;
  u: string;
  r: string;
  t: string;
  h?: string;
  m?: string;
  s?: string;
  g: number;
}
type Command = ArrayLike<unknown>;

(() => {
  const page = self as any;
  const doc = document as Document & { prerendering?: boolean };

  /** Wraps a callback so that it never throws into the page. */
  const safe =
    (run: (arg: any) => any) =>
    (arg?: unknown): any => {
      try {
        return run(arg);
      } catch {}
    };

  try {
    const tag = (doc.currentScript || doc.querySelector('[src*="/p/v1/"]')) as HTMLScriptElement;
    const [, host, key] = tag.src.match(/(.+)\/p\/v1\/([\w-]+)/)!;
    const queueName = '_lvid' + key;
    // A second copy of the same tag does nothing; another campaign's tag runs beside this one.
    if (page[queueName]) return;
    page[queueName] = 1;

    /** 1 if Global Privacy Control is on; NaN where it is off or unknown. */
    const gpc = +(navigator as any).globalPrivacyControl;
    /** Whether sending is allowed: falsy while consent is pending or refused. */
    let may: unknown = 1;
    /** Events that the server has not confirmed yet, oldest first. */
    let queue: PixelEvent[] = [];
    /** Set while a request is under way. */
    let busy: unknown;
    let pause = 2e3;
    let visitor: string | undefined;
    let here = '';
    let from = '';
    let lastId: unknown;
    let gpp: unknown;

    const local = safe(() => localStorage)();
    const session = safe(() => sessionStorage)() || {};
    /** Stores the visitor's id (36 characters) in localStorage, otherwise for a year in a cookie; '' erases both. */
    const keep = safe((value: string) => {
      if (!local || !(local._lvid = value))
        doc.cookie = '_lvid=' + value + ';path=/;SameSite=Lax;max-age=' + value.length * 876e3;
      if (!value) delete local._lvid;
    });
    const forget = () => {
      queue = [];
      keep((visitor = lastId = here = ''));
      delete session[queueName];
    };

    const hex = (bytes: ArrayLike<number> | ArrayBuffer) =>
      (new Uint8Array(bytes as ArrayBuffer) as any).reduce(
        (text: string, byte: number) => text + (byte + 256).toString(16).slice(1),
        '',
      ) as string;

    /** A UUIDv7 (RFC 9562) for the current time, with 72 random bits. */
    const uuid = () =>
      (0 + Date.now().toString(16) + 7 + hex(crypto.getRandomValues(new Uint8Array(9)))).replace(
        /(.{8})(.{4})(.{4})(.{3})/,
        '$1-$2-$3-8$4-',
      );

    /** Parameters that carry an email or a hash of one. */
    const carriers = /([?&]h?em(ail|_md5|_sha\d+)?=)([^&]+)/gi;
    /** Takes emails and their hashes out of an address or a title. */
    const clean = (text: string) =>
      text
        // Cut first: on a text without bound the second expression takes quadratic time.
        .slice(0, 2048)
        .replace(carriers, '$1')
        .replace(/[^\s/?&=]+(@|%(25)*40)[^\s/?&=]+/gi, '');

    const flush = safe((leaving?: Event) => {
      // Ten events of maximum length stay under the 64 KiB limit of a keepalive request.
      const batch = queue.slice(0, 10);
      (page.__gpp || later)('ping', (state: any) => (gpp = state.gppString));
      const body = JSON.stringify({ k: key, e: batch, p: gpp }, (_, value) => value || undefined);
      const done = (answer: { status?: number }) => {
        busy = 0;
        // 429, 5xx and no response mean retry later; anything else is final, and repeating it would not help.
        if (answer.status! < 429) {
          queue.splice(0, batch.length);
          flush();
        } else setTimeout(flush, (pause *= 2));
      };
      if (batch[0]) {
        // A beacon gets no response: its events stay queued, and the server knows their ids.
        if (leaving) navigator.sendBeacon(host + '/v', body);
        else busy = busy || fetch(host + '/v', { method: 'POST', body, keepalive: true }).then(done, done);
      }
      // No visitor id: consent is pending or Global Privacy Control is on, so nothing may be stored. This must be the
      // last line, because a full storage throws.
      if (visitor) session[queueName] = JSON.stringify(queue);
    });

    /** Queues one event; an 'identify' whose value is neither an email nor a hash queues nothing. */
    const emit = async (name?: string, identity?: unknown) => {
      if (name) view();
      if (!may) return;
      if (!gpc && !visitor) {
        visitor =
          safe(() => /_lvid=([\w-]{36})/.exec('_lvid=' + (local || session)._lvid + doc.cookie)![1])() ||
          uuid();
        keep(visitor);
        queue = safe(JSON.parse)(session[queueName]) || [];
      }
      const event: PixelEvent & Record<string, unknown> = {
        i: uuid(),
        n: name,
        v: visitor,
        u: clean(here),
        r: clean(from),
        t: clean(doc.title).slice(0, 200),
        g: gpc,
      };
      let value = ('' + (gpc || identity)).trim().toLowerCase();
      let field = /^[\da-f]+$/.test(value) && { 32: 'm', 40: 's', 64: 'h' }[value.length];
      // No crypto.subtle on plain http: the email is skipped.
      if (/^[^\s/?&=]+@[^\s/?&=]+\.[^\s/?&=]+$/.test(value) && crypto.subtle) {
        value = hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(value)));
        field = 'h';
      }
      if (field) event[field] = value;
      // Consent may have been withdrawn while the email was hashed.
      if (may && (field || name != 'identify')) {
        queue.push(event as PixelEvent);
        flush();
      }
    };

    const view = safe(() => {
      const now = location.href.split('#')[0]!;
      let identity: unknown;
      if (!may || doc.prerendering || now == here) return;
      from = here || doc.referrer;
      here = now;
      now.replace(carriers, (...found) => (identity = safe(decodeURIComponent)(found[3])));
      emit('', identity);
    });
    // After the running task, so that the page has set its new title.
    const later = (_?: unknown) => setTimeout(view);

    const identify = (value: unknown) => {
      if (value != lastId) emit('identify', (lastId = '' + value));
    };
    const command = safe((args: any) =>
      // An unknown command throws and is skipped.
      (
        ({
          identify,
          thanks: () => emit('thanks'),
          consent(given: unknown) {
            const waited = !may;
            may = (given as number) > 0;
            if (!given) forget();
            // The view first, then what was submitted while consent was pending, which was held only in memory.
            if (waited) emit('identify', lastId);
          },
        }) as any
      )[args[0]](args[1]),
    );
    const on = (names: string, run: (event: any) => unknown) =>
      names.split(' ').map((name) => addEventListener(name, safe(run), true));

    if (gpc) forget();
    // The global is a queue that also runs: it holds the commands given before load and those for a second campaign's
    // tag. A form with id="lead" turns window.lead into an element, hence the check.
    const before = page.lead || 0;
    const log: Command[] = before.q || [];
    if ((tag.dataset.consent || page.leadConsent) == 'wait') log.unshift(['consent', 'wait']);
    log.map(command);
    page.lead = (...args: unknown[]) => {
      command(args);
      if (before.q) before(...args);
      else log.push(args);
    };
    page.lead.q = log;
    page.leadConsent = (given: unknown) => page.lead('consent', given);

    on('online visibilitychange', flush);
    on('prerenderingchange popstate', later);
    on('submit change blur', (event: Event) => {
      const at = event.target as any;
      for (const field of at.elements || [at])
        if (/^email|^text.*mail/i.test(field.type + field.name + field.autocomplete)) identify(field.value);
    });
    for (const name of ['pushState', 'replaceState']) {
      const original = (history as any)[name];
      (history as any)[name] = (...args: unknown[]) => later(original.apply(history, args));
    }
    view();
  } catch {}
})();
