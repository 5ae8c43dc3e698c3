// The tag of house ads. It runs on pages of other people: it must never throw into them, never block them, and sets and
// reads nothing in the browser. What it shows is an image with a link, and no code. At most 2,048 bytes gzipped.
export {};

(() => {
  /** The tag's own element, also where a page has several. */
  const tag = (document.currentScript ??
    document.querySelector('script[data-zone]:not([data-done])')) as HTMLScriptElement | null;
  const zone = tag?.dataset.zone;
  if (!tag || !zone) return;
  tag.dataset.done = '1';
  const host = new URL(tag.src).origin;
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${host}/a/v1/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      keepalive: true,
      credentials: 'omit',
    });

  const show = (ad: { i: string; c: string; a: string; w: number; h: number; t: string }): void => {
    const link = document.createElement('a');
    const image = new Image(ad.w, ad.h);
    link.href = host + ad.c;
    link.target = '_blank';
    link.rel = 'noopener sponsored';
    link.style.cssText = `display:inline-block;line-height:0;max-width:100%;width:${ad.w}px`;
    image.alt = ad.a;
    image.style.cssText = 'max-width:100%;height:auto;border:0';
    link.append(image);

    // Viewable: half of its pixels for one second without a break, on a page that is in front (MRC).
    let timer = 0;
    let isIn = false;
    const watch = new IntersectionObserver(
      ([entry]) => {
        isIn = entry!.intersectionRatio >= 0.5;
        check();
      },
      { threshold: [0.5] },
    );
    const check = (): void => {
      clearTimeout(timer);
      if (isIn && !document.hidden)
        timer = window.setTimeout(() => {
          watch.disconnect();
          document.removeEventListener('visibilitychange', check);
          post('view', { t: ad.t }).catch(() => {});
        }, 1000);
    };
    image.onload = () => {
      watch.observe(link);
      document.addEventListener('visibilitychange', check);
    };
    image.src = host + ad.i;
    tag.before(link);
  };

  const { globalPrivacyControl } = navigator as { globalPrivacyControl?: boolean };
  post('serve', { z: zone, g: +!!globalPrivacyControl })
    .then((answer) => (answer.status === 200 ? answer.json().then(show) : undefined))
    .catch(() => {});
})();
