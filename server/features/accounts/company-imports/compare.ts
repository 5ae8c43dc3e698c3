import { type AccountKind, codesOf } from '../../money/ledger/index.ts';
import { canonical, Digest, type JsonRow } from './rows.ts';

/** A row in which an archive and the database differ. */
export interface Difference {
  key: string;
  what: 'missing' | 'added' | 'changed';
  /** Columns with other values, if it was changed. */
  columns: string[];
}

export interface TableReport {
  name: string;
  rows: { archive: number; here: number };
  /** Of the rows here, those that stayed documents. */
  documents: number;
  /** Rows of which something was imported otherwise on purpose, such as a campaign that is paused. */
  adapted: number;
  digest: { archive: string; here: string };
  isEqual: boolean;
  /** The first of them. */
  differences: Difference[];
}

/** A sum or count on both sides: micro-dollars, cents, or a number of rows. */
export interface SumReport {
  kind: 'ledger' | 'events' | 'invoices' | 'charges' | 'leads';
  name: string;
  unit: 'micros' | 'cents' | 'rows';
  archive: string;
  here: string;
  isEqual: boolean;
}

export interface Comparison {
  isEqual: boolean;
  tables: TableReport[];
  sums: SumReport[];
}

/** The columns of a table as they are compared. */
export interface Shape {
  columns: readonly string[];
  key: (row: JsonRow) => string;
}

const KINDS = [
  'client_prepaid',
  'client_unbilled',
  'client_receivable',
  'agency_wallet',
  'agency_payable',
  'agency_invoiced',
  'agency_revenue',
] as const satisfies readonly AccountKind[];
const KIND_OF = new Map<number, string>(KINDS.map((kind) => [codesOf(kind)[0]!, kind]));

const whole = (value: unknown): bigint => BigInt(String(value ?? 0));

/** What is added up of one side. */
export class Side {
  readonly digests = new Map<string, Digest>();
  readonly sums = new Map<string, { kind: SumReport['kind']; unit: SumReport['unit']; total: bigint }>();
  private readonly campaigns = new Map<string, string>();

  add(table: string, shape: Shape, row: JsonRow): void {
    const digest = this.digests.get(table) ?? new Digest();
    this.digests.set(table, digest);
    digest.add(shape.key(row), canonical(row, shape.columns));
    switch (table) {
      case 'campaign':
        this.campaigns.set(String(row.id), String(row.name));
        break;
      case 'entry':
        this.sum(
          'ledger',
          KIND_OF.get(Number(row.account_code)) ?? `account ${row.account_code}`,
          'micros',
          row.amount,
        );
        break;
      case 'account_balance':
        this.sum('ledger', 'balances of prepaid campaigns and wallets', 'micros', row.balance);
        break;
      case 'transfer':
        this.sum('events', String(row.kind), 'rows', 1);
        break;
      case 'invoice':
        this.sum('invoices', `${row.side} ${row.kind}`, 'micros', row.total_micros);
        break;
      case 'charge':
        this.sum('charges', `${row.purpose}, ${row.state}`, 'cents', row.amount_cents);
        break;
      case 'lead': {
        const month = String(row.created_at).slice(0, 7);
        const name = `${this.campaigns.get(String(row.campaign_id)) ?? row.campaign_id}, ${month}`;
        this.sum('leads', name, 'rows', 1);
        this.sum('leads', `${name}: price`, 'micros', row.price_micros);
        break;
      }
    }
  }

  private sum(kind: SumReport['kind'], name: string, unit: SumReport['unit'], value: unknown): void {
    const key = `${kind}\n${name}`;
    const found = this.sums.get(key) ?? { kind, unit, total: 0n };
    found.total += whole(value);
    this.sums.set(key, found);
  }
}

/** The sums of both sides, those of the archive first. */
export function sumReports(archive: Side, here: Side): SumReport[] {
  return [...new Set([...archive.sums.keys(), ...here.sums.keys()])].sort().map((key) => {
    const [one, other] = [archive.sums.get(key), here.sums.get(key)];
    const { kind, unit } = (one ?? other)!;
    const [a, h] = [one?.total ?? 0n, other?.total ?? 0n];
    return { kind, name: key.split('\n')[1]!, unit, archive: String(a), here: String(h), isEqual: a === h };
  });
}

/** Finds rows that differ: first told those of the archive, then those of the database, of the same part of the keys. */
export class Differences {
  private readonly seen = new Map<string, string>();
  readonly found: Difference[] = [];
  private readonly shape: Shape;
  private readonly most: number;
  constructor(shape: Shape, most: number) {
    this.shape = shape;
    this.most = most;
  }
  archive(row: JsonRow): void {
    this.seen.set(this.shape.key(row), canonical(row, this.shape.columns));
  }
  here(row: JsonRow): void {
    const key = this.shape.key(row);
    const text = canonical(row, this.shape.columns);
    const other = this.seen.get(key);
    if (other === undefined) this.note({ key, what: 'added', columns: [] });
    else if (other !== text) {
      const [a, b] = [JSON.parse(other) as unknown[], JSON.parse(text) as unknown[]];
      const columns = this.shape.columns.filter((_, i) => JSON.stringify(a[i]) !== JSON.stringify(b[i]));
      this.note({ key, what: 'changed', columns });
    }
    this.seen.delete(key);
  }
  end(): Difference[] {
    for (const key of this.seen.keys()) this.note({ key, what: 'missing', columns: [] });
    return this.found;
  }
  private note(one: Difference): void {
    if (this.found.length < this.most) this.found.push(one);
  }
}
