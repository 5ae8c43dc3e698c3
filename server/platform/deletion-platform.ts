/** A service's answer to a request for its lists of people to be deleted. */
export type DropDownload =
  | { kind: 'zip'; name: string; bytes: AsyncIterable<Uint8Array> }
  | { kind: 'nothing' }
  /** The archive is being made. */
  | { kind: 'preparing'; againS: number }
  /** An earlier archive lacks answers. */
  | { kind: 'open' };

export interface DropFile {
  name: string;
  text: string;
}

/** Which files were taken in. A name that the service has already is among `accepted`: its answer got lost. */
export interface DropUpload {
  accepted: string[];
  rejected: { name: string; why: string }[];
}

/** California's Delete Request and Opt-out Platform, or what stands in for it (docs/decisions/0485-drop.md). */
export interface DeletionPlatform {
  /** @throws DropFault */
  download(): Promise<DropDownload>;
  /** Answers of the open archive, or corrections of earlier ones, which it may take `later` only. @throws DropFault */
  answer(files: readonly DropFile[], amend: boolean): Promise<DropUpload | 'later'>;
}

/** The service did not answer, or refused. The message is for the root to read, without personal data. */
export class DropFault extends Error {
  override name = 'DropFault';
  readonly againS: number;
  constructor(message: string, againS = 3600) {
    super(message);
    this.againS = againS;
  }
}
