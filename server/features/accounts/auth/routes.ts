import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Finish } from '../../../platform/http/server.ts';
import { salesNames } from '../sales/index.ts';
import { SESSION_MS } from './policy.ts';
import type { Auth } from './service.ts';

/** A cookie's name: bound to the host; on plain http away from localhost browsers refuse the secure one. */
function cookieOf(request: FastifyRequest, what = 'refresh'): { name: string; secure: boolean } {
  const secure = request.protocol === 'https' || /(^|\.)localhost$/.test(request.hostname);
  return { name: secure ? `__Host-${what}` : what, secure };
}

/** Requests whose refresh token came in the cookie. */
const byCookie = new WeakSet<FastifyRequest>();

/**
 * Whether a script might read the response. Browsers identify themselves with each POST, in headers that no script can
 * omit; other programs send neither.
 */
const isBrowser = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

/** Puts the refresh token in its cookie and keeps it out of the body, where a script could read it. */
const keep: Finish = (reply, request, output) => {
  const { name, secure } = cookieOf(request);
  const answer = output as { refresh_token?: string };
  const token = answer.refresh_token ?? '';
  if (byCookie.has(request) || isBrowser(request)) delete answer.refresh_token;
  void reply.setCookie(name, token, {
    path: '/',
    httpOnly: true,
    secure,
    sameSite: 'strict',
    maxAge: SESSION_MS / 1000,
  });
};
/** A login that continues with a code has no token yet. */
const keepIfTokens: Finish = (reply, request, output) => {
  if ('refresh_token' in (output as object)) keep(reply, request, output);
};
/** Ties a passkey's challenge to the browser that asked for it. */
const bind: Finish = (reply, request, output) => {
  const { name, secure } = cookieOf(request, 'passkey');
  const answer = output as { binding?: string };
  const binding = answer.binding ?? '';
  if (isBrowser(request)) delete answer.binding;
  void reply.setCookie(name, binding, { path: '/', httpOnly: true, secure, sameSite: 'strict', maxAge: 300 });
};
const bound = (request: FastifyRequest): void => {
  const body = (request.body ?? {}) as { binding?: string };
  const binding = body.binding ?? request.cookies[cookieOf(request, 'passkey').name];
  if (binding) request.body = { ...body, binding };
};
const forget: Finish = (reply: FastifyReply, request: FastifyRequest) => {
  const { name, secure } = cookieOf(request);
  void reply.clearCookie(name, { path: '/', httpOnly: true, secure, sameSite: 'strict' });
};

/** Whether the browser requesting a page is in view mode, judging by its cookie. */
export async function isViewing(auth: Auth, request: FastifyRequest): Promise<boolean> {
  const token = request.cookies[cookieOf(request).name];
  return token !== undefined && (await auth.view.isViewing(token));
}

/** What the calls do to cookies in addition to their response. */
export const authFinish = {
  login: { after: keepIfTokens },
  verifyLogin: { after: keep },
  setNewPassword: { after: keepIfTokens },
  ssoValidation: { after: keep },
  passkeyChallenge: { after: bind },
  passkeySignIn: { before: bound, after: keep },
  confirmChallenge: { after: bind },
  confirm: { before: bound },
  newPasskeyChallenge: { after: bind },
  addPasskey: { before: bound },
  refresh: {
    before(request: FastifyRequest): void {
      const body = (request.body ?? {}) as { refresh_token?: string };
      if (body.refresh_token) return;
      // Browsers send cookies automatically, so the requesting page must be ours.
      const { origin } = request.headers;
      if (origin && origin !== `${request.protocol}://${request.host}`)
        throw new Refusal('forbidden', 'Cross-site request refused.');
      byCookie.add(request);
      request.body = { ...body, refresh_token: request.cookies[cookieOf(request).name] };
    },
    after: keep,
  },
  logout: { after: forget },
};

const done = (message: string) => ({ result: 'success' as const, message });

/** The calls of the feature. */
export function authRoutes(auth: Auth): Handlers<typeof contract.auth> {
  return {
    keys: () => auth.keys.publicSet(),
    login: (ctx, input) => auth.login.login(ctx, input),
    refresh: (ctx, input) => auth.refresh(ctx, input.refresh_token),
    async logout(ctx) {
      await auth.logout(ctx);
      return { result: 'success', message: 'Signed out' };
    },
    verifyLogin: (ctx, input) => auth.login.verifyLogin(ctx, input),
    resendCode: (ctx, input) => auth.login.resendCode(ctx, input),
    accessOptions: (ctx) => auth.entry.options(ctx),
    captcha: (ctx) => auth.captcha.challenge(ctx),
    async register(ctx, input) {
      await auth.entry.register(ctx, input);
      return done(ownMessages.registerSent);
    },
    async confirmRegister(ctx, input) {
      await auth.entry.confirm(ctx, input);
      return done(ownMessages.registerDone);
    },
    async forgetPass(ctx, input) {
      await auth.entry.forgot(ctx, input);
      return done(ownMessages.resetSent);
    },
    referralLink: (ctx) => auth.entry.referralLink(ctx),
    verifyResetToken: (ctx, input) => auth.entry.verifyReset(ctx, input),
    async setNewPassword(ctx, input) {
      const entered = await auth.entry.setPassword(ctx, input);
      if (!entered) return done(ownMessages.newPasswordSet);
      return { ...done(ownMessages.firstPasswordSet), ...entered };
    },
    async resetPassword(ctx, input) {
      await auth.factors.changePassword(ctx, input);
      return done(messages.passwordUpdated);
    },
    async confirm(ctx, input) {
      await auth.confirmation.confirm(ctx, input);
      return done(ownMessages.confirmed);
    },
    twoFactor: (ctx, input) => auth.factors.twoFactor(ctx, input.user_id),
    googleTfa: (ctx, input) => auth.factors.offerSecret(ctx, input.user_id, input.company_id),
    async saveTwoFactor(ctx, input) {
      return { ...done(messages.settingSaved), ...(await auth.factors.saveTwoFactor(ctx, input)) };
    },
    passkeyChallenge: (ctx) => auth.passkeys.ask(ctx, 'sign-in'),
    passkeySignIn: (ctx, input) => auth.passkeys.signIn(ctx, input),
    confirmChallenge: (ctx) => auth.passkeys.ask(ctx, 'confirm'),
    async passkeys(ctx) {
      return { data: await auth.passkeys.list(ctx) };
    },
    newPasskeyChallenge: (ctx) => auth.passkeys.offer(ctx),
    async addPasskey(ctx, input) {
      return { ...done(ownMessages.passkeyAdded), ...(await auth.passkeys.add(ctx, input)) };
    },
    async renamePasskey(ctx, input) {
      await auth.passkeys.rename(ctx, input.id, input.name);
      return done(ownMessages.passkeyRenamed);
    },
    async removePasskey(ctx, input) {
      await auth.passkeys.remove(ctx, input.id);
      return done(ownMessages.passkeyRemoved);
    },
    recoveryCodes: (ctx) => auth.recovery.stateOf(ctx),
    async renewRecoveryCodes(ctx) {
      const recovery_codes = await auth.recovery.renew(ctx);
      return { ...done(ownMessages.recoveryRenewed), recovery_codes };
    },
    async sessions(ctx) {
      return { data: await auth.sessions.list(ctx) };
    },
    async activity(ctx) {
      return { data: await auth.sessions.activity(ctx) };
    },
    async endSession(ctx, input) {
      await auth.sessions.end(ctx, input.id);
      return done('The device was signed out.');
    },
    async endOtherSessions(ctx) {
      const ended = await auth.sessions.endOthers(ctx);
      return { ...done('All other devices were signed out.'), ended };
    },
    ssoValidation: (ctx, input) => auth.sso.validate(ctx, input),
    async switchUser(ctx, input) {
      return { ...done(ownMessages.viewStarted), ...(await auth.view.start(ctx, input)) };
    },
    async renewView(ctx) {
      const until = await auth.view.renew(ctx);
      return { ...done(ownMessages.viewRenewed), expires_at: until.toISOString() };
    },
    async revertView(ctx) {
      await auth.view.revert(ctx);
      return done(ownMessages.viewEnded);
    },
    async views(ctx, input) {
      const found = await auth.view.views(ctx, input);
      const now = ctx.clock.now();
      const data = found.data.map((row) => {
        const until =
          row.revoked_at && row.expires_at && row.revoked_at < row.expires_at
            ? row.revoked_at
            : row.expires_at;
        return {
          id: row.id,
          // Personal data may have been erased since.
          who: row.name ?? '',
          reason: row.reason ?? '',
          started_at: row.created_at.toISOString(),
          until: until?.toISOString() ?? null,
          active: row.revoked_at === null && until !== null && until > now,
        };
      });
      return { ...found, data };
    },
    async companies(ctx, input) {
      const found = await auth.view.companies(ctx, input);
      const data = found.data.map((row) => ({
        ...row,
        kind: row.kind === 'client' ? ('client' as const) : ('agency' as const),
        created_at: row.created_at.toISOString(),
        clients: Number(row.clients),
        ...salesNames(row.sales),
      }));
      return { ...found, data };
    },
    downloadToken: (ctx, input) => auth.downloadToken(ctx, input.path),
    async firstOwner(_ctx, input) {
      await auth.firstOwner(input);
      return {
        result: 'success',
        message: 'The platform is set up. Sign in with your email address and password.',
      };
    },
  };
}
