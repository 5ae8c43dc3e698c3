import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { overlaysReady } from './overlays.ts';

/** Tells a result that can be taken back, by a button in the notice; it stays until it is closed or taken back. */
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
