import { Text } from '@mantine/core';
import { scrubDays, scrubWords } from './scrub.ts';

/** When a number was last compared with do-not-call lists; red once that is too long ago to rely on. */
export function Scrubbed(props: { at: string | null; source?: string | null; size?: 'xs' }) {
  const days = scrubDays(props.at, Date.now());
  return (
    <Text
      component="span"
      {...(props.size ? { size: props.size } : { inherit: true })}
      display="block"
      c={days.isStale ? 'var(--bad)' : 'dimmed'}
    >
      {scrubWords(days)}
      {props.source && ` (${props.source})`}
    </Text>
  );
}
