import { Button } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { decide } from '../../../../contract/routing/routing.ts';
import { useFacts, userMay } from '../../../api/user.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { amountsOf, noticeOf, offerWords } from './model.ts';
import { progressQuery } from './queries.ts';

/**
 * An agency's minimum spend, requested once at startup (spec product 6) and shown on the dashboards in the last days of
 * a month that is below it. Once closed, it stays closed for that month on this device.
 */
export function MinSpendNotice() {
  const facts = useFacts();
  const { user, setup } = facts;
  const { pathname } = useLocation();
  const [closed, setClosed] = useLocalStorage({
    key: 'minimum-spend-notice',
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const isAsked =
    user.company_kind === 'agency' && setup?.minimum_spend.status === true && userMay(user, 'cost.read');
  const { data } = useQuery({ ...progressQuery(user.company_id), enabled: isAsked });
  const page = decide(pathname, facts);
  const isDashboard = page.kind === 'page' && (page.page === 'dashboard' || page.page === 'module-dashboard');
  const notice = data && noticeOf(data);
  const key = data && `${data.company_id} ${data.month}`;
  if (!isAsked || !isDashboard) return null;
  if (data?.offer)
    return (
      <div style={{ marginBottom: 16 }}>
        <Notice
          tone="warn"
          live="status"
          title={`A minimum spend of ${amountsOf(data.offer)} requires your acceptance`}
          action={
            <Button
              component={Link}
              to={'/configuration/invoices?side=wholesale' as '/'}
              variant="default"
              size="xs"
            >
              Review and accept
            </Button>
          }
        >
          {offerWords(data.offer)}
        </Notice>
      </div>
    );
  if (!notice || closed === key) return null;
  return (
    <div style={{ marginBottom: 16 }}>
      <Notice
        tone="info"
        live="status"
        title={notice.title}
        action={
          <Button variant="default" size="xs" onClick={() => setClosed(key ?? '')}>
            Close
            <span className="sr-only"> the notice about your minimum spend</span>
          </Button>
        }
      >
        {notice.text}
      </Notice>
    </div>
  );
}
