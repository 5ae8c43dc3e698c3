import { useLayoutEffect, useRef } from 'react';

/** What stays free below, in px: the page's padding. */
const BELOW = 24;

/**
 * Makes an element as high as what is left of the window below its top, but no less than `least` px. Off: as high as
 * its content.
 */
export function useFill(isOn: boolean, least = 420) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box || !isOn) return;
    const resize = () => {
      const top = box.getBoundingClientRect().top + window.scrollY;
      box.style.height = `${Math.max(least, Math.floor(window.innerHeight - top - BELOW))}px`;
    };
    resize();
    // What stands above it, such as a warning, may come later.
    const watch = new ResizeObserver(resize);
    watch.observe(document.body);
    addEventListener('resize', resize);
    return () => {
      watch.disconnect();
      removeEventListener('resize', resize);
      box.style.height = '';
    };
  }, [isOn, least]);
  return ref;
}
