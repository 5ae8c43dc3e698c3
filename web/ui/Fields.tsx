import type { ReactNode } from 'react';
import classes from './Fields.module.css';

/**
 * Inputs side by side, one below the other on a phone. Labels, inputs, help, and errors of a row each share a line,
 * however long the help beside them is. What is not an input takes the place of one.
 */
export const Fields = ({ children }: { children: ReactNode }) => (
  <div className={classes.fields}>{children}</div>
);
