import { Group, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed, IconHandStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { StepState } from '../../../../contract/accounts/offboarding-rules.ts';
import { StatusBadge, type Tone } from '../../../ui/StatusBadge.tsx';

const ICONS = { done: IconCircleCheck, waits: IconCircleDashed, you: IconHandStop };
const COLORS: Record<StepState, string> = { done: 'green', waits: 'gray', you: 'yellow' };
const TONES: Record<StepState, Tone> = { done: 'good', waits: 'info', you: 'warn' };

interface Step {
  step: string;
  title: string;
  state: StepState;
  words: string;
}

/**
 * What has to be settled before a client leaves, whether for good or to another agency. `named`: what each state is
 * called; `more`: what follows the words of a step; `action`: what can be done about it.
 */
export function StepList<One extends Step>({
  steps,
  named,
  more,
  action,
}: {
  steps: readonly One[];
  named: Record<StepState, string>;
  more?: (step: One) => ReactNode;
  action?: (step: One) => ReactNode;
}) {
  return (
    <ul className="card" aria-label="Checklist" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {steps.map((one, at) => {
        const { step, title, state, words } = one;
        const Icon = ICONS[state];
        return (
          <li
            key={step}
            style={{
              padding: 16,
              borderTop: at > 0 ? '1px solid var(--mantine-color-default-border)' : undefined,
            }}
          >
            <Group align="flex-start" wrap="nowrap" gap="sm">
              <Text component="span" c={COLORS[state]} lh={1} mt={2} aria-hidden="true">
                <Icon size={20} stroke={1.6} />
              </Text>
              <div style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
                <Group gap="xs">
                  <Text fw={600}>{title}</Text>
                  <StatusBadge status={state} tone={TONES[state]}>
                    {named[state]}
                  </StatusBadge>
                </Group>
                <Text size="sm">
                  {words}
                  {more?.(one)}
                </Text>
                {action?.(one)}
              </div>
            </Group>
          </li>
        );
      })}
    </ul>
  );
}
