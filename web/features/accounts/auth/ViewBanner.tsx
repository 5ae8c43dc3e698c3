import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, revertView, session } from '../../../api/client.ts';
import { type SessionUser, userQuery, useUser } from '../../../api/user.ts';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import classes from './ViewBanner.module.css';
import { timeLeft } from './view.ts';

const SHORT = 5 * 60;

/**
 * Shows who is viewing as whom, how much time is left, and buttons to extend and to return (NAV-03, BEY-12). Renders
 * nothing outside view mode.
 */
export function ViewBanner() {
  const user = useUser();
  return user.view ? <Banner view={user.view} company={user.company_name} /> : null;
}

function Banner({ view, company }: { view: NonNullable<SessionUser['view']>; company: string }) {
  const cache = useQueryClient();
  const seconds = useSecondsUntil(view.expires_at);
  const [busy, setBusy] = useState<'renew' | 'revert'>();
  const isShort = seconds <= SHORT;

  // The time is up, or was extended in another tab; the server knows which.
  const quarter = seconds <= 0 ? Math.floor(-seconds / 15) : -1;
  useEffect(() => {
    if (quarter < 0) return;
    session
      .fresh(session.token)
      .then(() => cache.invalidateQueries({ queryKey: userQuery.queryKey }))
      .catch(() => undefined);
  }, [quarter, cache]);

  const renew = async () => {
    setBusy('renew');
    try {
      const { expires_at, message } = await api.auth.renewView({});
      cache.setQueryData(
        userQuery.queryKey,
        (facts) => facts && { ...facts, user: { ...facts.user, view: { ...view, expires_at } } },
      );
      notifyDone(message);
    } catch (error) {
      notifyFailed(error, 'Renew view mode');
    } finally {
      setBusy(undefined);
    }
  };
  const revert = async () => {
    setBusy('revert');
    try {
      location.assign(await revertView());
    } catch (error) {
      setBusy(undefined);
      notifyFailed(error, 'Return to your account');
    }
  };
  return (
    <section className={classes.banner} data-short={isShort || undefined} aria-label="View mode">
      <IconEye className={classes.icon} size={20} stroke={1.6} aria-hidden="true" />
      <div className={classes.who} title={`${view.as_name} of ${company}. Reason: ${view.reason}`}>
        <strong>{view.by_name}</strong>, you are viewing as <strong>{view.as_name}</strong> of {company}.
      </div>
      <span className="sr-only" role="status">
        {isShort && seconds > 0 ? 'View mode ends within 5 minutes.' : ''}
      </span>
      <div className={classes.end}>
        <span className={classes.left} role="timer">
          {timeLeft(seconds)} left
        </span>
        <Button
          size="xs"
          variant="default"
          loading={busy === 'renew'}
          disabled={busy === 'revert'}
          onClick={renew}
        >
          Renew
        </Button>
        <Button size="xs" loading={busy === 'revert'} disabled={busy === 'renew'} onClick={revert}>
          Return to my account
        </Button>
      </div>
    </section>
  );
}

/** Returns the whole seconds until an instant; negative once it has passed. */
function useSecondsUntil(instant: string): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.ceil((Date.parse(instant) - now) / 1000);
}
