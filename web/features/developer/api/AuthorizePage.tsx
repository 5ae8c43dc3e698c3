import { Button, Checkbox, Group, Radio, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { API_SCOPES, type ApiScope, type KEY_MODES } from '../../../../contract/developer/developer-rules.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { notifyFailed } from '../../../ui/notify.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { usePageTitle } from '../../../ui/usePageTitle.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { appWords } from './words.ts';

type Mode = (typeof KEY_MODES)[number];

/** Where an owner decides whether an app, such as an AI assistant, gets access, and to what (BEY-14). */
export default function AuthorizePage() {
  usePageTitle('Give access');
  const [params] = useSearchParams();
  const asked = {
    client_id: params.client_id ?? '',
    redirect_uri: params.redirect_uri ?? '',
    response_type: params.response_type ?? '',
    code_challenge: params.code_challenge ?? '',
    code_challenge_method: params.code_challenge_method ?? '',
    ...(params.scope === undefined ? {} : { scope: params.scope }),
    ...(params.state === undefined ? {} : { state: params.state }),
    ...(params.resource === undefined ? {} : { resource: params.resource }),
  };
  const query = useQuery({
    queryKey: ['developer', 'app', asked],
    queryFn: ({ signal }) => api.developer.appAsked(asked, { signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <main style={{ maxWidth: 560, margin: '0 auto', padding: '48px 16px' }}>
      {query.isPending ? (
        <Skeleton h={420} />
      ) : query.error ? (
        <ErrorState
          error={query.error}
          what="The app’s request isn’t valid"
          onRetry={() => void query.refetch()}
        />
      ) : (
        <Decision asked={asked} of={query.data} />
      )}
    </main>
  );
}

function Decision(props: {
  asked: Parameters<typeof api.developer.appAsked>[0];
  of: Awaited<ReturnType<typeof api.developer.appAsked>>;
}) {
  const { name, place, days, scopes, denied } = props.of;
  const user = useUser();
  const [chosen, setChosen] = useState<string[]>(
    scopes.filter(({ wanted }) => wanted).map(({ scope }) => scope),
  );
  const [mode, setMode] = useState<Mode>('live');
  const [isBusy, setBusy] = useState(false);
  const allow = async () => {
    setBusy(true);
    try {
      const { redirect_to } = await api.developer.allowApp({
        ...props.asked,
        scopes: chosen as ApiScope[],
        mode,
      });
      location.assign(redirect_to);
    } catch (error) {
      notifyFailed(error, 'Give access');
      setBusy(false);
    }
  };
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          Give {name} access?
        </Title>
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {appWords(place)}. It calls itself {name} and asks for access to {user.company_name}. Allow it only
          if you just asked it to connect. What it reads can include people’s personal data.
        </Text>
      </div>
      <Checkbox.Group label="It can" value={chosen} onChange={setChosen}>
        <Stack gap={10} mt={10}>
          {scopes.map(({ scope }) => (
            <Checkbox key={scope} value={scope} label={API_SCOPES[scope].label} description={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Radio.Group label="Works with" value={mode} onChange={(value) => setMode(value as Mode)}>
        <Stack gap={8} mt={8}>
          <Radio value="live" label="Your agency’s data" />
          <Radio value="test" label="Made-up data for tests" />
        </Stack>
      </Radio.Group>
      <Text size="sm" c="dimmed">
        Access ends after {days} days. You can end it at any time on the Developer page, where it is listed as
        an API key.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" component="a" href={denied}>
          Deny
        </Button>
        <Button
          loading={isBusy}
          disabled={chosen.length === 0 || user.in_view_mode}
          onClick={() => void allow()}
        >
          Allow
        </Button>
      </Group>
    </Stack>
  );
}
