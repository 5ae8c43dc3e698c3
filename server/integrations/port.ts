import type { Answer, Http } from './http.ts';

/*
 * The port of everything a lead can be delivered to. A vendor is one folder with one object of type `Vendor`; the
 * delivery engine, the screens, the log and the contract suite know nothing else about it.
 */

/** One lead as text by the keys of LEAD_FIELDS (contract/campaigns/destinations.ts); unknown values are missing. */
export type Lead = Readonly<Record<string, string>>;

/** What a connection signs in with, by the keys of the vendor's `credentials`. Sealed at rest, never logged. */
export type Credentials = Readonly<Record<string, string>>;

/** How a person signs in at the vendor itself instead of entering credentials (OAuth 2.0, authorization code). */
export interface OAuth {
  /** Who they sign in with, as on the button: Google. */
  provider: string;
  /** The vendor's page, and its addresses for tokens. */
  signIn: string;
  token: string;
  revoke?: string;
  scopes: readonly string[];
  /** Whether the vendor knows proof keys (RFC 7636). */
  hasPkce: boolean;
  signInParameters?: Readonly<Record<string, string>>;
  tokenParameters?: Readonly<Record<string, string>>;
  /** The credential that the access token becomes. */
  fills: string;
  /** Other credentials in the vendor's answer, such as the account that was chosen. */
  credentialsOf?(answer: unknown): Credentials;
  /** How long a sign-in lasts that is not renewed, where the answer does not say so. */
  signInDays?: number;
}

/** A field of the connection form. */
export interface CredentialField {
  key: string;
  label: string;
  /** Where to find it and what it must be allowed to do, in one or two sentences. */
  help: string;
  /** Shown as dots, and never sent back to the browser. */
  isSecret: boolean;
  isOptional?: boolean;
  placeholder?: string;
}

/** Something a destination chooses at the vendor, such as a list, a tag, or a pipeline. */
export interface Setting {
  key: string;
  label: string;
  help: string;
  /** `choice`: one of `choices()[key]`; `choices`: several of them, stored as a JSON list; `text`: typed. */
  kind: 'choice' | 'choices' | 'text';
  isRequired?: boolean;
}

/** A field of the vendor's record that a lead's field can be mapped to. */
export interface TargetField {
  key: string;
  label: string;
  /** The lead's field that fills it unless the client chooses another one. */
  from?: string;
  isRequired?: boolean;
}

/** A list, tag, pipeline or field at the vendor. */
export interface Choice {
  id: string;
  name: string;
}

/** What a destination was set to: settings by key, and the target fields with their values for one lead. */
export interface Request {
  settings: Readonly<Record<string, string>>;
  /** Values by target field; empty ones are missing. */
  fields: Readonly<Record<string, string>>;
  /** Our id of the lead, the same in every attempt. */
  leadId: string;
  /** The time that the request is prepared at. */
  at: Date;
}

/** A lead that is being sent, with what is known about earlier attempts. */
export interface Sending {
  request: Request;
  remoteId: string | null;
  /** An earlier attempt may have arrived. */
  isInDoubt: boolean;
}

/** Something to tell people, such as an alert: every text may come from strangers, the link is the platform's own. */
export interface Announcement {
  title: string;
  lines: readonly string[];
  link: { label: string; url: string };
}

/** Documents that leads are written into. All of these throw Stopped when the vendor refuses. */
export interface Documents {
  /** What people call one: spreadsheet. */
  noun: string;
  /** Settings of a destination that writes into a document. */
  settingsOf(document: string): Record<string, string>;
  /** Makes a document, ready for leads. */
  create(way: Way, title: string): Promise<{ id: string; url: string }>;
  /** Deletes a document that was just made. */
  remove(way: Way, document: string): Promise<void>;
  exists(way: Way, document: string): Promise<boolean>;
  /** Lets someone read or also edit a document. */
  share(way: Way, document: string, email: string, mayEdit: boolean): Promise<void>;
  unshare(way: Way, document: string, email: string): Promise<void>;
}

/**
 * How a vendor wants to be sent to: what is due at a destination goes out in batches, one batch at a time for each
 * account, and within the account's quota.
 */
export interface Queue {
  /** The most leads in a batch. */
  most: number;
  /** How many calls an account may make in any time of `everyMs`, and the most that a batch makes. */
  quota?: { calls: number; everyMs: number; eachBatch: number };
}

/** The result of one attempt. */
export type Result =
  /**
   * It arrived. `remoteId` is the record at the vendor, for updates and erasure. `afterMs` holds the whole connection
   * where the vendor says that nothing more fits into its limit.
   */
  | { kind: 'delivered'; remoteId?: string; status: number; afterMs?: number }
  /** Another attempt can succeed. `afterMs` is how long the vendor asked to wait; it holds the whole connection. */
  | { kind: 'retry'; why: string; afterMs?: number; status: number | null }
  /** Another attempt with the same data cannot succeed; `fix` tells the client what to change. */
  | { kind: 'final'; why: string; fix: string; status: number | null }
  /** The credentials no longer work: the connection stops, and its deliveries wait. */
  | { kind: 'broken'; why: string; status: number }
  /** It may have arrived: no response came back. */
  | { kind: 'unknown'; why: string };

/** Tries the credentials; `account` names what they lead to (an account, a location), `why` what is wrong. */
export type TestResult = { isConnected: true; account: string } | { isConnected: false; why: string };

/** A person whom a vendor's account has as a customer; what is not known is empty. */
export interface Customer {
  name: string;
  email: string;
  phone: string;
}

export interface Vendor {
  /** In addresses, in the database and as the folder's name. */
  id: string;
  name: string;
  /** What it is, in a few words. */
  summary: string;
  category: 'CRM' | 'Email' | 'Automation' | 'Chat' | 'Spreadsheet' | 'Direct mail';
  /** What a person must do at the vendor before connecting, in one to three short sentences. */
  steps: readonly string[];
  /** No one has tried this adapter against the vendor itself yet; the screens say so. */
  isUnverified?: boolean;
  /** Names the record that a lead becomes, such as `contact`. */
  noun: string;
  /**
   * The vendor's own address; tests and the demo use another one. `{key}` in its host stands for that credential, such
   * as a subdomain.
   */
  base: string;
  credentials: readonly CredentialField[];
  oauth?: OAuth;
  settings: readonly Setting[];
  fields: readonly TargetField[];
  /** Target fields of the client's own (`choices().fields`) can be mapped besides `fields`. */
  hasOwnFields?: boolean;
  /**
   * The target field whose refusal proves that a person's email address does not work, for which agencies give money back.
   * Null where a client could write that answer itself, because it chooses the address that leads are sent to, and where
   * the service judges no addresses.
   */
  judgesEmail: string | null;

  test(way: Way): Promise<TestResult>;
  /** The choices of each setting and, as `fields`, the client's own target fields. Throws when the vendor refuses. */
  choices?(way: Way): Promise<Record<string, Choice[]>>;
  /** Sends one lead. With a `remoteId`, it updates that record and must not create another one. */
  deliver(way: Way, request: Request, remoteId: string | null): Promise<Result>;
  /** Where leads are written into a document that the platform can make, such as a spreadsheet. */
  documents?: Documents;
  queue?: Queue;
  /**
   * Sends a batch of leads of one destination, for vendors with a `queue`; the results are in the batch's order. Asks
   * after those in doubt by itself. Throws what holds for all of them.
   */
  deliverMany?(way: Way, batch: readonly Sending[]): Promise<Result[]>;
  /**
   * Asks the vendor for the record of a lead. Only for vendors where sending twice creates two records; without it, an
   * attempt whose response was lost is simply repeated.
   */
  find?(way: Way, request: Request): Promise<string | null>;
  /** Tells people something else than a lead; chats do. */
  announce?(way: Way, announcement: Announcement): Promise<Result>;
  /** The people that the account marks as customers, not those that it only has as contacts: leads arrive there as well. */
  customers?: {
    /** Who they are there, as the screen says it. */
    who: string;
    /** A page of them. `next`: what comes after it; null at the end. Throws when the vendor refuses. */
    list(way: Way, after: string | null): Promise<{ customers: Customer[]; next: string | null }>;
  };
  /** Deletes a record at the vendor; one that is already gone is fine. */
  erase?(way: Way, remoteId: string): Promise<void>;
}

/** How an adapter reaches its vendor. */
export interface Way {
  /** The vendor's address, without a slash at the end. */
  base: string;
  credentials: Credentials;
  http: Http;
  now: () => Date;
}

const HINTS: Record<number, string> = {
  400: 'Check the field mapping of this destination.',
  403: 'Give the key the permissions listed on the connection page, then resend.',
  404: 'Something chosen for this destination no longer exists there. Choose again in the settings.',
  409: 'The record conflicts with another one there. Merge them, then resend.',
  413: 'The record is larger than they accept. Map fewer fields.',
  422: 'They did not accept a value. Check the field mapping of this destination.',
};

/**
 * Judges a response that is not a success, as all vendors mean it: 401 breaks the connection, 408, 429 and 5xx are
 * repeated, everything else is final with a hint. `detail` is the vendor's own words.
 */
export function refusal(
  answer: Answer,
  detail: string | undefined,
  hints: Record<number, string> = {},
): Result {
  const { status } = answer;
  const said = detail ? `: ${detail.slice(0, 300)}` : '';
  const why = `The service returned ${status}${said}`;
  if (status === 401) return { kind: 'broken', why, status };
  if (status === 429 || status === 408 || status >= 500) {
    const afterMs = waitAsked(answer);
    return { kind: 'retry', why, status, ...(afterMs ? { afterMs } : {}) };
  }
  if (status >= 300 && status < 400)
    return { kind: 'final', why, status, fix: 'Check the address: redirects are not followed.' };
  return {
    kind: 'final',
    why,
    status,
    fix: hints[status] ?? HINTS[status] ?? 'Check the settings and the field mapping of this destination.',
  };
}

const LONGEST_WAIT_MS = 86_400_000;

/** Milliseconds of a Retry-After header in seconds or as a date, at most a day; undefined without one. */
export function waitAsked(answer: Answer): number | undefined {
  const header = answer.headers['retry-after'];
  if (!header) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - answer.at.getTime();
  return Number.isFinite(wait) && wait > 0 ? Math.min(wait, LONGEST_WAIT_MS) : undefined;
}

/** The values of a setting of the kind `choices`. */
export function chosen(setting: string | undefined): string[] {
  try {
    const list: unknown = JSON.parse(setting ?? '');
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string' && one !== '') : [];
  } catch {
    return [];
  }
}

/** Whether a response is a success. */
export const isOk = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

/**
 * The address of a vendor for these credentials; undefined if one of them cannot be part of it. A `base` of `{address}`
 * alone is an https address that the client enters.
 */
export function baseOf(vendor: Vendor, credentials: Credentials): string | undefined {
  if (vendor.base === '{address}') {
    const url = URL.parse(credentials.address?.trim() ?? '');
    const isPlain = url?.protocol === 'https:' && !url.username && !url.password && !url.search && !url.hash;
    return isPlain ? url.href.replace(/\/$/, '') : undefined;
  }
  let isValid = true;
  const base = vendor.base.replace(/\{(\w+)\}/g, (_, key: string) => {
    const part = credentials[key]?.trim().toLowerCase() ?? '';
    if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(part)) isValid = false;
    return part;
  });
  return isValid ? base : undefined;
}
