/** Leaves words for the page that is loaded next in this tab. */
export function leaveNote(words: string): void {
  try {
    sessionStorage.setItem('note', words);
  } catch {
    // Without storage the next page says nothing.
  }
}

/** Shows the words that the page before has left, once. */
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
