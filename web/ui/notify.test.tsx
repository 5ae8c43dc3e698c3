import { notifications, notificationsStore } from '@mantine/notifications';
import { beforeEach, describe, expect, test } from 'vitest';
import { forgetAgreement, notifyAgreement, notifyDone, notifyFailed } from './notify.ts';

const shown = () => {
  const { notifications: now, queue } = notificationsStore.getState();
  return [...now, ...queue];
};
beforeEach(() => notifications.clean());

describe('[NAV-06] notifications', () => {
  test('results close after 5000 ms, failures when they are closed', () => {
    notifyDone('Setting has been saved.');
    notifyFailed(new Error('no'));
    expect(shown().map((one) => one.autoClose)).toEqual([5000, false]);
  });

  test('a notice about an agreement stays, is there once, and goes when it is accepted', () => {
    notifyAgreement('Please accept');
    notifyAgreement('Please accept');
    expect(shown()).toHaveLength(1);
    expect(shown()[0]).toMatchObject({ autoClose: false, title: 'Your agreement needs your acceptance' });
    forgetAgreement();
    expect(shown()).toEqual([]);
  });
});
