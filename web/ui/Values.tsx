import { Anchor, Tooltip } from '@mantine/core';
import { useContext } from 'react';
import { ago, briefTime, exactTime, money, phoneWords, shortTime } from './format.ts';
import { PageZone } from './zone.ts';

/** Shows micro-dollars as US dollars; `unit` shows up to six decimal places. */
export function Money({ micros, unit = false }: { micros: number; unit?: boolean }) {
  return <span className="num">{money(micros, { unit })}</span>;
}

/**
 * An instant in the page's time zone (or else the reader's), with the exact time on hover; `relative` shows '5 minutes
 * ago', `brief` only the time of today or the day.
 */
export function When(props: { at: string | null | undefined; relative?: boolean; brief?: boolean }) {
  const { at, relative, brief } = props;
  const zone = useContext(PageZone);
  if (!at) return <None />;
  const now = new Date();
  return (
    <Tooltip label={exactTime(at, zone)}>
      <time dateTime={at} className="num">
        {relative ? ago(at, now) : brief ? briefTime(at, now, zone) : shortTime(at, now, zone)}
      </time>
    </Tooltip>
  );
}

/** A missing value. */
export function None() {
  return (
    <span data-none style={{ color: 'var(--mantine-color-dimmed)' }}>
      <span aria-hidden="true">–</span>
      <span className="sr-only">none</span>
    </span>
  );
}

const breakable = (address: string) => {
  const end = address.lastIndexOf('@') + 1;
  return (
    <>
      {address.slice(0, end)}
      <wbr />
      {address.slice(end)}
    </>
  );
};

/** An email address that opens a message to it. In a narrow place, it breaks after its @ rather than within a word. */
export function MailLink({ address, max }: { address: string | null | undefined; max?: number | 'cell' }) {
  if (!address) return <None />;
  return (
    <Anchor href={`mailto:${encodeURIComponent(address).replace('%40', '@')}`} inherit c="inherit">
      {max === undefined ? breakable(address) : <Clip text={address} max={max} />}
    </Anchor>
  );
}

/** A phone number that calls; one that must not be called is only shown. */
export function PhoneLink({ phone, isMarked }: { phone: string; isMarked: boolean }) {
  // Without tabular figures, which would also widen the hyphen.
  const words = <span style={{ whiteSpace: 'nowrap' }}>{phoneWords(phone)}</span>;
  if (isMarked) return words;
  return (
    <Anchor href={`tel:${phone}`} inherit c="inherit">
      {words}
    </Anchor>
  );
}

/** Long text on one line, the whole on hover; as long as `max` in px or as the cell of a fluid column. */
export function Clip({ text, max = 260 }: { text: string | null | undefined; max?: number | 'cell' }) {
  if (!text) return <None />;
  return (
    <span className="clip" style={{ maxWidth: max === 'cell' ? '100%' : max }} title={text}>
      {text}
    </span>
  );
}
