import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import type { Dns, DnsAnswer } from '../platform/dns.ts';

/** The records of a name. */
type Records = Partial<Record<'txt' | 'cname' | 'addresses', string[]>>;

const fileOf = (config: Config): string => join(config.dataDir, 'demo-dns.json');

/** Stores the records of the demo's names. */
export const writeDemoDns = (config: Config, names: Record<string, Records>): Promise<void> =>
  writeFile(fileOf(config), JSON.stringify(names));

/**
 * Knows the domains of the demo's agencies, which no name server does, so that each stays in its demo state and can be
 * checked. Queries for all other names go to `real`.
 */
export function demoDns(config: Config, real: Dns): Dns {
  const ask = async (name: string, kind: keyof Records): Promise<DnsAnswer> => {
    const text = await readFile(fileOf(config), 'utf8').catch(() => '{}');
    const records = (JSON.parse(text) as Record<string, Records>)[name];
    return records ? (records[kind] ?? []) : real[kind](name);
  };
  return {
    txt: (name) => ask(name, 'txt'),
    cname: (name) => ask(name, 'cname'),
    addresses: (name) => ask(name, 'addresses'),
  };
}
