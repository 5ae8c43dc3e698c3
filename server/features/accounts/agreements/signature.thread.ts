import { serveThread } from '../../../platform/thread.ts';
import { checkPdf, makeKey, openP12, signPdf } from './signature.ts';

/** What the thread is asked to do, one task each. */
export type Task =
  | { do: 'make'; name: string; from: Date }
  | { do: 'open'; p12: Uint8Array; password: string }
  | { do: 'sign'; pdf: Uint8Array; key: string; certificate: Uint8Array; at: Date; reason: string }
  | { do: 'check'; pdf: Uint8Array };

// In a thread of its own: files and keys come from outside, and making a key or a signature takes a while.
serveThread<Task>(async function* work(task) {
  if (task.do === 'make') yield await makeKey(task.name, task.from);
  else if (task.do === 'open') yield await openP12(task.p12, task.password);
  else if (task.do === 'sign') yield await signPdf(task);
  else yield checkPdf(Buffer.from(task.pdf));
});
