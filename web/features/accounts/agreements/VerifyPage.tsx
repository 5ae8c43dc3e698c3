import { Button, Code, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { z } from 'zod';
import type { CheckedFile } from '../../../../contract/accounts/agreement-versions.ts';
import type { Inside } from '../../../../contract/wire.ts';
import { api, session, transport, wire } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { BrandMark } from '../../../brand/BrandMark.tsx';
import { useBrand } from '../../../brand/brand.ts';
import { bytesWords, FileDrop } from '../../../ui/FileDrop.tsx';
import { exactTime } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { usePageTitle } from '../../../ui/usePageTitle.ts';
import classes from './agreements.module.css';

type Known = Awaited<ReturnType<typeof api.agreementText.verify>>;
type Signed = Inside<z.output<typeof CheckedFile>>;

const MOST_BYTES = 5 * 1024 * 1024;
const SIGNATURES: Record<
  Signed['signature'],
  { tone: 'good' | 'warn' | 'bad'; title: string; text: string }
> = {
  valid: {
    tone: 'good',
    title: 'The signature is valid',
    text: 'Not a single byte has changed since the file was signed.',
  },
  foreign: {
    tone: 'warn',
    title: 'Signed by someone else',
    text: 'The file has not changed since it was signed, but the signature is not ours.',
  },
  changed: {
    tone: 'bad',
    title: 'The file has been changed',
    text: 'It is not the file that was signed. Do not rely on it.',
  },
  none: { tone: 'bad', title: 'There is no signature', text: 'The file is a PDF that was never signed.' },
  unreadable: { tone: 'bad', title: 'Not a signed PDF', text: 'The file could not be read as a PDF.' },
};

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Checks a dropped file: by its hash, made here in the browser, and if asked also by its signature (BEY-15). */
export default function VerifyPage() {
  const brand = useBrand();
  usePageTitle('Check a file');
  const [file, setFile] = useState<File>();
  const [sha256, setHash] = useState<string>();
  const [known, setKnown] = useState<Known>();
  const [signed, setSigned] = useState<Signed>();
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setFault(undefined);
    try {
      await work();
    } catch (error) {
      setFault(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  const take = (one: File) => {
    setSigned(undefined);
    setKnown(undefined);
    setHash(undefined);
    setFile(undefined);
    if (one.size > MOST_BYTES) return setFault('The file is larger than 5 MB, so it is not one of ours.');
    setFile(one);
    void run(async () => {
      // Browsers compute hashes only on pages that are served securely; elsewhere the signature is what can be checked.
      if (!globalThis.crypto?.subtle) return;
      const hash = hexOf(await crypto.subtle.digest('SHA-256', await one.arrayBuffer()));
      setHash(hash);
      setKnown(await api.agreementText.verify({ sha256: hash }));
    });
  };
  const checkSignature = () =>
    run(async () => {
      const response = await transport.open('/general/verify', {
        method: 'POST',
        headers: { 'Content-Type': 'application/pdf' },
        body: file!,
      });
      const answer = wire.inside<Signed>(await response.json());
      setSigned(answer);
      setKnown(answer);
      setHash(answer.sha256);
    });

  return (
    <div className={classes.verify}>
      <header className={classes.head}>
        <Link to="/" aria-label={`${brand.name}, home`}>
          <BrandMark brand={brand} />
        </Link>
      </header>
      <main>
        <Stack gap="lg">
          <div>
            <Title order={1}>Check a file</Title>
            <Text c="dimmed" mt={4}>
              Find out whether a signed agreement, invoice, or certificate is genuine and unchanged.
            </Text>
          </div>
          <FileDrop
            title="Drop a signed PDF here"
            text="Your browser computes the file’s hash. The file itself is not uploaded."
            accept=".pdf,application/pdf"
            sending={undefined}
            fault={fault}
            onFile={take}
            onMany={() => setFault('Check one file at a time.')}
          />
          {file && (
            <section className="card" style={{ padding: 24 }} aria-label="Result" aria-busy={isBusy}>
              <Stack gap="md">
                <div>
                  <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                    {file.name}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {bytesWords(file.size)}
                  </Text>
                  {sha256 && (
                    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                      SHA-256 <Code>{sha256}</Code>
                    </Text>
                  )}
                </div>
                {known?.status === 'known' && (
                  <Notice tone="good" live="status" title="This file is genuine">
                    It is byte for byte a file that {brand.name} has on record.
                    <dl className={classes.facts}>
                      <dt>{known.version ? 'Agreement' : known.company ? 'Document' : 'Certificate'}</dt>
                      <dd>
                        {known.title}
                        {known.version && `, version ${known.version}`}
                      </dd>
                      <dt>{known.version ? 'Between' : 'Issued by'}</dt>
                      <dd>
                        {known.party}
                        {known.version && ` and ${known.company}`}
                        {!known.version && known.company && `, to ${known.company}`}
                      </dd>
                      <dt>{known.version ? 'Accepted' : known.company ? 'Signed' : 'Issued'}</dt>
                      <dd>
                        {known.accepted_at && exactTime(known.accepted_at)}
                        {known.name && `, by ${known.name}`}
                      </dd>
                    </dl>
                  </Notice>
                )}
                {known?.status === 'unknown' && (
                  <Notice tone="bad" live="status" title="This file is not on record">
                    {brand.name} has no file with this hash. It was changed, or it comes from someone else.
                  </Notice>
                )}
                {signed && (
                  <Notice
                    tone={SIGNATURES[signed.signature].tone}
                    live="status"
                    title={SIGNATURES[signed.signature].title}
                  >
                    {SIGNATURES[signed.signature].text}
                    {signed.signer && (
                      <dl className={classes.facts}>
                        <dt>Certificate</dt>
                        <dd>{signed.signer}</dd>
                        {signed.signed_at && (
                          <>
                            <dt>Signed</dt>
                            <dd>{exactTime(signed.signed_at)}</dd>
                          </>
                        )}
                      </dl>
                    )}
                  </Notice>
                )}
                {!signed && (
                  <div>
                    <Button variant="default" loading={isBusy} onClick={() => void checkSignature()}>
                      Upload and check the signature
                    </Button>
                    <Text size="xs" c="dimmed" mt={4}>
                      The file is read once and not kept.
                    </Text>
                  </div>
                )}
              </Stack>
            </section>
          )}
          <Text size="sm">
            <Link to="/">{session.alive ? `Back to ${brand.name}` : 'Sign in'}</Link>
          </Text>
        </Stack>
      </main>
    </div>
  );
}
