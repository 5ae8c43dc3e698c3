import { setTimeout as sleep } from 'node:timers/promises';
import type { WhyRead } from '../../../../contract/campaigns/pixel.ts';
import { Refusal } from '../../../../contract/errors.ts';
import {
  type Chromium,
  ChromiumError,
  type ChromiumEvent,
  startChromium,
} from '../../../platform/chromium.ts';
import type { Config } from '../../../platform/config.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import { openProxy } from '../../../platform/outbound-proxy.ts';
import type { Log } from '../../../platform/platform.ts';
import { createTurns } from '../../../platform/turns.ts';
import type { Page, Ran } from './diagnosis.policy.ts';
import { MOST_HTML, policiesIn, refuseBarred, USER_AGENT } from './reader.ts';

/** What is opened, and what the pixel on it is expected to be. */
export interface Asked {
  url: string;
  siteKey: string;
  /** Whose turn it is: one check of an agency at a time. */
  by: string;
  /** Whether a host, possibly with a port, is one of ours. */
  isOurs: (host: string) => Promise<boolean>;
  /** The pixel's script. */
  script: () => Promise<Buffer>;
}

/** How long a page may take in all, once the browser has started. */
const PAGE_MS = 20_000;
/** A page that asks for nothing for so long has done what it does. */
const QUIET_MS = 2_500;
/** After the pixel's event, whatever loads it a second time gets this long. */
const AFTER_EVENT_MS = 1_000;
const LOOK_EVERY_MS = 100;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_SCRIPTS = 500;
const MOST_TAGS = 50;
/** What is reported of an address: data URLs have no end. */
const LONGEST_ADDRESS = 4_096;

/** Opens pages in a real browser, one at a time. `pageMs`: for tests, how long a page may take. */
export function createBrowser(
  { pixelBrowser, chromiumPath }: Pick<Config, 'pixelBrowser' | 'chromiumPath'>,
  outbound: Outbound,
  log: Pick<Log, 'info' | 'warn'>,
  pageMs = PAGE_MS,
) {
  const inTurn = createTurns({
    atOnce: 1,
    // Anyone who waits holds a request open for a minute at most.
    waiting: 1,
    waitingEach: 1,
    budgetMs: 5 * 60_000,
    windowMs: 10 * 60_000,
  });
  let running: Chromium | undefined;
  let isClosed = false;

  async function open(asked: Asked): Promise<Page> {
    // A file, for one, which would not go through the proxy.
    const objection = outbound.objection(asked.url, { plainHttp: true });
    if (objection) throw new ChromiumError('failed', objection);
    const proxy = await openProxy(outbound, MOST_BYTES);
    try {
      const chromium = await startChromium({
        path: chromiumPath,
        isSandboxed: pixelBrowser !== 'unsandboxed',
        proxyPort: proxy.port,
        userAgent: USER_AGENT,
        mostMs: pageMs + 10_000,
      });
      running = chromium;
      try {
        if (isClosed) throw new ChromiumError('failed', 'The server is stopping.');
        return await watchPage(chromium, asked, pageMs);
      } finally {
        running = undefined;
        await chromium.close();
      }
    } finally {
      await proxy.close();
    }
  }

  return {
    /**
     * Opens a page and returns what happened, or why it could not be opened and is to be read instead.
     * @throws Unreachable if the site does not let a browser in
     */
    open: async (asked: Asked): Promise<Page | WhyRead> => {
      if (pixelBrowser === 'off') return 'off';
      try {
        return await inTurn(asked.by, () => open(asked));
      } catch (error) {
        if (error instanceof Refusal && error.code === 'too_many') return 'busy';
        if (!(error instanceof ChromiumError)) throw error;
        const level = error.why === 'no_sandbox' ? 'warn' : 'info';
        log[level]({ err: error, url: asked.url }, 'a page was not opened in a browser');
        return error.why;
      }
    },
    /** Ends a browser that is running; from now on, pages are only read. */
    close: async (): Promise<void> => {
      isClosed = true;
      await running?.close();
    },
  };
}

/** What is kept of a page while it is open. Begins again with each document that takes its place. */
interface Seen {
  document: { requestId: string; url: string; status: number; headers: Record<string, string> } | undefined;
  isLoaded: boolean;
  /** We have moved about on it as a visitor does. */
  hasMoved: boolean;
  scripts: Map<string, Ran['scripts'][number]>;
  /** The events of the pixel that are under way, and how many were sent. */
  sending: Set<string>;
  events: number;
  lastEventAt: number;
  eventFailure: string;
  sources: string[];
}
const nothing = (): Seen => ({
  document: undefined,
  isLoaded: false,
  hasMoved: false,
  scripts: new Map(),
  sending: new Set(),
  events: 0,
  lastEventAt: 0,
  eventFailure: '',
  sources: [],
});

/** Opens the page and waits until it has done what it does. @throws ChromiumError, Unreachable */
async function watchPage(chromium: Chromium, asked: Asked, pageMs: number): Promise<Page> {
  const until = performance.now() + pageMs;
  const { browserContextId } = chromium;
  const { targetId } = await chromium.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await chromium.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method: string, params?: object) => chromium.send(method, params, sessionId);
  /** An answer that a page which is busy may keep from coming. */
  const inTime = <T>(answer: Promise<T>): Promise<T | undefined> =>
    Promise.race([
      answer.catch(() => undefined),
      sleep(Math.max(1_000, until - performance.now()), undefined, { ref: false }),
    ]);

  let seen = nothing();
  let lastAt = performance.now();
  let mainFrame = '';
  /** The requests of frames. */
  const elsewhere = new Set<string>();
  const isTag = (address: string): boolean => URL.parse(address)?.pathname === `/p/v1/${asked.siteKey}.js`;

  /** Where the scripts that were asked for send their events. */
  const collectors = (): string[] => [...seen.scripts.values()].map(({ url }) => new URL('/v', url).href);

  let script: Promise<string> | undefined;
  const scriptText = (): Promise<string> => {
    script ??= asked.script().then((file) => file.toString('base64'));
    return script;
  };
  /** Answers for us, so that a check counts no visit, and works where this server cannot reach itself. */
  async function answer({
    requestId,
    request,
  }: {
    requestId: string;
    request: { url: string };
  }): Promise<void> {
    const url = URL.parse(request.url);
    if (!url || !(await asked.isOurs(url.host))) return send('Fetch.continueRequest', { requestId });
    const isScript = url.pathname !== '/v';
    await send('Fetch.fulfillRequest', {
      requestId,
      responseCode: isScript ? 200 : 204,
      responseHeaders: Object.entries({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'content-type',
        'cross-origin-resource-policy': 'cross-origin',
        ...(isScript ? { 'content-type': 'text/javascript; charset=utf-8' } : {}),
      }).map(([name, value]) => ({ name, value })),
      ...(isScript ? { body: await scriptText() } : {}),
    });
  }

  function take({ method, params }: ChromiumEvent): void {
    if (method === 'Page.javascriptDialogOpening') {
      void send('Page.handleJavaScriptDialog', { accept: false }).catch(() => {});
      return;
    }
    if (method === 'Fetch.requestPaused') {
      void answer(params).catch(() => {});
      return;
    }
    if (method === 'Page.loadEventFired') seen.isLoaded = true;
    // A request that a content policy forbids is not even begun.
    const forbidden: string | undefined =
      params.issue?.details?.contentSecurityPolicyIssueDetails?.blockedURL;
    if (forbidden && collectors().includes(forbidden)) seen.eventFailure = 'csp';
    if (!method.startsWith('Network.')) return;
    const id: string = params.requestId;
    // What its frames do says nothing about the page, and advertisements never become quiet.
    if (params.frameId && params.frameId !== mainFrame) elsewhere.add(id);
    if (elsewhere.has(id)) return;
    lastAt = performance.now();
    const script = seen.scripts.get(id);
    if (method === 'Network.requestWillBeSent') {
      if (params.type === 'Document') seen = nothing();
      const url = String(params.request.url).slice(0, LONGEST_ADDRESS);
      if (params.type === 'Script') {
        if (seen.sources.length < MOST_SCRIPTS) seen.sources.push(url);
        if (isTag(url) && seen.scripts.size < MOST_TAGS)
          seen.scripts.set(id, { url, by: askersOf(params), outcome: 'waiting', reason: '' });
      }
      if (isEvent(params.request, asked.siteKey)) seen.sending.add(id);
    }
    if (method === 'Network.responseReceived' && params.type === 'Document')
      seen.document = {
        requestId: id,
        url: params.response.url,
        status: params.response.status,
        headers: lowercased(params.response.headers),
      };
    if (method === 'Network.responseReceived' && seen.sending.delete(id)) {
      seen.events++;
      seen.lastEventAt = lastAt;
    }
    if (method === 'Network.responseReceived' && script && params.response.status >= 400)
      Object.assign(script, { outcome: 'failed', reason: String(params.response.status) });
    if (method === 'Network.loadingFinished' && script?.outcome === 'waiting') script.outcome = 'loaded';
    if (method === 'Network.loadingFailed') {
      const reason = String(params.blockedReason || params.errorText);
      if (script) Object.assign(script, { outcome: 'failed', reason });
      if (seen.sending.delete(id)) seen.eventFailure = reason;
    }
  }

  chromium.onEvent((event) => {
    if (event.sessionId === sessionId) take(event);
  });
  await send('Page.enable');
  await send('Network.enable', {
    maxTotalBufferSize: 16 * 1024 * 1024,
    maxResourceBufferSize: 8 * 1024 * 1024,
  });
  await send('Audits.enable');
  await send('Fetch.enable', { patterns: [{ urlPattern: '*/p/v1/*' }, { urlPattern: '*/v' }] });
  const { frameTree } = await send('Page.getFrameTree');
  mainFrame = frameTree.frame.id;
  const went = await inTime(send('Page.navigate', { url: asked.url }));
  if (went?.errorText) throw new ChromiumError('failed', `${went.errorText}`);

  const isDone = (): boolean => {
    if (!seen.hasMoved) return false;
    if (seen.events > 0) return performance.now() - seen.lastEventAt > AFTER_EVENT_MS;
    const isWaiting = [...seen.scripts.values()].some(({ outcome }) => outcome === 'waiting');
    return performance.now() - lastAt > QUIET_MS && !isWaiting && seen.sending.size === 0;
  };
  while (performance.now() < until && !isDone()) {
    await Promise.race([sleep(LOOK_EVERY_MS), chromium.ended]);
    if (seen.isLoaded && !seen.hasMoved) {
      seen.hasMoved = true;
      lastAt = performance.now();
      moveAbout(send);
    }
  }

  const { document, scripts, events, eventFailure, sources } = seen;
  if (!document) throw new ChromiumError('failed', 'The page did not respond in time.');
  const [html, served] = await Promise.all([
    inTime(htmlOf(send, mainFrame)),
    inTime(bodyOf(send, document.requestId)),
  ]);
  const { url, status, headers } = document;
  refuseBarred(status, headers, served ?? '');
  return {
    url,
    status,
    html: served ?? html ?? '',
    isCut: false,
    policies: policiesIn(headers),
    ran: { html, scripts: [...scripts.values()], events, eventFailure, sources },
  };
}

/** Moves as a visitor does: what waits for one begins. */
function moveAbout(send: (method: string, params: object) => Promise<unknown>): void {
  const mouse = (type: string, y: number, more: object = {}) =>
    // A page that is busy answers none of them.
    void send('Input.dispatchMouseEvent', { type, x: 200, y, ...more }).catch(() => {});
  mouse('mouseMoved', 200);
  mouse('mouseMoved', 320);
  mouse('mouseWheel', 320, { deltaX: 0, deltaY: 600 });
}

/** The scripts, other than those in the page itself, that asked for a request. */
function askersOf({
  initiator,
  documentURL,
}: {
  initiator?: { stack?: Stack };
  documentURL: string;
}): string[] {
  const found = new Set<string>();
  for (let stack = initiator?.stack; stack; stack = stack.parent)
    for (const { url } of stack.callFrames)
      if (url && url !== documentURL && found.size < 20) found.add(url.slice(0, LONGEST_ADDRESS));
  return [...found];
}
interface Stack {
  callFrames: { url: string }[];
  parent?: Stack;
}

/** Whether a request is an event of the pixel with our key. */
function isEvent(
  { url, method, postData }: { url: string; method: string; postData?: string },
  siteKey: string,
) {
  return method === 'POST' && url.endsWith('/v') && postData?.includes(`"k":"${siteKey}"`);
}

async function htmlOf(send: (method: string, params: object) => Promise<unknown>, frameId: string) {
  // Not in the page's own world, whose scripts may have changed what these words mean.
  const world = (await send('Page.createIsolatedWorld', { frameId })) as { executionContextId: number };
  const { result } = (await send('Runtime.evaluate', {
    contextId: world.executionContextId,
    expression: `document.documentElement.outerHTML.slice(0, ${MOST_HTML})`,
    returnByValue: true,
  })) as { result: { value?: unknown } };
  return typeof result.value === 'string' ? result.value : undefined;
}

async function bodyOf(send: (method: string, params: object) => Promise<unknown>, requestId: string) {
  const { body, base64Encoded } = (await send('Network.getResponseBody', { requestId })) as {
    body: string;
    base64Encoded: boolean;
  };
  return (base64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body).slice(0, MOST_HTML);
}

const lowercased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
