import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { overlaysReady } from './overlays.ts';

/** Shows a result that can be undone with a button in the notification; it stays until it is closed or undone. */
export function notifyUndo(message: string, undo: { verb: string; run: () => void }): void {
  void overlaysReady();
  const id = notifications.show({
    color: 'green',
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
            undo.run();
          }}
        >
          {undo.verb}
        </Button>
      </>
    ),
  });
}
