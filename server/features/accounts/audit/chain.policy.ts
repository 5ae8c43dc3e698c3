import { createHash } from 'node:crypto';
import { isIP, SocketAddress } from 'node:net';

/** A log row as its hash covers it: `created_at` in microseconds since 1970, `detail_hash` as it is kept. */
export interface LogRow {
  id: string;
  root_id: string;
  agency_id: string | null;
  company_id: string;
  actor_id: string | null;
  viewed_as_id: string | null;
  via: 'sso' | null;
  action: string;
  object_kind: string | null;
  object_id: string | null;
  request_id: string | null;
  detail_hash: Buffer;
  created_at: bigint;
}

/** The personal data of a log row; stored beside it, and erasable. */
export interface LogDetail {
  name: string | null;
  type_user: string | null;
  user_ip: string | null;
  location: string | null;
  description: string | null;
  company_name: string | null;
}

/** A seal as its hash covers it: the rows in the chain's order, `sealed_at` in microseconds since 1970. */
export interface SealedBatch {
  root_id: string;
  seq: bigint;
  first_position: bigint;
  last_position: bigint;
  log_ids: string[];
  row_hashes: Buffer[];
  drained: boolean;
  previous_hash: Buffer;
  key_id: string;
  sealed_at: bigint;
}

/** The previous hash for the first seal of a system. */
export const NO_HASH: Buffer = Buffer.alloc(32);

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** An address in the form in which the database returns it. */
function plainAddress(ip: string | null): string | null {
  const family = isIP(ip ?? '');
  return ip && family
    ? new SocketAddress({ address: ip, family: family === 6 ? 'ipv6' : 'ipv4' }).address
    : ip;
}

/** The hash of a detail that its log row keeps. */
export function hashOfDetail(detail: LogDetail): Buffer {
  const { name, type_user, user_ip, location, description, company_name } = detail;
  return sha256(
    JSON.stringify({ name, type_user, user_ip: plainAddress(user_ip), location, description, company_name }),
  );
}

/** Whether no personal data is left in a detail. */
export function isErased(detail: LogDetail | null): boolean {
  return detail === null || Object.values(detail).every((value) => value === null);
}

/** Returns the hash of a log row, covering every column. Rows without `via` have the hash from before there was one. */
export function hashOfRow(row: LogRow): Buffer {
  return sha256(
    JSON.stringify([
      'log row 1',
      row.id,
      row.root_id,
      row.agency_id,
      row.company_id,
      row.actor_id,
      row.viewed_as_id,
      row.action,
      row.object_kind,
      row.object_id,
      row.request_id,
      row.detail_hash.toString('hex'),
      String(row.created_at),
      ...(row.via ? [row.via] : []),
    ]),
  );
}

/**
 * Whether a log row is as it was sealed. While two versions run side by side, one that does not know `via` may have
 * sealed a row that has it.
 */
export const fitsSeal = (row: LogRow, hash: Buffer): boolean =>
  hashOfRow(row).equals(hash) || (row.via !== null && hashOfRow({ ...row, via: null }).equals(hash));

/** Returns the hash of a seal; it includes the previous hash, so that the seals of a root form a chain. */
export function hashOfSeal(seal: SealedBatch): Buffer {
  return sha256(
    JSON.stringify([
      'log seal 1',
      seal.root_id,
      String(seal.seq),
      String(seal.first_position),
      String(seal.last_position),
      seal.drained,
      seal.previous_hash.toString('hex'),
      seal.key_id,
      String(seal.sealed_at),
      seal.log_ids,
      seal.row_hashes.map((hash) => hash.toString('hex')),
    ]),
  );
}

/** A date as microseconds since 1970, as the database's timestamps are read here. */
export const microsOf = (at: Date): bigint => BigInt(at.getTime()) * 1000n;
