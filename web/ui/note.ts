/** Leaves a message for the next page that is loaded in this tab. */
export function leaveNote(words: string): void {
  try {
    sessionStorage.setItem('note', words);
  } catch {
    // Without storage the next page says nothing.
  }
}

/** Shows the message left by the previous page, once. */
export function showNote(): void {
  let words: string | null = null;
  try {
    words = sessionStorage.getItem('note');
    sessionStorage.removeItem('note');
  } catch {
    // Nothing can have been left.
  }
  if (words) void import('./notify.ts').then(({ notifyDone }) => notifyDone(words));
}
