import { expect, test } from 'vitest';
import { z } from 'zod';
import { isDatabaseAway } from '../db/away.ts';
import { Overfull } from '../gather.ts';
import { answerFor, MOST_ISSUES, refuseInput } from './errors.ts';
import { checkInput } from './input.ts';

const error = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

test.each([
  ['an orderly shutdown', error('terminating connection due to administrator command', { code: '57P01' })],
  [
    'a crash of another backend',
    error('terminating connection because of crash of another server process', { code: '57P02' }),
  ],
  ['a start', error('the database system is starting up', { code: '57P03' })],
  ['too many connections', error('sorry, too many clients already', { code: '53300' })],
  ['a failover to a standby', error('cannot execute INSERT in a read-only transaction', { code: '25006' })],
  [
    'nobody listening',
    error('connect ECONNREFUSED 127.0.0.1:5432', { code: 'ECONNREFUSED', syscall: 'connect' }),
  ],
  [
    'no socket file',
    error('connect ENOENT /run/postgresql/.s.PGSQL.5432', { code: 'ENOENT', syscall: 'connect' }),
  ],
  ['a name that is gone', error('getaddrinfo ENOTFOUND db.internal', { code: 'ENOTFOUND' })],
  ['a cut connection', error('Connection terminated unexpectedly')],
  ['a cut connection found later', error('Client has encountered a connection error and is not queryable')],
  ['a connection that takes too long', error('timeout exceeded when trying to connect')],
  ['an answer that never comes', error('Query read timeout')],
])('the database is unavailable, so the answer is 503 with Retry-After: %s', (_what, thrown) => {
  expect(isDatabaseAway(thrown)).toBe(true);
  expect(answerFor(thrown, 'r')).toMatchObject({ status: 503, retryAfter: 2 });
});

test('too much at once is not an error of ours: 503 with Retry-After', () => {
  expect(answerFor(new Overfull('5000 wait already'), 'r')).toMatchObject({ status: 503, retryAfter: 1 });
});

test.each([
  [
    'a missing file',
    error("ENOENT: no such file or directory, open 'x'", { code: 'ENOENT', syscall: 'open' }),
  ],
  ['a broken rule', error('duplicate key value violates unique constraint', { code: '23505' })],
  ['a fault in SQL', error('column "x" does not exist', { code: '42703' })],
  ['nothing', undefined],
])('is an error of ours, 500: %s', (_what, thrown) => {
  expect(isDatabaseAway(thrown)).toBe(false);
  expect(answerFor(thrown, 'r').status).toBe(500);
});

test('[BEY-31] an input of nothing but faults is refused by the first of them, in time that does not grow with their square', async () => {
  const names = Object.fromEntries(Array.from({ length: 70_000 }, (_, at) => [`\u0000${at}`, 0]));
  await expect(checkInput(z.record(z.string(), z.unknown()), names)).rejects.toMatchObject({
    code: 'invalid',
    errors: { body: Array(MOST_ISSUES).fill('must not contain NUL characters') },
  });
  const many = Array.from({ length: 200_000 }, () => ({ path: ['__proto__'], message: 'is wrong' }));
  expect(Object.keys(refuseInput(many).errors ?? {})).toEqual(['__proto__']);
});
