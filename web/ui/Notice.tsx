import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Notice.module.css';

const icons = { good: IconCircleCheck, warn: IconAlertTriangle, bad: IconAlertCircle, info: IconInfoCircle };

/** An inline notice. `live` announces it to screen readers when it appears: 'alert' interrupts, 'status' waits. */
export function Notice(props: {
  tone: keyof typeof icons;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  live?: 'alert' | 'status';
}) {
  const Icon = icons[props.tone];
  return (
    <div className={classes.notice} data-tone={props.tone} role={props.live}>
      <span className={classes.icon} aria-hidden="true">
        <Icon size={20} stroke={1.6} />
      </span>
      <div className={classes.body}>
        {props.title && <div className={classes.title}>{props.title}</div>}
        {props.children && <div>{props.children}</div>}
        {props.action && <div className={classes.action}>{props.action}</div>}
      </div>
    </div>
  );
}
