import type { Assertion, NewKey } from '../../contract/accounts/auth-passkeys.ts';
import { ApiError } from './errors.ts';

type Options = Record<string, unknown>;

/** Whether this browser supports passkeys: not on plain http, and not if they are disabled. */
export const hasPasskeys = (): boolean => window.isSecureContext && 'PublicKeyCredential' in window;

/** Has the user's authenticator answer a challenge. @throws ApiError with a message for the user when it does not */
export async function askPasskey(options: Options): Promise<Assertion> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return told(() => startAuthentication({ optionsJSON: options as never }));
}

/** Has an authenticator create a key. @throws ApiError with a message for the user when it does not */
export async function makePasskey(options: Options): Promise<NewKey> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return told(() => startRegistration({ optionsJSON: options as never }));
}

async function told<T>(work: () => Promise<unknown>): Promise<T> {
  try {
    return (await work()) as T;
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    throw new ApiError(
      0,
      name === 'InvalidStateError'
        ? 'This device already has a passkey for your account.'
        : name === 'NotAllowedError' || name === 'AbortError'
          ? 'No passkey was used. Try again or choose another method.'
          : 'Your browser couldn’t use a passkey here.',
      { cause: error },
    );
  }
}
