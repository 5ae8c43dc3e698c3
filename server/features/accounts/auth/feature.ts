import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { createRecaptcha } from '../../../providers/recaptcha/index.ts';
import { exports } from './exports.ts';
import { startAuth } from './jobs.ts';
import { authFinish, authRoutes } from './routes.ts';
import { type Auth, type AuthParts, createAuth } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/auth',
  about: 'Signing in and staying signed in: passwords, codes, passkeys, invitations, sessions, views.',
  tables: [
    'captcha_used',
    'download_token',
    'email_change',
    'login_challenge',
    'passkey',
    'passkey_answer',
    'password_reset',
    'recovery_code',
    'referral_code',
    'security_notice',
    'session',
    'setup_link',
    'sign_up',
    'signing_key',
    'sso_token',
    'user_factor',
  ],
  reads: ['company', 'sales_assignment', 'user_account', 'user_log', 'user_log_detail'],
  create(platform, below: Omit<AuthParts, 'outsideCaptcha'>) {
    const { recaptcha } = platform.config;
    return {
      auth: createAuth(platform, { ...below, outsideCaptcha: recaptcha && createRecaptcha(recaptcha) }),
    };
  },
  http: ({ auth }: { auth: Auth }) => ({ calls: [serve(contract.auth, authRoutes(auth), authFinish)] }),
  work: async ({ auth }: { auth: Auth }, { jobs }) => void (await startAuth(auth, jobs)),
  exports,
});
