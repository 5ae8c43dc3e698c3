import { Anchor } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { accountWarning, paymentFailed } from '../../contract/accounts/setup-rules.ts';
import { messages } from '../../contract/messages.ts';
import { maySee } from '../../contract/routing/routing.ts';
import { isAgency } from '../../contract/routing/routing-facts.ts';
import { PAGES } from '../../contract/routing/routing-pages.ts';
import { useFacts } from '../api/user.ts';
import { exactTime } from '../ui/format.ts';
import { Notice } from '../ui/Notice.tsx';
import { useSearchParams } from '../ui/useSearchParams.ts';
import classes from './Warnings.module.css';

/** Where an agency's payment account is connected. */
const settings = '/configuration/general-setting';

function StepLink({ to }: { to: string }) {
  const search = to === settings ? { tab: 'payment' } : {};
  return (
    <Anchor renderRoot={(props) => <Link {...props} to={to as '/'} search={search as never} />}>
      Go to {to === settings ? 'Payment Setup' : PAGES.find((page) => page.path === to)?.title}
    </Anchor>
  );
}

/**
 * The warnings that stay until their cause is resolved (calls 8, Persistent warnings; NAV-08), and the agency's banner
 * about a payment account that cannot charge or pay out (ROUT-13).
 */
export function Warnings() {
  const facts = useFacts();
  const { user, setup } = facts;
  const { pathname } = useLocation();
  const [{ tab }] = useSearchParams();
  const warning = setup && accountWarning(setup, user);
  const isStopped =
    isAgency(user) && user.account_status === 'completed' && !(user.charges_enabled && user.payouts_enabled);
  const isHere = (step: string) => pathname === step && (step !== settings || tab === 'payment');
  const needsAccount = setup?.card_set || setup?.gateway === 'none';
  const steps: Record<string, readonly string[]> = {
    [messages.completeProfile]: ['/user/profile-setup'],
    [messages.completePayment]: [needsAccount ? settings : '/user/card-setting', '/user/profile-setup'],
  };
  const to = warning && steps[warning]?.find((step) => maySee(step, facts));
  const card = '/user/card-setting';
  const hasFailed = setup !== null && !user.in_view_mode && paymentFailed(setup, user);
  const isFactorMissing = user.factor_needed === 'later' && !user.in_view_mode;
  if (!warning && !isStopped && !hasFailed && !isFactorMissing) return null;
  return (
    <div className={classes.warnings}>
      {warning && (
        <Notice tone="warn" live="status" action={to && !isHere(to) && <StepLink to={to} />}>
          {warning}
        </Notice>
      )}
      {isFactorMissing && (
        <Notice
          tone="warn"
          live="status"
          title="Set up a second factor"
          action={
            pathname !== '/user/sessions' && (
              <Anchor renderRoot={(props) => <Link {...props} to="/user/sessions" />}>Go to Security</Anchor>
            )
          }
        >
          One is required for your account
          {user.factor_from && new Date(user.factor_from) > new Date()
            ? ` from ${exactTime(user.factor_from)}`
            : ''}
          . After that, nothing else opens until you have one.
        </Notice>
      )}
      {hasFailed && pathname !== card && maySee(card, facts) && (
        <Notice
          tone="bad"
          live="status"
          title="A payment failed"
          action={
            <Anchor renderRoot={(props) => <Link {...props} to={card as '/'} />}>Go to Card Setting</Anchor>
          }
        >
          Pay what’s due or add another card to use everything again.
        </Notice>
      )}
      {isStopped && (
        <Notice
          tone="warn"
          live="status"
          title="Your payment account needs an update"
          action={!isHere(settings) && maySee(settings, facts) && <StepLink to={settings} />}
        >
          {user.charges_enabled
            ? 'Payouts are paused. Update your payment account to get paid.'
            : 'It can’t take payments. Update your payment account so your clients can pay.'}
        </Notice>
      )}
    </div>
  );
}
