import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { SectionSkeleton } from '../../../ui/FormSection.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { useLeaveGuard } from '../../../ui/useLeaveGuard.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Wizard } from '../../../ui/Wizard.tsx';
import { stepAfter, stepAt } from '../../../ui/wizard.ts';
import { OnboardingStep } from './OnboardingStep.tsx';
import { agreementQuery, checkQuery, usePersonChanged } from './queries.ts';
import {
  AccountStep,
  AgreementStep,
  CardStep,
  CompanyStep,
  DetailsStep,
  type StepProps,
} from './SetupSteps.tsx';
import { documentOf, finishPath, finishWords, type StepKey, stepsOf } from './steps.ts';

const STEPS: Record<
  StepKey,
  { title: string; short?: string; line: string; Content: (props: StepProps) => React.ReactNode }
> = {
  details: { title: 'Your details', line: 'Who you are and how to reach you.', Content: DetailsStep },
  company: {
    title: 'Company',
    line: 'Shown on bills and in email footers.',
    Content: CompanyStep,
  },
  agreement: { title: 'Agreement', line: 'The terms between you and us.', Content: AgreementStep },
  card: { title: 'Payment card', short: 'Card', line: 'Used to pay what you owe.', Content: CardStep },
  onboarding: {
    title: 'Onboarding',
    line: 'A one-time charge for your setup.',
    Content: OnboardingStep,
  },
  account: {
    title: 'Payment account',
    short: 'Account',
    line: 'Where your clients’ payments arrive.',
    Content: AccountStep,
  },
};

const MISSING = {
  profile: 'your details',
  card: 'a payment card',
  agreement: 'the agreement',
  onboarding: 'the onboarding charge',
} as const;

/** The setup of a user and their company, step by step; each step is saved when moving on from it (PROF-01). */
export function SetupWizard({ withCard }: { withCard: boolean }) {
  const user = useUser();
  const document = documentOf(user);
  const check = useQuery(checkQuery(user.id));
  const agreement = useQuery({
    ...agreementQuery(document ?? 'default_client'),
    enabled: document !== undefined,
  });
  const failed = check.error ?? agreement.error;
  return (
    <>
      <PageHeader
        title="Profile setup"
        line="Complete a few steps to get started. Your entries are saved at each step."
      />
      {check.data && (agreement.data || !document) ? (
        <Steps withCard={withCard} isAgreed={agreement.data?.status === 'T'} check={check.data} />
      ) : failed ? (
        <ErrorState
          error={failed}
          what="Your setup could not be loaded"
          onRetry={() => {
            void check.refetch();
            if (document) void agreement.refetch();
          }}
        />
      ) : (
        <SectionSkeleton fields={5} />
      )}
    </>
  );
}

function Steps(props: { withCard: boolean; isAgreed: boolean; check: StepProps['check'] }) {
  const { check } = props;
  const user = useUser();
  const navigate = useNavigate();
  const changed = usePersonChanged();
  const [params, setParams] = useSearchParams();
  const [busy, setBusy] = useState(false);
  const [isDirty, setDirty] = useState(false);
  const [missing, setMissing] = useState<string[]>([]);
  useLeaveGuard(isDirty, 'Your changes in this step will be lost.', ['step']);
  const states = stepsOf(user, check, props.isAgreed, props.withCard);
  const at = stepAt(states, params.step);

  const finish = async () => {
    setBusy(true);
    try {
      const answer = await api.setup.complete({});
      await changed();
      // Items that no step here asks for (the card, on profile-setup-v1) do not count as missing.
      const open = answer.missing.filter((one) => one === 'profile' || states.some(({ key }) => key === one));
      setMissing(open.map((one) => MISSING[one]));
      if (open.length > 0) return;
      notifyDone(answer.message);
      await navigate({ to: finishPath(user) as '/' });
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(false);
    }
  };
  const steps = states.map((state) => {
    const { title, short, line, Content } = STEPS[state.key];
    const next = stepAfter(states, state.key);
    return {
      ...state,
      title,
      ...(short ? { short } : {}),
      line,
      content: (formId: string) => (
        <Content
          formId={formId}
          user={user}
          check={check}
          isOptional={state.isOptional ?? false}
          onNext={() => {
            // The step is saved: the guard must know before the address changes, not a render later.
            flushSync(() => setDirty(false));
            if (next) setParams({ step: next.key }, { push: true });
            else void finish();
          }}
          onBusy={setBusy}
          onDirty={setDirty}
        />
      ),
    };
  });
  return (
    <>
      {missing.length > 0 && (
        <div style={{ marginBottom: 16 }}>
          <Notice tone="warn" live="alert" title="Your setup is not complete yet">
            Still missing: {missing.join(', ')}.
          </Notice>
        </div>
      )}
      <Wizard
        label="Setup steps"
        steps={steps}
        at={at}
        onAt={(key) => setParams({ step: key }, { push: true })}
        busy={busy}
        finish={finishWords(user)}
      />
    </>
  );
}
