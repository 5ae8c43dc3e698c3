/**
 * Returns where to go after the login: `wanted` only if it is a path on this same site, else `home`. The browser's own
 * parser decides, since it drops tabs and treats backslashes as slashes.
 * @param origin the page's, such as 'https://acme.test'
 */
export function safePath(wanted: string | undefined, origin: string, home = '/'): string {
  if (!wanted?.startsWith('/')) return home;
  let url: URL;
  try {
    url = new URL(wanted, origin);
  } catch {
    return home;
  }
  // '/.//evil.example' stays on this host when parsed once, and leaves it when parsed again.
  if (url.origin !== origin || url.pathname.startsWith('//')) return home;
  return url.pathname + url.search + url.hash;
}
