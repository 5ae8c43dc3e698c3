import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { wordsOf } from '../api/errors.ts';
import { overlaysReady } from './overlays.ts';

/** Tells a result for 5 s. */
export function notifyDone(message: string): void {
  void overlaysReady();
  notifications.show({ message, color: 'green', autoClose: 5000 });
}

/**
 * Tells a failure until it is closed. @param error the failure, or words
 * @param about what failed: a later failure of it takes this one's place, and `forgetFailed` takes it away
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

/** Takes a failure away: the retry has succeeded. */
export function forgetFailed(about: string): void {
  notifications.hide(about);
}

/** Tells what is not known yet, until it is closed. */
export function notifyOpen(message: string, title?: string): void {
  void overlaysReady();
  notifications.show({ title, message, color: 'yellow', autoClose: false });
}

const AGREEMENT = 'agreement';

/** Tells that an agreement waits to be accepted; stays, once, until `forgetAgreement` or somebody closes it. */
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

/** Takes that notice away: it is accepted, or does not belong here. */
export function forgetAgreement(): void {
  notifications.hide(AGREEMENT);
}
