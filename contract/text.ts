// Text that strangers type or send, read in one pass: a pattern that may begin at every character and looks on to the end
// from each of them takes time with the square of the length.

/** The text without any of `marks` at its two ends. */
export function strip(text: string, marks: string): string {
  let from = 0;
  while (from < text.length && marks.includes(text[from]!)) from++;
  return stripEnd(text.slice(from), marks);
}

/** The text without any of `marks` at its end. */
export function stripEnd(text: string, marks: string): string {
  let to = text.length;
  while (to > 0 && marks.includes(text[to - 1]!)) to--;
  return text.slice(0, to);
}

/** Whether a text has the shape of an email address, such as name@company.com. Only a mail server knows the rest. */
export function looksLikeEmail(text: string): boolean {
  if (text.length > 254 || /\s/.test(text)) return false;
  const at = text.lastIndexOf('@');
  const dot = text.lastIndexOf('.');
  return at > 0 && at === text.indexOf('@') && dot > at + 1 && dot < text.length - 1;
}

/** Whether a text is a whole host name in lowercase ASCII, such as leads.example.com: two labels or more. */
export function isHostName(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  );
}
