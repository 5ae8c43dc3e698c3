import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import type { FormErrors } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { MODULES } from '../../../../contract/choices.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { useBrand } from '../../../brand/brand.ts';
import { alertModal, confirm } from '../../../ui/confirm.tsx';
import { focusFirstWrong, keepFocus } from '../../../ui/forms.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { forgetFailed, notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import {
  DomainField,
  Flags,
  OwnerFields,
  OwnFields,
  PlanField,
  SubdomainField,
  Ticks,
} from './CompanyFields.tsx';
import classes from './companies.module.css';
import { type CompanyItem, named } from './companies.ts';
import {
  type CompanyForm,
  type CompanyValues,
  changeToWire,
  EMPTY,
  failureWords,
  newToWire,
  takenAway,
  useCompanyForm,
  valuesOf,
} from './form.ts';

const MailKept = lazy(() => import('../../operations/outbox/MailKept.tsx'));

/** The key of a form's last failure notification, which goes away when the form is saved. */
const ABOUT = 'company form';

/** Shows field errors under their fields; errors that match no field are shown as a notification. */
function useFailure(form: CompanyForm) {
  return (error: unknown): void => {
    const fields = error instanceof ApiError && error.status === 422 ? error.errors : {};
    const known = Object.entries(fields).filter(([field]) => field in form.getValues());
    if (known.length === 0) {
      notifyFailed(failureWords(error), undefined, ABOUT);
      return;
    }
    const errors: FormErrors = Object.fromEntries(known.map(([field, texts]) => [field, texts.join(' ')]));
    form.setErrors(errors);
    focusFirstWrong(form, errors);
    // A refused create or update also shows the server's own message (spec calls 8).
    const words = known.map(([, texts]) => texts.join(' '));
    if (error instanceof ApiError && words.includes(error.message))
      notifyFailed(error.message, undefined, ABOUT);
  };
}

/** The platform's own domain, shown after a subdomain. */
const suffixOf = (host: string): string => `.${host}`;

/** The inline form to add an agency or client (spec product 2). */
export function AddForm({ kind, onClose }: { kind: 'agency' | 'client'; onClose: () => void }) {
  const user = useUser();
  const brand = useBrand();
  const cache = useQueryClient();
  const form = useCompanyForm(EMPTY, kind, false);
  const failed = useFailure(form);
  const leave = useLeaveGuard(form.isDirty(), `What you entered for the new ${kind} will be lost.`);
  const send = async (values: CompanyValues) => {
    try {
      const { message } = await api.companies.create({
        company_id: user.company_id,
        root_id: user.root_id,
        ...(await newToWire(values, kind)),
      });
      forgetFailed(ABOUT);
      notifyDone(message);
      leave();
      onClose();
    } catch (error) {
      failed(error);
    }
    await cache.invalidateQueries({ queryKey: ['companies'] });
  };
  const isReady = form.values.full_name.trim() !== '' && form.values.email.trim() !== '';
  return (
    <form
      noValidate
      className={`${classes.form} ${classes.add}`}
      aria-label={kind === 'agency' ? 'Add agency' : 'Add client'}
      onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}
    >
      <Stack gap="md">
        <Title order={2} size="h4">
          {kind === 'agency' ? 'New agency' : 'New client'}
        </Title>
        <div className={classes.grid}>
          <OwnerFields form={form} />
          {kind === 'agency' && (
            <>
              <DomainField form={form} />
              <SubdomainField form={form} suffix={suffixOf(brand.domain)} />
            </>
          )}
          <OwnFields form={form} kind={kind} step="add" input="text" />
        </div>
        <Text size="sm" c="dimmed">
          The owner gets an email invitation with a link to set a password.
        </Text>
        <Suspense fallback={null}>
          <MailKept />
        </Suspense>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isReady} loading={form.submitting} {...keepFocus}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The inline form to change an agency or client (spec product 2, 4). */
export function EditForm({ row, onClose }: { row: CompanyItem; onClose: () => void }) {
  const user = useUser();
  const brand = useBrand();
  const cache = useQueryClient();
  const isAgency = row.kind === 'agency';
  const inTree = user.company_kind === 'root' && user.is_root && row.root_id === user.company_id;
  const mayOffboard = useMay('client.offboard');
  const mayPlan = useMay('cost.write') && isAgency && brand.root_id === brand.master_root_id;
  // Sales see the owner's sign-in details, and what only a root's users decide, as read-only.
  const isSales = user.user_type === 'sales';
  // Only owners, signed in as themselves, change the addresses where users enter their passwords.
  const host = useMay('owner.write') && !user.in_view_mode;
  const may = { apiMode: inTree && isAgency && !isSales, plan: mayPlan, owner: !isSales, host };
  const plans = useQuery({
    queryKey: ['minimum-spend-plans'],
    queryFn: ({ signal }) => api.pricing.plans(undefined, { signal }),
    enabled: mayPlan,
  });
  const [conflict, setConflict] = useState<string>();
  const form = useCompanyForm(valuesOf(row), row.kind, true);
  const failed = useFailure(form);
  const leave = useLeaveGuard(form.isDirty(), `Your changes to ${named(row.company_name)} will be lost.`);
  const suffix = row.subdomain ? row.subdomain.slice(row.subdomain_name.length) : suffixOf(brand.domain);

  /** Whether the products being removed have no active campaigns; otherwise shows which campaigns are in the way. */
  const productsAreFree = async (modules: string[]): Promise<boolean> => {
    const found = await Promise.all(
      modules.map(async (module) => ({
        module,
        ids: (
          await api.companies.checkCampaignActive({
            company_id: row.company_id,
            modules: module,
            user_type: isAgency ? 'agency' : 'client',
          })
        ).active_campaign_id,
      })),
    );
    const busy = found.filter(({ ids }) => ids.length > 0);
    if (busy.length === 0) return true;
    await alertModal(
      'Active campaigns',
      <>
        {messages.productHasCampaigns}
        {busy.map(({ module, ids }) => (
          <Text key={module} size="sm" mt="sm" style={{ overflowWrap: 'anywhere' }}>
            <strong>{labelOf(row, module)}</strong>: {ids.map((id) => `#${id}`).join(', ')}
          </Text>
        ))}
      </>,
    );
    return false;
  };

  const send = async (values: CompanyValues) => {
    setConflict(undefined);
    try {
      // The server refuses it in any case; sales are not shown which campaigns these are.
      const taken = isSales ? [] : takenAway(row, values);
      if (taken.length > 0 && !(await productsAreFree(taken))) {
        form.setFieldValue('selected_modules', [...values.selected_modules, ...taken]);
        return;
      }
      if (
        may.apiMode &&
        values.api_mode !== (row.api_mode === 'T') &&
        !(await developerMode(row, values.api_mode))
      ) {
        form.setFieldValue('api_mode', !values.api_mode);
        return;
      }
      const { message } = await api.companies.update({
        company_id: user.company_id,
        root_id: user.root_id,
        ...(await changeToWire(values, row, may)),
      });
      forgetFailed(ABOUT);
      notifyDone(message);
      leave();
      await cache.invalidateQueries({ queryKey: ['companies'] });
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setConflict(error.message);
      else failed(error);
    }
  };
  return (
    <form
      noValidate
      className={classes.form}
      aria-label={`Edit ${row.company_name}`}
      onSubmit={form.onSubmit(send, (errors) => focusFirstWrong(form, errors))}
    >
      <Stack gap="md">
        <div className={classes.grid}>
          <OwnerFields form={form} isAddressFixed={isSales} />
          {isAgency && <SubdomainField form={form} suffix={suffix} isFixed={!host} />}
          <OwnFields form={form} kind={row.kind} step="edit" input="text" />
          {mayPlan && plans.data && <PlanField form={form} plans={plans.data.data} />}
        </div>
        <Ticks form={form} field="selected_terms" label="Payment Term" required choices={row.root_terms} />
        <Ticks form={form} field="selected_modules" label="Product(s)" choices={row.root_modules} />
        <Flags form={form} kind={row.kind} apiMode={may.apiMode} owner={may.owner} />
        {plans.error && (
          <Notice tone="warn" title="The minimum-spend plans could not be loaded">
            You can save everything else. The plan stays as it is.
          </Notice>
        )}
        {conflict && (
          <Notice
            tone="warn"
            live="alert"
            title="Not saved"
            action={
              <Button
                size="compact-sm"
                variant="default"
                onClick={async () => {
                  leave();
                  onClose();
                  await cache.invalidateQueries({ queryKey: ['companies'] });
                }}
              >
                Reload
              </Button>
            }
          >
            {conflict}
          </Notice>
        )}
        {row.kind === 'client' && mayOffboard && (
          <Text size="sm">
            Is this client leaving?{' '}
            <Anchor
              inherit
              underline="always"
              renderRoot={(props) => (
                <Link {...props} to={`/configuration/offboarding/${row.company_id}` as '/'} />
              )}
            >
              Open its offboarding
            </Anchor>
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting} {...keepFocus}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const labelOf = (row: CompanyItem, module: string): string =>
  row.root_modules.find((one) => one.value === module)?.label ??
  MODULES.find((one) => one.module === module)?.name ??
  module;

/** Asks for confirmation before turning developer mode on or off (spec product 4). */
const developerMode = (row: CompanyItem, on: boolean): Promise<boolean> =>
  confirm(
    on
      ? {
          title: `Enable API developer mode for ${named(row.company_name)}?`,
          body: 'When the agency accepts the terms, it is charged a one-time fee, and a new minimum spend applies from the acceptance date.',
          verb: 'Enable',
        }
      : {
          title: `Disable API developer mode for ${named(row.company_name)}?`,
          body: 'The developer features are reset. If you enable the mode again, the fee applies again.',
          verb: 'Disable',
          danger: true,
        },
  );
