import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { overlaysReady } from './overlays.ts';

/**
 * Shows a message with a button, such as a result that can be undone; it stays until it is closed or the button is
 * used.
 */
export function notifyAction(
  message: string,
  action: { verb: string; run: () => void },
  color: 'green' | 'blue' = 'green',
): void {
  void overlaysReady();
  const id = notifications.show({
    color,
    autoClose: false,
    message: (
      <>
        {message}{' '}
        <Button
          size="compact-xs"
          variant="default"
          ml={8}
          onClick={() => {
            notifications.hide(id);
            action.run();
          }}
        >
          {action.verb}
        </Button>
      </>
    ),
  });
}
