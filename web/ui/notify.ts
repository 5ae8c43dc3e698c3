import { notifications } from '@mantine/notifications';
import { wordsOf } from '../api/errors.ts';
import { overlaysReady } from './overlays.ts';

/** Tells a result for 5 s. */
export function notifyDone(message: string): void {
  void overlaysReady();
  notifications.show({ message, color: 'green', autoClose: 5000 });
}

/** Tells a failure until it is closed. @param error the failure, or words */
export function notifyFailed(error: unknown, title?: string): void {
  void overlaysReady();
  notifications.show({ title, message: wordsOf(error), color: 'red', autoClose: false });
}
