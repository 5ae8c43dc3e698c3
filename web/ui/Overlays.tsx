import './desk.css';
import '@mantine/notifications/styles.css';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import classes from './Overlays.module.css';
import { overlaysMounted } from './overlays.ts';

/** The host of modals and notifications; loaded on demand, see overlays.ts. */
export default function Overlays() {
  useEffect(overlaysMounted, []);
  return (
    <ModalsProvider>
      <Notifications position="bottom-right" limit={4} autoClose={5000} className={classes.stack!} />
    </ModalsProvider>
  );
}
