import { Button, Checkbox, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FEATURE_DOCUMENTS } from '../../../../contract/accounts/agreements.ts';
import { legalDocument, legalNote } from '../../../../contract/accounts/legal.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { userQuery, useUser } from '../../../api/user.ts';
import { dayWords } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import classes from './data-wallet.module.css';

/** The agreement for a beta feature, to read and accept (BETA-03). */
export default function AgreementModal(props: {
  opened: boolean;
  featureId: keyof typeof FEATURE_DOCUMENTS;
  featureName: string;
  /** Where it was opened from; stored with the acceptance. */
  location: string;
  later: string;
  onClose: () => void;
  onAgreed: () => void;
}) {
  const user = useUser();
  const queryClient = useQueryClient();
  const [isTicked, setTicked] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  // The party the agreement is made with, which the agency's own brand does not show.
  const query = useQuery({
    queryKey: ['agreement-feature', user.id, props.featureId],
    queryFn: ({ signal }) =>
      api.agreements.getMarketingServicesAgreementFeature(
        { user_id: user.id, feature_id: props.featureId },
        { signal },
      ),
    enabled: props.opened,
  });
  const party = query.data?.party;
  const text = legalDocument(FEATURE_DOCUMENTS[props.featureId], party ?? '');
  const agree = async () => {
    if (!isTicked) {
      setProblem(messages.clickAgree);
      return;
    }
    setSending(true);
    try {
      const { message } = await api.agreements.marketingServicesAgreementFeature({
        feature_id: props.featureId,
        feature_name: props.featureName,
        user_id: user.id,
        feature_agreed: 'T',
        company_name: user.company_name,
        company_id: user.company_id,
        location_menu: props.location,
      });
      notifyDone(message);
      await queryClient.invalidateQueries({ queryKey: userQuery.queryKey });
      props.onAgreed();
    } catch {
      notifyFailed(messages.agreementFailed);
    } finally {
      setSending(false);
    }
  };
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={text.title}
      centered
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        {query.error && (
          <Notice
            tone="bad"
            live="alert"
            action={
              <Button size="compact-sm" variant="default" onClick={() => void query.refetch()}>
                Retry
              </Button>
            }
          >
            The agreement could not be loaded.
          </Notice>
        )}
        {!party && !query.error && <Skeleton height={320} />}
        {party && (
          <>
            <Text size="sm" c="dimmed">
              {party}. Version {text.version}, effective{' '}
              {dayWords(text.since, { year: 'numeric', month: 'long', day: 'numeric' })}. {legalNote(party)}
            </Text>
            <section
              className={classes.document}
              aria-label="Agreement text"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
              tabIndex={0}
              data-autofocus
            >
              {text.sections.map(({ heading, paragraphs }, i) => (
                <div key={heading}>
                  <h3>
                    {i + 1}. {heading}
                  </h3>
                  {paragraphs.map((words) => (
                    <p key={words}>{words}</p>
                  ))}
                </div>
              ))}
            </section>
            <Checkbox
              label={`I have read this agreement and accept it for ${user.company_name}`}
              checked={isTicked}
              error={problem}
              onChange={(event) => {
                setTicked(event.currentTarget.checked);
                setProblem(undefined);
              }}
            />
          </>
        )}
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onClose}>
          {props.later}
        </Button>
        <Button loading={isSending} disabled={!party} onClick={() => void agree()}>
          {messages.walletAgree}
        </Button>
      </Group>
    </Modal>
  );
}
