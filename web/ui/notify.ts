import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { wordsOf } from '../api/errors.ts';
import { overlaysReady } from './overlays.ts';

/** Shows a result for 5 s. */
export function notifyDone(message: string): void {
  void overlaysReady();
  notifications.show({ message, color: 'green', autoClose: 5000 });
}

/**
 * Shows a failure until it is closed.
 * @param error the failure, or a message
 * @param about what failed: a later failure of the same thing replaces this one, and `forgetFailed` removes it
 */
export function notifyFailed(error: unknown, title?: string, about?: string): void {
  void overlaysReady();
  if (about) notifications.hide(about);
  notifications.show({
    ...(about ? { id: about } : {}),
    title,
    message: wordsOf(error),
    color: 'red',
    autoClose: false,
  });
}

/** Removes a failure notification: the retry has succeeded. */
export function forgetFailed(about: string): void {
  notifications.hide(about);
}

/** Shows a result that is still unknown, until it is closed. */
export function notifyOpen(message: string, title?: string): void {
  void overlaysReady();
  notifications.show({ title, message, color: 'yellow', autoClose: false });
}

const AGREEMENT = 'agreement';

/** Shows, once, that an agreement is waiting to be accepted; stays until `forgetAgreement` or the user closes it. */
export function notifyAgreement(message: ReactNode): void {
  void overlaysReady();
  notifications.show({
    id: AGREEMENT,
    title: 'Your agreement needs your acceptance',
    message,
    color: 'yellow',
    autoClose: false,
  });
}

/** Removes that notification: the agreement is accepted, or it does not belong here. */
export function forgetAgreement(): void {
  notifications.hide(AGREEMENT);
}
