// Runs before the first paint, so that the page never flashes in the other theme.
(() => {
  let kept;
  try {
    kept = localStorage.getItem('theme');
  } catch {
    // Storage may be forbidden; the system's choice stands.
  }
  const dark = kept ? kept === 'dark-theme' : matchMedia('(prefers-color-scheme: dark)').matches;
  const root = document.documentElement;
  root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  root.style.backgroundColor = dark ? '#141519' : '#ffffff';
})();
