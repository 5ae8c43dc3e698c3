import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { SetupCheck } from '../../../../contract/accounts/setup.ts';
import type { SessionUser } from '../../../../contract/accounts/users.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { wordsOf } from '../../../api/errors.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { AccountButtons, AccountStatus } from '../../money/payments/AccountParts.tsx';
import { CardForm } from '../../money/payments/CardForm.tsx';
import { AgreementFields } from '../agreements/AgreementText.tsx';
import { readOf, readQuery, useAcceptance } from '../agreements/agreements.ts';
import { CompanyFields, DetailsFields } from './fields.tsx';
import {
  companyOf,
  companyRules,
  companyStart,
  companyWire,
  detailsOf,
  detailsRules,
  detailsWire,
} from './model.ts';
import { Picture } from './Picture.tsx';
import { agreementQuery, usePersonChanged } from './queries.ts';
import { documentOf } from './steps.ts';
import { useStepForm } from './useStepForm.ts';

export interface StepProps {
  formId: string;
  user: SessionUser;
  check: SetupCheck;
  isOptional: boolean;
  /** Called when the step is done; shows the next one. */
  onNext: () => void;
  /** For the wizard's button, and for the leave guard. */
  onBusy: (busy: boolean) => void;
  onDirty: (isDirty: boolean) => void;
}

/** Your details: saved as step 1. */
export function DetailsStep({ formId, user, onNext, onBusy, onDirty }: StepProps) {
  const { form, onSubmit } = useStepForm({
    step: 1,
    user,
    of: detailsOf,
    rules: detailsRules(user.email),
    wire: detailsWire,
    onSaved: onNext,
    onBusy,
    onDirty,
  });
  return (
    <>
      <Picture />
      <form id={formId} noValidate onSubmit={onSubmit} style={{ marginTop: 24 }}>
        <DetailsFields form={form} email={user.email} />
      </form>
    </>
  );
}

/** The company's details: saved as step 2. */
export function CompanyStep({ formId, user, onNext, onBusy, onDirty }: StepProps) {
  const { form, onSubmit } = useStepForm({
    step: 2,
    user,
    of: companyOf,
    start: companyStart,
    rules: companyRules(true),
    wire: companyWire,
    onSaved: onNext,
    onBusy,
    onDirty,
  });
  return (
    <form id={formId} noValidate onSubmit={onSubmit}>
      <CompanyFields form={form} required />
    </form>
  );
}

/** Runs an action of a step and shows what went wrong with it. */
function useAct({ onBusy }: Pick<StepProps, 'onBusy'>) {
  const changed = usePersonChanged();
  const [fault, setFault] = useState<string>();
  const act = async (task: () => Promise<unknown>): Promise<boolean> => {
    setFault(undefined);
    onBusy(true);
    try {
      await task();
      await changed();
      return true;
    } catch (error) {
      setFault(wordsOf(error));
      return false;
    } finally {
      onBusy(false);
    }
  };
  return { fault, setFault, act };
}

function StepForm(props: {
  formId: string;
  fault: string | undefined;
  onSubmit: () => void;
  children: ReactNode;
}) {
  return (
    <form
      id={props.formId}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
      <div role="alert">
        {props.fault && (
          <Text size="sm" mt="sm" style={{ color: 'var(--bad)' }}>
            {props.fault}
          </Text>
        )}
      </div>
    </form>
  );
}

/** The agreement of the company's kind. */
export function AgreementStep(props: StepProps) {
  const { formId, user, onNext } = props;
  const document = documentOf(user) ?? 'default_client';
  const { data } = useQuery(agreementQuery(document));
  const text = useQuery(readQuery(document));
  const acceptance = useAcceptance();
  const { fault, setFault, act } = useAct(props);
  const isAgreed = data?.status === 'T';
  return (
    <StepForm
      formId={formId}
      fault={fault}
      onSubmit={async () => {
        if (isAgreed) onNext();
        else if (!text.data) setFault('The agreement could not be loaded. Try again.');
        else if (acceptance.check()) {
          const given = { document_type: document, agreed: 'T' as const, ...readOf(text.data) };
          if (await act(() => api.setup.agree(given))) onNext();
          else void text.refetch();
        }
      }}
    >
      {isAgreed ? (
        <Notice tone="good" title="You have accepted the agreement">
          Version {data?.version}. You find it under Agreements, with a signed file to keep.
        </Notice>
      ) : text.data ? (
        <AgreementFields text={text.data} acceptance={acceptance} />
      ) : text.error ? (
        <Notice
          tone="bad"
          live="alert"
          title={messages.documentMissingTitle}
          action={
            <Button size="compact-sm" variant="default" onClick={() => void text.refetch()}>
              {messages.tryAgain}
            </Button>
          }
        >
          {messages.documentMissingText}
        </Notice>
      ) : (
        <Skeleton height={320} />
      )}
    </StepForm>
  );
}

/** A card on file, added with the payment provider's form or the sandbox's. */
export function CardStep(props: StepProps) {
  const { formId, check, onNext } = props;
  const { fault, setFault, act } = useAct(props);
  const [isOpen, setOpen] = useState(!check.card_set);
  return (
    <StepForm
      formId={formId}
      fault={fault}
      onSubmit={() =>
        check.card_set || props.isOptional ? onNext() : setFault('Add a card before you continue.')
      }
    >
      {check.card_set && (
        <Notice tone="good" title="A card is on file">
          You can change it here or in Card Setting.
        </Notice>
      )}
      {isOpen ? (
        <CardForm
          verb="Save card"
          onSaved={async (message) => {
            await act(async () => ({ message }));
            setOpen(false);
          }}
        />
      ) : (
        <Group gap="xs" mt="md">
          <Button variant="default" onClick={() => setOpen(true)}>
            Replace card
          </Button>
        </Group>
      )}
    </StepForm>
  );
}

/** The agency's account at the payment provider, which its clients pay into. */
export function AccountStep(props: StepProps) {
  const { formId, check, user, onNext } = props;
  const { fault, act } = useAct(props);
  return (
    <StepForm formId={formId} fault={fault} onSubmit={onNext}>
      <AccountStatus check={check} user={user} />
      {check.account_status !== 'completed' && (
        <Text size="sm" c="dimmed" mt="sm">
          You can do this later, but your clients’ campaigns won’t run until then.
        </Text>
      )}
      {check.gateway !== 'none' && (
        <AccountButtons check={check} user={user} from="setup" act={(task) => void act(task)} />
      )}
    </StepForm>
  );
}
