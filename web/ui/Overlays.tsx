import '@mantine/notifications/styles.css';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { overlaysMounted } from './overlays.ts';

/** Where modals and notifications appear; loaded by need, see overlays.ts. */
export default function Overlays() {
  useEffect(overlaysMounted, []);
  return (
    <ModalsProvider>
      <Notifications position="bottom-right" limit={4} />
    </ModalsProvider>
  );
}
