import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FEATURE_DOCUMENTS } from '../../../../contract/accounts/agreements.ts';
import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useMay, userQuery, useUser } from '../../../api/user.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { AgreementFields, AgreementText } from './AgreementText.tsx';
import { DOCUMENT_NAMES, readOf, readQuery, useAcceptance } from './agreements.ts';

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
  /** Called when an acceptance could not be stored. */
  onFailed?: () => void;
}) {
  const user = useUser();
  const mayAccept = useMay('agreement.accept');
  const queryClient = useQueryClient();
  const acceptance = useAcceptance();
  const [isSending, setSending] = useState(false);
  const document = FEATURE_DOCUMENTS[props.featureId];
  const query = useQuery({ ...readQuery(document), enabled: props.opened });
  const text = query.data;
  const agree = async () => {
    if (!text || !acceptance.check()) return;
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
        ...readOf(text),
      });
      notifyDone(message);
      await queryClient.invalidateQueries({ queryKey: userQuery.queryKey });
      await queryClient.invalidateQueries({ queryKey: ['agreement'] });
      props.onAgreed();
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) {
        notifyFailed(error);
        acceptance.reset();
        void query.refetch();
      } else {
        notifyFailed(messages.agreementFailed);
        props.onFailed?.();
      }
    } finally {
      setSending(false);
    }
  };
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={text?.title ?? DOCUMENT_NAMES[document]}
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
        {!text && !query.error && <Skeleton height={320} />}
        {text &&
          (mayAccept ? (
            <AgreementFields text={text} acceptance={acceptance} isFocused />
          ) : (
            <>
              <AgreementText text={text} isFocused />
              <Text size="sm">Only someone who can change your company’s settings can accept it.</Text>
            </>
          ))}
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onClose}>
          {props.later}
        </Button>
        {mayAccept && (
          <Button loading={isSending} disabled={!text} onClick={() => void agree()}>
            {messages.walletAgree}
          </Button>
        )}
      </Group>
    </Modal>
  );
}
