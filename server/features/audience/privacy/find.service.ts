import { createHash } from 'node:crypto';
import { normalEmail } from '../../../platform/contacts.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Leads } from '../../campaigns/leads/index.ts';
import type { KnownPerson, People } from '../people/index.ts';
import { whoseRequest } from './policy.ts';

/** The kinds of the graph's keys that an address has (identity_key). */
const HASHES = [
  [1, 'sha256'],
  [2, 'sha1'],
  [3, 'md5'],
] as const;
const PHONE = 6;

/** Who a request is about, everywhere in its root. */
export interface Found {
  /** Those of the graph, each with everyone they were merged with. */
  people: KnownPerson[];
  /** Others who have the address, by another first name: they are not touched. */
  others: number;
  leads: Awaited<ReturnType<Leads['about']>>;
  emails: string[];
  /** Theirs alone; numbers that somebody else has as well are counted only. */
  phones: string[];
  sharedPhones: number;
  hashes: Buffer[];
  /** The hashes of every kind that their addresses have, each after a byte for its kind, as sign-ups have them. */
  keys: Buffer[];
}

const hashesOf = (email: string) =>
  HASHES.map(([kind, algorithm]) => ({ kind, value: createHash(algorithm).update(email).digest() }));

/**
 * Finds everything about the person who proved an address, or a number if there is no address; null if several people
 * have it and none has the name, so that the request is a household's. In the root's scope.
 */
export async function findPerson(
  tx: Tx,
  { people, leads }: { people: People; leads: Leads },
  rootId: string,
  asked: { email: string; phone: string | null; name: string },
): Promise<Found | null> {
  const email = normalEmail(asked.email) ?? asked.email;
  const phones = email === '' && asked.phone ? [asked.phone] : [];
  const keys = [
    ...(email === '' ? [] : hashesOf(email)),
    ...phones.map((phone) => ({ kind: PHONE, value: Buffer.from(phone) })),
  ];
  const holders = await people.holders(tx, rootId, keys);
  const known = await people.people(tx, rootId, [...new Set(holders.flatMap((ids) => [...ids]))]);
  const candidates = [...new Map([...known.values()].map((one) => [one.id, one])).values()];
  const whose = whoseRequest(candidates, asked.name);
  if (!whose) return null;
  return everythingOf(tx, { people, leads }, rootId, {
    ...whose,
    emails: email === '' ? [] : [email],
    phones,
  });
}

/**
 * Finds everything about people of the graph, by the ids of any of those they were merged with. `others` share an address
 * with them and are left out. In the root's scope.
 */
export async function everythingOf(
  tx: Tx,
  { people, leads }: { people: People; leads: Leads },
  rootId: string,
  {
    own,
    others,
    emails,
    phones: given = [],
  }: { own: KnownPerson[]; others: KnownPerson[]; emails: readonly string[]; phones?: readonly string[] },
): Promise<Found> {
  const members = own.flatMap((one) => one.members);
  const elsewhere = new Set(others.flatMap((one) => one.members));
  const about = new Map<string, Found['leads'][number]>();
  for (const email of emails.length > 0 ? emails : [''])
    for (const lead of await leads.about(tx, rootId, { people: members, email })) about.set(lead.id, lead);
  const mine = [...about.values()].filter((lead) => !lead.person_id || !elsewhere.has(lead.person_id));
  const numbers = new Set([...given, ...own.flatMap((one) => one.phones)]);
  for (const { contact } of mine)
    for (const phone of [contact.phone, contact.phone2]) if (typeof phone === 'string') numbers.add(phone);
  const phones = [...numbers];
  const having = await people.holders(
    tx,
    rootId,
    phones.map((phone) => ({ kind: PHONE, value: Buffer.from(phone) })),
  );
  const ids = new Set(own.map((one) => one.id));
  const isMine = having.map((holder) => [...holder].every((id) => ids.has(id)));
  const all = [...new Set([...emails, ...own.flatMap((one) => one.emails)])];
  const keys = [
    ...all.flatMap(hashesOf),
    ...own.flatMap((one) => HASHES.flatMap(([kind, name]) => one[name].map((value) => ({ kind, value })))),
  ].map(({ kind, value }) => Buffer.concat([Buffer.of(kind), value]));
  return {
    people: own,
    others: others.length,
    leads: mine,
    emails: all,
    phones: phones.filter((_, at) => isMine[at]),
    sharedPhones: isMine.filter((one) => !one).length,
    hashes: own.flatMap((one) => one.sha256),
    keys: [...new Map(keys.map((key) => [key.toString('hex'), key])).values()],
  };
}
