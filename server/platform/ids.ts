import { randomBytes } from 'node:crypto';

let pool = Buffer.alloc(0);
let used = 0;

function random(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    pool = randomBytes(4096);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}

// RFC 9562, 6.2, method 1: within a millisecond, the 26 bits behind the time count up from a random start, so that rows
// made by one process together are listed in the order in which they were made. 48 random bits stay.
const COUNTER_BITS = 26;
let lastTime = -1;
let counter = 0;

/** Returns a UUIDv7 for the given instant: later ids sort later, also those that one process makes for one instant. */
export function newId(at: Date): string {
  const time = at.getTime();
  if (time !== lastTime || counter === 2 ** COUNTER_BITS - 1) {
    lastTime = time;
    // The highest bit is clear at first, which leaves room for at least 33 million ids.
    counter = random(4).readUInt32BE() >>> (33 - COUNTER_BITS);
  } else counter++;
  const b = Buffer.alloc(16);
  b.writeUIntBE(time, 0, 6);
  b.writeUInt16BE(0x7000 | (counter >>> 14), 6);
  b.writeUInt16BE(0x8000 | (counter & 0x3fff), 8);
  random(6).copy(b, 10);
  const h = b.toString('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
}

/** The instant inside a UUIDv7, in milliseconds since 1970. */
export function idTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
