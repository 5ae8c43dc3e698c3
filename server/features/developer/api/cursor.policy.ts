import { z } from 'zod';

/** A position in a list by date. */
export interface Place {
  at: Date;
  id: string;
}

const Sent = z.tuple([z.string(), z.int().min(0).max(Date.UTC(9999)), z.uuid()]);

/** A position as programs get it. `list` names the list and its order, so that it is taken back only there. */
export const cursorOf = (list: string, { at, id }: Place): string =>
  Buffer.from(JSON.stringify([list, at.getTime(), id])).toString('base64url');

/** The position of a cursor; null if it is not a cursor of this list. */
export function placeOf(list: string, cursor: string): Place | null {
  try {
    const [name, at, id] = Sent.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    return name === list ? { at: new Date(at), id } : null;
  } catch {
    return null;
  }
}
