import { Anchor } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { messages } from '../../../contract/messages.ts';
import { maySee } from '../../../contract/routing.ts';
import { isAgency } from '../../../contract/routing-facts.ts';
import { PAGES } from '../../../contract/routing-pages.ts';
import { accountWarning } from '../../../contract/setup-rules.ts';
import { useFacts } from '../../api/user.ts';
import { Notice } from '../../ui/Notice.tsx';
import classes from './Warnings.module.css';

/**
 * The warnings that stay until their cause is gone (calls 8, Persistent warnings; NAV-08), and the agency's banner about
 * a payment account that cannot charge or pay out (ROUT-13).
 */
export function Warnings() {
  const facts = useFacts();
  const { user, setup } = facts;
  const { pathname } = useLocation();
  const warning = setup && accountWarning(setup, user);
  const isStopped =
    isAgency(user) && user.status_acc === 'completed' && !(user.charges_enabled && user.payouts_enabled);
  const settings = '/configuration/general-setting';
  const steps: Record<string, readonly string[]> = {
    [messages.completeProfile]: ['/user/profile-setup'],
    [messages.completePayment]: [setup?.card_set ? settings : '/user/card-setting', '/user/profile-setup'],
  };
  const to = warning && steps[warning]?.find((step) => maySee(step, facts));
  if (!warning && !isStopped) return null;
  return (
    <div className={classes.warnings}>
      {warning && (
        <Notice
          tone="warn"
          live="status"
          action={
            to &&
            pathname !== to && (
              <Anchor renderRoot={(props) => <Link {...props} to={to as '/'} />}>
                Go to {PAGES.find((page) => page.path === to)?.title}
              </Anchor>
            )
          }
        >
          {warning}
        </Notice>
      )}
      {isStopped && (
        <Notice
          tone="warn"
          live="status"
          title="Your payment account needs an update"
          action={
            pathname !== settings &&
            maySee(settings, facts) && (
              <Anchor renderRoot={(props) => <Link {...props} to={settings as '/'} />}>
                Go to General Settings
              </Anchor>
            )
          }
        >
          {user.charges_enabled
            ? 'Payouts are stopped at the moment. Please update your payment account, so that you are paid.'
            : 'It cannot take payments at the moment. Please update your payment account, so that your clients can pay.'}
        </Notice>
      )}
    </div>
  );
}
