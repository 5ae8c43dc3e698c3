import { Checkbox, Stack, Text } from '@mantine/core';
import { legalNote } from '../../../../contract/accounts/legal.ts';
import { useUser } from '../../../api/user.ts';
import { dayWords } from '../../../ui/format.ts';
import classes from './agreements.module.css';
import type { Acceptance, AgreementRead } from './agreements.ts';

const LONG = { year: 'numeric', month: 'long', day: 'numeric' } as const;

type Shown = Pick<AgreementRead, 'party' | 'version' | 'effective_on' | 'is_template' | 'sections'>;

/** The text of an agreement in a box that scrolls. */
export function AgreementText({
  text,
  height = 'scrolls',
  acceptance,
  isFocused,
}: {
  text: Shown;
  height?: 'scrolls' | 'tall';
  /** Given where the text is to be accepted: it notes whether the end was in sight. */
  acceptance?: Acceptance;
  isFocused?: boolean;
}) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {text.party}. Version {text.version}, effective {dayWords(text.effective_on, LONG)}.
        {text.is_template && ` ${legalNote(text.party)}`}
      </Text>
      <section
        ref={acceptance?.box}
        onScroll={acceptance?.look}
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
        acceptance={acceptance}
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
