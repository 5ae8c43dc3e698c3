import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { BROWSER } from '../factories.ts';
import type { Running } from '../stage.ts';

/** The options of a fault run: the seed decides when the kills happen, so that a run can be reproduced. */
export interface FaultRun {
  kills: number;
  seed: number;
  /** Receives progress lines of a long run. */
  log?: (line: string) => void;
}

/** Reproducible random numbers in [0, 1) from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Waits until `done` returns true. Throws naming what is still missing if that takes too long. */
export async function until(
  what: string,
  done: () => Promise<boolean> | boolean,
  seconds = 90,
): Promise<void> {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(100)) {
    if (await done()) return;
  }
  throw new Error(`Still waiting after ${seconds} s: ${what}`);
}

/** What visitors saw of a server with faults. */
export interface Log {
  /** Event ids answered with 204. */
  acknowledged: Set<string>;
  /** Answers by status; 0: the connection broke. */
  answers: Map<number, number>;
  /** 503 answers without Retry-After. */
  unhelpful: number;
}

/**
 * Browsers that send visits continuously and retry each one, with the same id, until it is acknowledged.
 * @param given.pauseMs how long each waits between visits
 * @param given.person the hash of a person's email address for each next visit
 * @param given.address the address that each next visit comes from, as a trusted proxy says
 */
export function sendVisits(
  server: () => Pick<Running, 'port'> | undefined,
  siteKey: string,
  browsers: number,
  given: { pauseMs?: number; person?: () => string; address?: () => string } = {},
): { log: Log; stop(): Promise<void> } {
  const log: Log = { acknowledged: new Set(), answers: new Map(), unhelpful: 0 };
  let ending = false;
  const browser = async (): Promise<void> => {
    while (!ending) {
      const id = newId(systemClock.now());
      const person = given.person ? { h: given.person() } : {};
      const body = JSON.stringify({ k: siteKey, e: [{ i: id, u: 'https://shop.example.com/', ...person }] });
      for (;;) {
        const port = server()?.port;
        if (port) {
          const { status, retryAfter } = await post(port, body, given.address?.());
          log.answers.set(status, (log.answers.get(status) ?? 0) + 1);
          if (status === 503 && !retryAfter) log.unhelpful++;
          if (status === 204) break;
        }
        await sleep(50);
      }
      log.acknowledged.add(id);
      if (given.pauseMs) await sleep(given.pauseMs);
    }
  };
  const all = Array.from({ length: browsers }, browser);
  return {
    log,
    async stop() {
      ending = true;
      await Promise.all(all);
    },
  };
}

async function post(
  port: number,
  body: string,
  address?: string,
): Promise<{ status: number; retryAfter: string | null }> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v`, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain;charset=UTF-8',
        'user-agent': BROWSER,
        origin: 'https://shop.example.com',
        ...(address ? { 'x-forwarded-for': address } : {}),
      },
      body,
      signal: AbortSignal.timeout(30_000),
    });
    await answer.arrayBuffer();
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
  } catch {
    return { status: 0, retryAfter: null };
  }
}
