import type { SessionUser } from '../../../../contract/accounts/users.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { ApiError, wordsOf } from '../../../api/errors.ts';
import { alertModal, confirm } from '../../../ui/confirm.tsx';
import { forgetFailed, notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { type CompanyItem, named } from './companies.ts';

// What a row's switches and buttons do (spec product 4, calls 8). Each returns whether something has changed; on a
// cancel or a failure nothing has, and the row shows its previous state.

/** Returns the server's own message if it refused; undefined if it is unreachable or failed. */
const refused = (error: unknown): string | undefined =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 ? error.message : undefined;

/** Shows the specification's text for a failure, along with the server's own reason if it gave one. */
function failed(error: unknown, text: string, about: string): void {
  const fields = error instanceof ApiError ? Object.values(error.errors).flat().join(' ') : '';
  const reason = fields || refused(error);
  if (reason && reason !== text) notifyFailed(reason, text, about);
  else notifyFailed(text, undefined, about);
}

/** Turns an agency's direct billing on or off. */
export async function switchManualBill(row: CompanyItem, on: boolean): Promise<boolean> {
  const about = `manual bill ${row.company_id}`;
  const isSure = await confirm(
    on
      ? {
          title: `Direct payment for ${named(row.company_name)}?`,
          body: "All campaigns will be billed wholesale directly to the agency's card. Client billing is handled outside the system.",
          verb: 'Turn on',
        }
      : {
          title: `End direct payment for ${named(row.company_name)}?`,
          body: 'All campaigns will be stopped, and the amount due to date will be charged to the agency’s card.',
          verb: 'Turn off',
          danger: true,
        },
  );
  if (!isSure) return false;
  try {
    await api.dunning.manualBill({ company_id: row.company_id, manual_bill: on ? 'T' : 'F' });
    forgetFailed(about);
    notifyDone(messages.manualBillSaved);
    return true;
  } catch (error) {
    failed(error, messages.manualBillFailed, about);
    return false;
  }
}

/** Excludes an agency from the minimum spend, or includes it again. */
export async function toggleMinimumSpend(row: CompanyItem): Promise<boolean> {
  const about = `minimum spend ${row.company_id}`;
  const isExcluded = row.excluded_minimum_spend === 1;
  const isSure = await confirm(
    isExcluded
      ? {
          title: `Include ${named(row.company_name)} in the minimum spend?`,
          body: 'From now on, the agency is charged the difference up to its minimum spend.',
          verb: 'Include',
        }
      : {
          title: `Exclude ${named(row.company_name)} from the minimum spend?`,
          body: 'The agency is not charged a minimum spend until it is included again.',
          verb: 'Exclude',
        },
  );
  if (!isSure) return false;
  try {
    await api.minimumSpend.exclude({ company_id: row.company_id });
    forgetFailed(about);
    notifyDone(messages.minSpendToggled);
    return true;
  } catch (error) {
    failed(error, messages.minSpendFailed, about);
    return false;
  }
}

/** Charges what an agency owes and clears its failed payment. */
export async function settle(row: CompanyItem): Promise<boolean> {
  const about = `settlement ${row.company_id}`;
  const isSure = await confirm({
    title: `Clear the failed payment for ${named(row.company_name)}?`,
    body: 'The amount due is charged to its card, and the failed payment is cleared. This cannot be undone.',
    verb: 'Clear',
    danger: true,
  });
  if (!isSure) return false;
  try {
    const { data } = await api.dunning.settle({ user_id: row.id });
    if (data.result !== 'success') {
      notifyFailed(data.message || messages.settlementFailed, undefined, about);
      return false;
    }
    forgetFailed(about);
    notifyDone(messages.settlementDone);
    return true;
  } catch (error) {
    notifyFailed(refused(error) ?? messages.settlementFailed, undefined, about);
    return false;
  }
}

/** Removes an agency or client. */
export async function remove(row: CompanyItem, user: Pick<SessionUser, 'company_id'>): Promise<boolean> {
  const about = `removal ${row.company_id}`;
  const isSure = await confirm({
    title: `Remove ${named(row.company_name)}?`,
    body:
      row.kind === 'agency'
        ? 'No one at the agency or its clients can sign in anymore. It can’t be removed while it has active campaigns, a balance, or an amount due.'
        : 'No one at the client can sign in anymore. It can’t be removed while it has active campaigns, a balance, or an amount due.',
    verb: 'Remove',
    danger: true,
  });
  if (!isSure) return false;
  /** Removes it; if it has a credit, only once the user has let it keep that. */
  const take = async (keepsCredit: boolean): Promise<boolean> => {
    try {
      await api.companies.remove({
        company_id: user.company_id,
        user_id: row.id || row.company_id,
        ...(keepsCredit ? { keep_credit: true } : {}),
      });
      return true;
    } catch (error) {
      if (keepsCredit || !(error instanceof ApiError && error.errors.keep_credit)) {
        notifyFailed(wordsOf(error), undefined, about);
        return false;
      }
      const isKept = await confirm({
        title: `Remove ${named(row.company_name)} with its credit?`,
        body: error.message,
        verb: 'Keep credit and remove',
        danger: true,
      });
      return isKept && take(true);
    }
  };
  if (!(await take(false))) return false;
  forgetFailed(about);
  void alertModal(messages.deleted, `${named(row.company_name)} has been removed.`);
  return true;
}

/**
 * Downloads the agreement that a company has accepted; it is generated on demand, or available through a link
 * (AGCY-20).
 */
export async function downloadAgreement(row: CompanyItem): Promise<void> {
  if (row.agreement_file === 'download')
    await download(`/configuration/agreement/${row.company_id}/file`, {}, messages.agreementDownloadFailed);
  else open(row.agreement_file, '_blank', 'noopener');
}

/** Sends the owner another invitation. */
export async function invite(row: CompanyItem, user: Pick<SessionUser, 'company_id'>): Promise<void> {
  const about = `invitation ${row.company_id}`;
  try {
    const { message } = await api.companies.resendInvitation({
      company_id: user.company_id,
      id: row.id || row.company_id,
    });
    forgetFailed(about);
    notifyDone(message);
  } catch (error) {
    notifyFailed(error, undefined, about);
  }
}
