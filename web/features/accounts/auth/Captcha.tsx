import { Anchor, Skeleton, Text, useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { screenMessages } from '../../../../contract/screen-messages.ts';
import { api } from '../../../api/client.ts';
import type { AccessOptions } from './options.ts';

interface Grecaptcha {
  ready(then: () => void): void;
  render(
    element: HTMLElement,
    options: {
      sitekey: string;
      theme: 'light' | 'dark';
      size: 'normal' | 'compact';
      callback: (token: string) => void;
      'expired-callback': () => void;
      'error-callback': () => void;
    },
  ): number;
}

const SCRIPT = 'https://www.google.com/recaptcha/api.js?render=explicit';
let loading: Promise<Grecaptcha> | undefined;

/** Google's script, fetched once and only by a page that shows its box. */
function loadRecaptcha(): Promise<Grecaptcha> {
  loading ??= new Promise<Grecaptcha>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.async = true;
    script.onload = () => {
      const { grecaptcha } = globalThis as { grecaptcha?: Grecaptcha };
      if (grecaptcha) grecaptcha.ready(() => resolve(grecaptcha));
      else reject(new Error(screenMessages.captchaAway));
    };
    script.onerror = () => reject(new Error(screenMessages.captchaAway));
    document.head.append(script);
  }).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** The box to check; `onToken` gets its answer, and undefined once that has expired. */
function Recaptcha({ siteKey, onToken }: { siteKey: string; onToken: (token?: string) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useComputedColorScheme();
  const [state, setState] = useState<'loading' | 'shown' | 'away'>('loading');
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try draws another box
  useEffect(() => {
    // The script can draw into an element once, so each box gets its own.
    const box = document.createElement('div');
    place.current?.append(box);
    let isGone = false;
    setState('loading');
    loadRecaptcha().then(
      (grecaptcha) => {
        if (isGone) return;
        grecaptcha.render(box, {
          sitekey: siteKey,
          theme,
          size: innerWidth < 400 ? 'compact' : 'normal',
          callback: onToken,
          'expired-callback': () => onToken(undefined),
          'error-callback': () => setState('away'),
        });
        setState('shown');
      },
      () => !isGone && setState('away'),
    );
    return () => {
      isGone = true;
      box.remove();
      onToken(undefined);
    };
  }, [siteKey, theme, onToken, tries]);
  return (
    <div style={{ minHeight: 78 }}>
      <div ref={place} hidden={state !== 'shown'} />
      {state === 'loading' && <Skeleton height={76} width={302} maw="100%" />}
      {state === 'away' && (
        <Text size="sm" c="var(--bad)" role="alert">
          {screenMessages.captchaAway}{' '}
          <Anchor component="button" type="button" size="sm" onClick={() => setTries(tries + 1)}>
            Retry
          </Anchor>
        </Text>
      )}
    </div>
  );
}

/**
 * The proof that the visitor is human, as the server asks for it (AUTH-19): invisible work by the browser, or
 * reCAPTCHA's box. `options` undefined: none is needed (yet).
 */
export function useCaptcha(options: AccessOptions | undefined): {
  /** The box, where there is one. */
  box: ReactNode;
  /** Returns the captcha_token for one request. Throws a user-facing message if the box is not checked. */
  answer: () => Promise<string>;
  /** Call after a request: the answer has been used up, and the next request needs another. */
  renew: () => void;
} {
  const [token, setToken] = useState<string>();
  const [round, setRound] = useState(0);
  const siteKey = options?.captcha === 'recaptcha' ? options.captcha_key : null;
  return {
    box: siteKey ? <Recaptcha key={round} siteKey={siteKey} onToken={setToken} /> : null,
    async answer() {
      if (siteKey) {
        if (!token) throw new Error(screenMessages.captchaNeeded);
        return token;
      }
      const { solveCaptcha } = await import('../../../api/captcha.ts');
      return solveCaptcha(await api.auth.captcha());
    },
    renew() {
      if (siteKey) setRound((now) => now + 1);
    },
  };
}
