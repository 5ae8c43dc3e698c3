import classes from './FramePending.module.css';
import { PendingPage } from './PendingPage.tsx';

/** Shown while the user and the frame are loading: the frame's outline, so that nothing jumps. */
export function FramePending() {
  return (
    <div className={classes.frame}>
      <div className={classes.sidebar} />
      <div className={classes.page}>
        <PendingPage />
      </div>
    </div>
  );
}
