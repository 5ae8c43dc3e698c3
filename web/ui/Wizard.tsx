import { Button, Text, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowLeft, IconCheck } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import classes from './Wizard.module.css';
import { reach, type StepState } from './wizard.ts';

export interface WizardStep extends StepState {
  title: string;
  /** The title for narrow screens; defaults to the title itself. */
  short?: string;
  /** What the step is for, in one sentence. */
  line: ReactNode;
  /**
   * The step's form has this id; submitting it checks and saves, and only then calls `onAt` with the next step
   * (spec product 2: steps may have a validation check).
   */
  content: (formId: string) => ReactNode;
}

export interface WizardProps {
  label: string;
  steps: WizardStep[];
  at: number;
  /** Shows another step and updates the address. */
  onAt: (key: string) => void;
  busy: boolean;
  /** The label of the last step's button. */
  finish: string;
  /** What stays in sight at every step: beside it, and on a narrow screen below it. */
  aside?: ReactNode;
}

/** Steps one after the other. Going back is always allowed; going forward, only as far as the steps are done. */
export function Wizard({ label, steps, at, onAt, busy, finish, aside }: WizardProps) {
  const formId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(at);
  // The step's name is announced, and keyboard focus starts at its top.
  useEffect(() => {
    if (shown.current === at) return;
    shown.current = at;
    heading.current?.focus();
  }, [at]);
  const next = () => (document.getElementById(formId) as HTMLFormElement | null)?.requestSubmit();
  useHotkeys([['mod+Enter', () => !busy && next()]], [], true);
  const step = steps[at];
  if (!step) return null;
  const before = steps[at - 1];
  const last = reach(steps);
  return (
    <>
      <ol className={classes.steps} aria-label={label}>
        {steps.map(({ key, title, short, isDone }, index) => (
          <li key={key}>
            <button
              type="button"
              className={classes.step}
              data-done={isDone || undefined}
              aria-current={index === at ? 'step' : undefined}
              disabled={busy || (index > at && index > last)}
              onClick={() => onAt(key)}
            >
              <span className={classes.number} aria-hidden="true">
                {isDone ? <IconCheck size={14} /> : index + 1}
              </span>
              <span className={classes.title}>{short ?? title}</span>
              {isDone && <span className="sr-only">, done</span>}
            </button>
          </li>
        ))}
      </ol>
      <div className={aside ? classes.beside : undefined}>
        <section className={`card ${classes.panel}`} aria-labelledby={`${formId}-title`}>
          <Text size="xs" c="dimmed" className="num">
            Step {at + 1} of {steps.length}
          </Text>
          <Title order={2} id={`${formId}-title`} ref={heading} tabIndex={-1}>
            {step.title}
          </Title>
          <Text c="dimmed" size="sm" mb="lg">
            {step.line}
          </Text>
          <div key={step.key}>{step.content(formId)}</div>
          <div className={classes.foot}>
            {before && (
              <Button
                variant="default"
                className={classes.back!}
                leftSection={<IconArrowLeft size={16} aria-hidden="true" />}
                disabled={busy}
                onClick={() => onAt(before.key)}
              >
                Back
              </Button>
            )}
            <Button type="submit" form={formId} loading={busy} aria-keyshortcuts="Control+Enter Meta+Enter">
              {at === steps.length - 1 ? finish : 'Next'}
            </Button>
          </div>
        </section>
        {aside && <div className={classes.aside}>{aside}</div>}
      </div>
    </>
  );
}
