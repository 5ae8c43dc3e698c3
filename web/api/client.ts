import table from 'virtual:routes';
import type { CodeStep } from '../../contract/accounts/auth-tokens.ts';
import type { Client } from '../../contract/index.ts';
import { revertLanding, switchLanding } from '../../contract/routing/routing-switch.ts';
import { ApiError } from './errors.ts';
import { sealerOf } from './seal.ts';
import { type Lock, Session, type Store } from './session.ts';
import { clientOf, Transport } from './transport.ts';
import { Wire } from './wire.ts';

/** localStorage, or memory where the browser forbids it. */
const store: Store = (() => {
  try {
    localStorage.getItem('session');
    return localStorage;
  } catch {
    const map = new Map<string, string>();
    return {
      getItem: (key) => map.get(key) ?? null,
      setItem: (key, value) => void map.set(key, value),
      removeItem: (key) => void map.delete(key),
    };
  }
})();

/** Two tabs share one cookie, so they take turns renewing. */
const lock: Lock = (task) =>
  navigator.locks ? (navigator.locks.request('session-refresh', task) as ReturnType<typeof task>) : task();

/** The signed-in session of this tab. */
export const session = new Session({
  store,
  lock,
  renew: async () => {
    const answer = await api.auth.refresh({});
    return (answer.view ?? answer).access_token;
  },
});

// Another tab signed out or lost the session: this one must not continue with its own token.
addEventListener('storage', (event) => {
  const gone = event.key === 'session' && event.newValue === null;
  if (gone && session.token !== undefined) session.end('logout');
  // It has begun or ended a view: no one must work here as someone else than they believe.
  else if (event.key === 'original_user' && !session.agrees) location.assign('/');
});
// The same goes for a page restored from the browser's back/forward cache.
addEventListener('pageshow', (event) => {
  if (event.persisted && !session.agrees) location.reload();
});

/** The names of the wire, for what is sent outside of calls. */
export const wire = new Wire(table);

export const transport = new Transport({
  base: '/api',
  routes: table.routes,
  wire,
  fetch: (...request) => globalThis.fetch(...request),
  session,
  sealer: sealerOf(() => api.auth.keys()),
  headers: () => {
    const address = store.getItem('client_ip');
    return {
      'X-Timezone': Intl.DateTimeFormat('en-US').resolvedOptions().timeZone,
      ...(address ? { 'X-Client-Ip': address } : {}),
    };
  },
});

/**
 * Stores the user's address as the server sees it, for the header that carries it (spec calls 7); signing out deletes
 * it.
 */
export function keepAddress(address: string | null): void {
  if (address) store.setItem('client_ip', address);
}

/** Every call of the product, typed by the contract: `await api.leads.list({ page: 1 })`. */
export const api: Client = clientOf(transport);

/**
 * Signs in and starts the session; returns the code step if a second factor is on.
 * @param captcha_token the answer of a captcha that the user has to solve
 * @throws ApiError when refused; 422 with `errors.captcha_token` when such a captcha is needed
 */
export async function login(
  email: string,
  password: string,
  captchaToken?: string,
): Promise<CodeStep | null> {
  const given = {
    username: email,
    password,
    host: location.hostname,
    ...(captchaToken ? { captcha_token: captchaToken } : {}),
  };
  let answer: Awaited<ReturnType<typeof api.auth.login>>;
  try {
    answer = await api.auth.login(given);
  } catch (error) {
    // After failures the server asks for a captcha; if the browser can solve it by itself, the user does not have to do
    // anything.
    if (!(error instanceof ApiError) || error.status !== 422 || !error.errors.captcha_token) throw error;
    if ((await api.auth.accessOptions()).captcha === 'recaptcha') throw error;
    const { solveCaptcha } = await import('./captcha.ts');
    answer = await api.auth.login({ ...given, captcha_token: await solveCaptcha(await api.auth.captcha()) });
  }
  if ('otp_token' in answer) return answer;
  session.start(answer.access_token);
  return null;
}

/**
 * Signs in with a passkey of this browser or a phone, and starts the session. @throws ApiError when it is refused or
 * canceled
 */
export async function passkeyLogin(): Promise<void> {
  const { askPasskey } = await import('./passkey.ts');
  const { options } = await api.auth.passkeyChallenge();
  const { access_token } = await api.auth.passkeySignIn({ credential: await askPasskey(options) });
  session.start(access_token);
}

/**
 * Completes a login with its code or a recovery code, and returns how many recovery codes are left. @throws ApiError
 * when the code is wrong or the login has expired
 */
export async function verifyLogin(
  email: string,
  proof: { code: string } | { recovery_code: string },
  step: CodeStep,
): Promise<{ recovery_codes_left?: number | undefined }> {
  const answer = await api.auth.verifyLogin({ email, ...proof, otp_token: step.otp_token });
  session.start(answer.access_token);
  return answer;
}

/**
 * Starts viewing as another user (NAV-03). Returns the address to load: the page is reloaded so that nothing of the
 * previous user stays in it. @throws ApiError when refused
 */
export async function switchUser(userId: string, reason: string): Promise<string> {
  session.become((await api.auth.switchUser({ user_id: userId, reason })).access_token);
  return switchLanding(await api.setup.user());
}

/** Ends the view; returns the address to load. @throws ApiError when refused */
export async function revertView(): Promise<string> {
  await api.auth.revertView({});
  await session.rejoin();
  return revertLanding(await api.setup.user());
}

/** Signs out; if the server does not respond within 3 s, the user is signed out anyway (AUTH-05). */
export function logout(): Promise<void> {
  return session.leave(() => api.auth.logout({}, { signal: AbortSignal.timeout(3000) }));
}
