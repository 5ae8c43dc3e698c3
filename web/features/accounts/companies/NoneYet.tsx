import { Button, Text } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { messages } from '../../../../contract/messages.ts';
import { useMay } from '../../../api/user.ts';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { accessOptionsQuery } from '../auth/options.ts';

const icon = <IconBuilding size={32} stroke={1.4} />;

/**
 * How the first agency or client gets here: added manually, or through registration, which may have to be opened first.
 */
export function NoneYet({ kind }: { kind: 'agency' | 'client' }) {
  const options = useQuery(accessOptionsQuery).data;
  const mayOpen = useMay('setting.write');
  const many = kind === 'agency' ? 'agencies' : 'clients';
  const page = kind === 'agency' ? '/agency-register' : '/register';
  const isOpen = options?.registration_open === 'T';
  return (
    <EmptyState
      icon={icon}
      title={`No ${many} yet`}
      text={
        <>
          {isOpen || !options
            ? `Add the first one, or send ${location.host}${page} to your ${many}. Anyone who registers there appears here.`
            : `Add the first one, or open registration. Anyone who registers at ${location.host}${page} appears here.`}
          {/* The list looks again every few seconds while it is empty. */}
          <Text component="span" display="block" size="xs" c="dimmed" mt="xs" role="status">
            {messages.loadingData}
          </Text>
        </>
      }
      action={
        isOpen ? (
          <CopyButton text={`${location.origin}${page}`} label="Copy registration link" />
        ) : (
          options &&
          mayOpen && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/configuration/general-setting"
                  search={{ tab: 'registration' } as never}
                />
              )}
            >
              Open registration
            </Button>
          )
        )
      }
    />
  );
}
