// What this process is doing, in memory that another thread can read while this one is held (watchdog.ts).

/** How many things at once are told apart, and how many bytes the name of each may have. */
export const SLOTS = 128;
export const SLOT_BYTES = 128;
/** Before the slots: a counter that goes up as long as the event loop turns. */
export const HEAD_BYTES = 8;

export const activityMemory = new SharedArrayBuffer(HEAD_BYTES + SLOTS * SLOT_BYTES);
const bytes = Buffer.from(activityMemory);
const free = Array.from({ length: SLOTS }, (_, slot) => SLOTS - 1 - slot);

/**
 * Notes that something has begun (a request, a job); the answer is to be called when it has ended. Beyond as many as there
 * are slots nothing is noted.
 */
export function activity(name: string): () => void {
  const slot = free.pop();
  if (slot === undefined) return () => {};
  const at = HEAD_BYTES + slot * SLOT_BYTES;
  const length = bytes.write(name, at, SLOT_BYTES - 1);
  bytes[at + length] = 0;
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    bytes[at] = 0;
    free.push(slot);
  };
}
