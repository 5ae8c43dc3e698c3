import { api } from '../../../api/client.ts';
import { SearchSelect, type SearchSelectField } from '../../../ui/SearchSelect.tsx';

/** Selects one of the agency's clients. `description` says what choosing one means, `none` what choosing none does. */
export function ClientSelect(props: SearchSelectField & { description?: string; none?: string }) {
  return (
    <SearchSelect
      {...(props.none ? {} : { description: 'Who the campaign is for.' })}
      {...props}
      label="Client"
      queryKey={['clients', 'choice']}
      find={async (search, signal) => {
        const { data } = await api.tenants.clients(
          { page: 1, per_page: 50, ...(search ? { search } : {}) },
          { signal },
        );
        return data.map((one) => ({ value: one.id, label: one.company_name }));
      }}
    />
  );
}
