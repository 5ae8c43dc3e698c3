// What this process is doing, in memory that another thread can read while this one is blocked (watchdog.ts).

/** Maximum number of activities tracked at once, and maximum bytes for each name. */
export const SLOTS = 128;
const SLOT_BYTES = 128;
/** Before the slots: a counter that increases as long as the event loop is running. */
const HEAD_BYTES = 8;

export const activityMemory = new SharedArrayBuffer(HEAD_BYTES + SLOTS * SLOT_BYTES);
const bytes = Buffer.from(activityMemory);
const free = Array.from({ length: SLOTS }, (_, slot) => SLOTS - 1 - slot);

/**
 * Records that something has begun (a request, a job); call the returned function when it has ended. Once all slots are
 * taken, nothing more is recorded.
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

/** What has begun and not ended, as far as recorded, by the memory of a process. */
export function underWay(memory: SharedArrayBuffer = activityMemory): string[] {
  const slots = Buffer.from(new Uint8Array(memory).slice(HEAD_BYTES));
  return Array.from({ length: SLOTS }, (_, slot) => {
    const name = slots.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES);
    return name.subarray(0, name.indexOf(0)).toString();
  }).filter((name) => name !== '');
}
