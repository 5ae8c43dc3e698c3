import { createHash, createPrivateKey, randomBytes, verify, webcrypto, X509Certificate } from 'node:crypto';
import { CryptoKeySigner, P12Signer, PDF } from '@libpdf/core';
import { BitString, fromBER, Integer, type OctetString, Utf8String } from 'asn1js';
import {
  AttributeTypeAndValue,
  Certificate,
  ContentInfo,
  CryptoEngine,
  Extension,
  IssuerAndSerialNumber,
  SignedData,
  setEngine,
} from 'pkijs';
import { commonNameOf } from './policy.ts';

setEngine('node', new CryptoEngine({ name: 'node', crypto: webcrypto as never }) as never);

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
};
/** The longest key that an owner may bring: to sign with a longer one takes others' time. */
const MOST_BITS = 8192;
/** How long a certificate that is made here is valid. */
const YEARS = 10;

/**
 * How a private key is stored. A P12 is opened once, when it is brought: opening it takes as long as whoever made it
 * wants. `chain`: the certificates above it. The last kind is of keys that were brought before that.
 */
type StoredKey = { pkcs8: string; chain?: string[] } | { p12: string; password: string };

/** A key to sign with: its certificate, and how the private key is stored (a text to seal). */
export interface MadeKey {
  certificate: Uint8Array;
  key: string;
  subject: string;
  validUntil: Date;
}

/** Thrown for a P12 file that cannot be used, with a message for the user. */
export class P12Fault extends Error {
  override name = 'P12Fault';
}

const describe = (certificate: Uint8Array) => {
  const parsed = new X509Certificate(certificate);
  return {
    subject: parsed.subject.replaceAll('\n', ', ').slice(0, 1000),
    validUntil: new Date(parsed.validTo),
  };
};

/** Makes a key and a certificate that it signs itself, in a company's name. */
export async function makeKey(name: string, from: Date): Promise<MadeKey> {
  const pair = (await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const certificate = new Certificate();
  certificate.version = 2;
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x3f) | 0x40; // positive, without leading zeros
  certificate.serialNumber = new Integer({ valueHex: new Uint8Array(serial).buffer });
  for (const who of [certificate.issuer, certificate.subject])
    who.typesAndValues.push(
      new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value: commonNameOf(name) }) }),
    );
  certificate.notBefore.value = from;
  const until = new Date(from);
  until.setUTCFullYear(until.getUTCFullYear() + YEARS);
  certificate.notAfter.value = until;
  // Key usage: digital signatures and commitments.
  const usage = new BitString({ valueHex: new Uint8Array([0xc0]).buffer, unusedBits: 6 }).toBER(false);
  certificate.extensions = [new Extension({ extnID: '2.5.29.15', critical: true, extnValue: usage })];
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey as never);
  await certificate.sign(pair.privateKey as never, 'SHA-256');
  const der = new Uint8Array(certificate.toSchema(true).toBER(false));
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', pair.privateKey);
  return {
    certificate: der,
    key: JSON.stringify({ pkcs8: Buffer.from(pkcs8).toString('base64') } satisfies StoredKey),
    ...describe(der),
  };
}

/** The library keeps the key for itself, but imports it so that it can be exported. */
const privateKeyOf = (signer: P12Signer): webcrypto.CryptoKey =>
  (signer as unknown as { privateKey: webcrypto.CryptoKey }).privateKey;

/**
 * Opens a P12 file with a key of the owner's own.
 * @throws P12Fault if it cannot be used
 */
export async function openP12(p12: Uint8Array, password: string): Promise<MadeKey> {
  const signer = await P12Signer.create(p12, password).catch(() => {
    throw new P12Fault(
      'cannot be opened. It must be a P12 file with a key and its certificate, and the password must be its own',
    );
  });
  if (signer.keyType !== 'RSA') throw new P12Fault('has no RSA key');
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKeyOf(signer)));
  // Otherwise someone else's certificate would be told as theirs, and nothing that they sign would verify.
  const own = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  if (!new X509Certificate(signer.certificate).checkPrivateKey(own))
    throw new P12Fault('has a certificate that does not belong to its key');
  if ((own.asymmetricKeyDetails?.modulusLength ?? 0) > MOST_BITS)
    throw new P12Fault(`has an RSA key of more than ${MOST_BITS} bits`);
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const key: StoredKey = { pkcs8: base64(pkcs8), chain: signer.certificateChain.map(base64) };
  return { certificate: signer.certificate, key: JSON.stringify(key), ...describe(signer.certificate) };
}

/** Signs a PDF (PAdES B-B). The same key, file, and time give the same bytes. */
export async function signPdf(given: {
  pdf: Uint8Array;
  key: string;
  certificate: Uint8Array;
  at: Date;
  reason: string;
}): Promise<Uint8Array> {
  const key = JSON.parse(given.key) as StoredKey;
  const signer =
    'p12' in key
      ? await P12Signer.create(Buffer.from(key.p12, 'base64'), key.password)
      : new CryptoKeySigner(
          (await webcrypto.subtle.importKey('pkcs8', Buffer.from(key.pkcs8, 'base64'), RSA, false, [
            'sign',
          ])) as never,
          given.certificate,
          'RSA',
          'RSASSA-PKCS1-v1_5',
          key.chain?.map((one) => Buffer.from(one, 'base64')),
        );
  const pdf = await PDF.load(given.pdf);
  const { bytes } = await pdf.sign({ signer, signingTime: given.at, reason: given.reason });
  return bytes;
}

/** What the signature in a file says about it. */
export interface Signature {
  state: 'intact' | 'changed' | 'none' | 'unreadable';
  /** SHA-256 of the signer's certificate. */
  fingerprint: string;
  subject: string;
  signedAt: Date | null;
}

const DIGESTS: Record<string, string> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_TIME = '1.2.840.113549.1.9.5';
/** Which certificate signed, under the signature: no other can take its place (RFC 5035). */
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.47';
/** How long the list of ranges may be: four numbers. */
const RANGE_CHARS = 120;

const nothing = (state: Signature['state']): Signature => ({
  state,
  fingerprint: '',
  subject: '',
  signedAt: null,
});

/**
 * Checks the last signature in a PDF against every byte of the file. Reads only what the signature itself names: no
 * object of the file is interpreted.
 */
export function checkPdf(file: Buffer): Signature {
  if (file.subarray(0, 1024).indexOf('%PDF-') < 0) return nothing('unreadable');
  const at = file.lastIndexOf('/ByteRange');
  if (at < 0) return nothing('none');
  const range = /^\/ByteRange\s*\[\s*(\d{1,10})\s+(\d{1,10})\s+(\d{1,10})\s+(\d{1,10})\s*\]/.exec(
    file.toString('latin1', at, at + RANGE_CHARS),
  );
  if (!range) return nothing('changed');
  const [start, length, after, rest] = range.slice(1).map(Number) as [number, number, number, number];
  // Everything but the signature itself is signed: neither something before, nor anything added at the end.
  if (start !== 0 || after <= length + 2 || after + rest !== file.length) return nothing('changed');
  if (file[length] !== 0x3c || file[after - 1] !== 0x3e) return nothing('changed');
  const hex = file.toString('latin1', length + 1, after - 1);
  const der = Buffer.from(hex, 'hex');
  // In one spelling only, so that there is no second file with the same signature.
  const spelled = der.toString('hex');
  if (hex !== spelled && hex !== spelled.toUpperCase()) return nothing('changed');
  try {
    return checkCms(der, Buffer.concat([file.subarray(0, length), file.subarray(after)]));
  } catch {
    return nothing('changed');
  }
}

function checkCms(der: Buffer, data: Buffer): Signature {
  const parsed = fromBER(der);
  if (parsed.offset < 0 || der.subarray(parsed.offset).some((byte) => byte !== 0)) return nothing('changed');
  const signed = new SignedData({ schema: new ContentInfo({ schema: parsed.result }).content });
  const [info] = signed.signerInfos;
  if (signed.signerInfos.length !== 1 || !info?.signedAttrs || !(info.sid instanceof IssuerAndSerialNumber))
    return nothing('changed');
  const { serialNumber } = info.sid;
  const own = (signed.certificates ?? []).find(
    (one) => one instanceof Certificate && one.serialNumber.isEqual(serialNumber),
  );
  if (!(own instanceof Certificate)) return nothing('changed');
  const certificate = Buffer.from(own.toSchema(true).toBER(false));
  const x509 = new X509Certificate(certificate);
  const digest = DIGESTS[info.digestAlgorithm.algorithmId];
  const attribute = (type: string) =>
    info.signedAttrs!.attributes.find((one) => one.type === type)?.values[0];
  const said = attribute(MESSAGE_DIGEST) as OctetString | undefined;
  const time = attribute(SIGNING_TIME) as { toDate?: () => Date } | undefined;
  const found = {
    fingerprint: createHash('sha256').update(certificate).digest('hex'),
    subject: x509.subject.replaceAll('\n', ', ').slice(0, 1000),
    signedAt: time?.toDate?.() ?? null,
  };
  const named = info.signedAttrs.attributes.find((one) => one.type === SIGNING_CERTIFICATE);
  const isNamed =
    !named || Buffer.from(named.toSchema().toBER(false)).includes(Buffer.from(found.fingerprint, 'hex'));
  if (!digest || !said || !isNamed) return { ...found, state: 'changed' };
  const isSaid = createHash(digest).update(data).digest().equals(Buffer.from(said.valueBlock.valueHexView));
  const attributes = Buffer.from(info.signedAttrs.encodedValue);
  attributes[0] = 0x31; // signed as a SET (RFC 5652, 5.4)
  const isSigned = verify(
    digest,
    attributes,
    x509.publicKey,
    Buffer.from(info.signature.valueBlock.valueHexView),
  );
  return { ...found, state: isSaid && isSigned ? 'intact' : 'changed' };
}
