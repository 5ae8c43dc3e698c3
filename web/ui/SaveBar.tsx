import type { ReactNode } from 'react';
import classes from './SaveBar.module.css';

/**
 * The footer of a form in a drawer or a tab, visible no matter how long the form is. `above`: what went wrong with the
 * last save.
 */
export function SaveBar(props: { isDirty?: boolean; above?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.bar}>
      {props.above && <div className={classes.above}>{props.above}</div>}
      {props.isDirty && <span className={classes.unsaved}>Unsaved changes</span>}
      {props.children}
    </div>
  );
}
