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

/** Returns a UUIDv7 for the given instant: later ids sort later. */
export function newId(at: Date): string {
  const b = Buffer.alloc(16);
  b.writeUIntBE(at.getTime(), 0, 6);
  random(10).copy(b, 6);
  b[6] = (b[6]! & 0x0f) | 0x70;
  b[8] = (b[8]! & 0x3f) | 0x80;
  const h = b.toString('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
}

/** The instant inside a UUIDv7, in milliseconds since 1970. */
export function idTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
