import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { userMay, userQuery, useUser } from '../../../api/user.ts';
import { FormSection, SectionSkeleton } from '../../../ui/FormSection.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { zoneWords } from '../../../ui/zone.ts';
import { DigestSection } from './DigestSection.tsx';
import { CompanyFields, DetailsFields } from './fields.tsx';
import {
  companyOf,
  companyRules,
  companyWire,
  detailsOf,
  detailsRules,
  detailsWire,
  isOwner,
} from './model.ts';
import { Picture } from './Picture.tsx';
import { SilenceSection } from './SilenceSection.tsx';
import { useStepForm } from './useStepForm.ts';

/** The signed-in user's own profile (spec product 2); each section is saved separately. */
export default function ProfilePage() {
  const query = useQuery(userQuery);
  const [dirty, setDirty] = useState<ReadonlySet<string>>(new Set());
  useLeaveGuard(dirty.size > 0, 'Your changes to your profile will be lost.');
  const onDirty = (section: string, isDirty: boolean) => {
    if (dirty.has(section) === isDirty) return;
    setDirty((before) => {
      const next = new Set(before);
      if (isDirty) next.add(section);
      else next.delete(section);
      return next;
    });
  };
  const user = query.data?.user;
  return (
    <>
      <PageHeader title="Profile" line="Who you are and how to reach you." />
      {user ? (
        <>
          <FormSection title="Picture" line="Shown next to your name.">
            <Picture />
          </FormSection>
          <DetailsSection onDirty={onDirty} />
          {isOwner(user) && <CompanySection onDirty={onDirty} />}
          <FormSection title="Time zone" line="Used to count days, weeks, and months in reports and bills.">
            <Text>{zoneWords(user.time_zone)}</Text>
          </FormSection>
          {user.company_kind !== 'root' && userMay(user, 'insight.read') && <DigestSection />}
          {user.company_kind === 'client' && userMay(user, 'campaign.read') && <SilenceSection />}
        </>
      ) : query.error ? (
        <ErrorState
          error={query.error}
          what="Your profile could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : (
        <>
          <SectionSkeleton fields={1} />
          <SectionSkeleton fields={5} />
        </>
      )}
    </>
  );
}

type OnDirty = (section: string, isDirty: boolean) => void;

const saved = (message: string | undefined) => {
  if (message) notifyDone(message);
};

function DetailsSection({ onDirty }: { onDirty: OnDirty }) {
  const user = useUser();
  const formId = useId();
  const { form, busy, onSubmit } = useStepForm({
    step: 1,
    user,
    of: detailsOf,
    rules: detailsRules(user.email),
    wire: detailsWire,
    onSaved: saved,
    onDirty: (isDirty) => onDirty('details', isDirty),
  });
  return (
    <FormSection
      title="Your details"
      save={{ formId, isDirty: form.isDirty(), busy, onDiscard: () => form.reset() }}
    >
      <form id={formId} noValidate onSubmit={onSubmit}>
        <DetailsFields form={form} email={user.email} />
      </form>
    </FormSection>
  );
}

function CompanySection({ onDirty }: { onDirty: OnDirty }) {
  const user = useUser();
  const formId = useId();
  const { form, busy, onSubmit } = useStepForm({
    step: 2,
    user,
    of: companyOf,
    rules: companyRules(false),
    wire: companyWire,
    onSaved: saved,
    onDirty: (isDirty) => onDirty('company', isDirty),
  });
  return (
    <FormSection
      title="Company"
      line={user.industry_name && `Industry: ${user.industry_name}`}
      save={{ formId, isDirty: form.isDirty(), busy, onDiscard: () => form.reset() }}
    >
      <form id={formId} noValidate onSubmit={onSubmit}>
        <CompanyFields form={form} required={false} />
      </form>
    </FormSection>
  );
}
