import classes from './FramePending.module.css';
import { PendingPage } from './PendingPage.tsx';

/** What stands while the person and the frame are on their way: the frame's outline, so that nothing jumps. */
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
