import { Button, Skeleton, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './FormSection.module.css';

export interface FormSectionProps {
  title: string;
  line?: ReactNode;
  children: ReactNode;
  /** Absent: a section without its own button. */
  save?: {
    formId: string;
    isDirty: boolean;
    busy: boolean;
    onDiscard: () => void;
  };
}

/** A separately saved section of a page: a card with its fields and, at the bottom right, Save. */
export function FormSection({ title, line, children, save }: FormSectionProps) {
  const id = useId();
  return (
    <section className={`card ${classes.section}`} aria-labelledby={id}>
      <div className={classes.head}>
        <Title order={2} size="h3" id={id}>
          {title}
        </Title>
        {line && (
          <Text c="dimmed" size="sm">
            {line}
          </Text>
        )}
      </div>
      <div className={classes.body}>{children}</div>
      {save && (
        <div className={classes.foot}>
          {save.isDirty && <span className={classes.unsaved}>Unsaved changes</span>}
          {save.isDirty && (
            <Button variant="default" disabled={save.busy} onClick={save.onDiscard}>
              Discard
            </Button>
          )}
          <Button type="submit" form={save.formId} disabled={!save.isDirty} loading={save.busy}>
            Save
            <span className="sr-only"> {title.toLowerCase()}</span>
          </Button>
        </div>
      )}
    </section>
  );
}

/** A skeleton shown while a section's values are loading. */
export function SectionSkeleton({ fields }: { fields: number }) {
  return (
    <div className={`card ${classes.section}`} aria-busy="true">
      <div className={classes.body}>
        <Skeleton height={20} width={180} mb="lg" />
        {Array.from({ length: fields }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have nothing else
          <div key={at} style={{ marginBottom: 16 }}>
            <Skeleton height={12} width={90} mb={8} />
            <Skeleton height={36} />
          </div>
        ))}
      </div>
    </div>
  );
}
