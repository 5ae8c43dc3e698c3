import { Checkbox, Stack, Text } from '@mantine/core';
import { type RefObject, useEffect, useRef } from 'react';
import { legalNote } from '../../../../contract/accounts/legal.ts';
import { useUser } from '../../../api/user.ts';
import { dayWords } from '../../../ui/format.ts';
import classes from './agreements.module.css';
import type { Acceptance, AgreementRead } from './agreements.ts';

const LONG = { year: 'numeric', month: 'long', day: 'numeric' } as const;

type Shown = Pick<AgreementRead, 'party' | 'version' | 'effective_on' | 'is_template' | 'sections'>;

/** Calls `onEnd` once the end of what scrolls has been in sight. */
function useEnd(end: RefObject<HTMLElement | null>, onEnd: (() => void) | undefined): void {
  const told = useRef(onEnd);
  told.current = onEnd;
  useEffect(() => {
    if (!end.current) return;
    const sight = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      told.current?.();
      sight.disconnect();
    });
    sight.observe(end.current);
    return () => sight.disconnect();
  }, [end]);
}

/** The text of an agreement in a box that scrolls. */
export function AgreementText({
  text,
  height = 'scrolls',
  onEnd,
  isFocused,
}: {
  text: Shown;
  height?: 'scrolls' | 'tall';
  onEnd?: () => void;
  isFocused?: boolean;
}) {
  const end = useRef<HTMLDivElement>(null);
  useEnd(end, onEnd);
  return (
    <>
      <Text size="sm" c="dimmed">
        {text.party}. Version {text.version}, effective {dayWords(text.effective_on, LONG)}.
        {text.is_template && ` ${legalNote(text.party)}`}
      </Text>
      <section
        className={`${classes.document} ${classes[height]}`}
        aria-label="Agreement text"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        data-autofocus={isFocused || undefined}
      >
        {text.sections.map(({ heading, paragraphs }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two sections may have the same heading
          <div key={i}>
            <h3>
              {i + 1}. {heading}
            </h3>
            {paragraphs.map((words, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two paragraphs may have the same words
              <p key={at}>{words}</p>
            ))}
          </div>
        ))}
        <div ref={end} style={{ height: 1 }} />
      </section>
    </>
  );
}

/** The text with, right below, the box that accepts it. */
export function AgreementFields(props: {
  text: AgreementRead;
  acceptance: Acceptance;
  height?: 'scrolls' | 'tall';
  isFocused?: boolean;
}) {
  const user = useUser();
  const { text, acceptance } = props;
  return (
    <Stack gap="sm">
      <AgreementText
        key={text.text_hash}
        text={text}
        onEnd={acceptance.onRead}
        {...(props.height ? { height: props.height } : {})}
        {...(props.isFocused ? { isFocused: true } : {})}
      />
      <Checkbox
        label={`I have read this agreement and accept it for ${user.company_name}`}
        checked={acceptance.isTicked}
        error={acceptance.problem}
        onChange={(event) => acceptance.onTick(event.currentTarget.checked)}
      />
    </Stack>
  );
}
