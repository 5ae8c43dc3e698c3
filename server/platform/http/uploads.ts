import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import type { Actor } from '../ctx.ts';
import { hasRoom } from '../disk.ts';

/** A body that a handler reads as it arrives. It ends with an error if its sender may no longer send it. */
export interface Upload extends AsyncIterable<Uint8Array> {
  headers: IncomingHttpHeaders;
}

/** How many uploads of one company may be in progress, and of an agency with all its clients. */
const EACH = 3;
const TREE = 12;
/** How much of an upload arrives before the disk is looked at again; also what one of unknown size is counted as. */
const STEP_BYTES = 32 * 1024 ** 2;

export type Uploads = ReturnType<typeof createUploads>;

/**
 * Uploads in progress: they are counted before their bodies are read, and none begins, or goes on, where it would leave
 * the disk without the space that everything else needs.
 */
export function createUploads(dataDir: string) {
  const underWay = new Map<string, number>();
  let expected = 0;
  const add = (holder: string, more: number) => {
    const count = (underWay.get(holder) ?? 0) + more;
    if (count > 0) underWay.set(holder, count);
    else underWay.delete(holder);
  };
  const noRoom = () => new Refusal('unavailable', ownMessages.noRoomForFiles, { retryAfter: 300 });

  return {
    /**
     * Takes a place for an upload; the returned function gives it back.
     * @param bytes how many bytes are announced
     * @throws Refusal 429 if the company, or its agency, has too many in progress; 503 if the disk has no room
     */
    async enter(
      actor: Pick<Actor, 'companyId' | 'agencyId'>,
      bytes: number | undefined,
    ): Promise<() => void> {
      const places = new Map([
        [actor.companyId, EACH],
        [`tree ${actor.agencyId ?? actor.companyId}`, TREE],
      ]);
      for (const [holder, most] of places)
        if ((underWay.get(holder) ?? 0) >= most)
          throw new Refusal('too_many', ownMessages.tooManyUploads, { retryAfter: 10 });
      const size = bytes ?? STEP_BYTES;
      for (const holder of places.keys()) add(holder, 1);
      expected += size;
      const leave = () => {
        for (const holder of places.keys()) add(holder, -1);
        expected -= size;
      };
      if (await hasRoom(dataDir, expected)) return leave;
      leave();
      throw noRoom();
    },

    /**
     * The body of an upload in progress.
     * @param still throws a Refusal if the sender may no longer do this: a body can take hours
     */
    bodyOf: (request: IncomingMessage, still: () => Promise<void>): Upload => ({
      headers: request.headers,
      async *[Symbol.asyncIterator]() {
        let unchecked = 0;
        for await (const chunk of request as AsyncIterable<Buffer>) {
          unchecked += chunk.length;
          if (unchecked >= STEP_BYTES) {
            unchecked = 0;
            if (!(await hasRoom(dataDir, 0))) throw noRoom();
          }
          yield chunk;
        }
        await still();
      },
    }),
  };
}
