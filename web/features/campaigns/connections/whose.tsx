import { useUser } from '../../../api/user.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { ClientSelect } from '../campaigns/ClientSelect.tsx';

/** Whose connections a page shows: a client that an agency chose (`client` in the address), or one's own. */
export function useWhose(): { client: string | undefined; company: { company_id?: string } } {
  const [params] = useSearchParams();
  const client = useUser().company_kind === 'client' ? undefined : params.client || undefined;
  return { client, company: client ? { company_id: client } : {} };
}

/** Lets an agency choose whose connections are shown; nothing for a client. */
export function Whose() {
  const [, set] = useSearchParams();
  const user = useUser();
  const { client } = useWhose();
  if (user.company_kind === 'client') return null;
  return (
    <div style={{ maxWidth: 360, marginBottom: 16 }}>
      <ClientSelect
        description="Your own connections can deliver the leads of all your clients."
        none="Your own"
        value={client ?? ''}
        onChange={(id) => set({ client: id || undefined })}
      />
    </div>
  );
}

/** Where the connections are to which a link leads: `vendor` for one service, `client` for those of an agency's client. */
export const integrationsAt = (client: string | undefined, vendor?: string) => ({
  to: (vendor ? `/integrations/${vendor}` : '/integrations') as never,
  search: (client ? { client } : {}) as never,
});
