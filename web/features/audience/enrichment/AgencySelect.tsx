import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { SearchSelect, type SearchSelectField } from '../../../ui/SearchSelect.tsx';
import { readCompanies } from '../../accounts/companies/companies.ts';

/** Selects one of the root's agencies. `description` says what choosing one means. */
export function AgencySelect(props: SearchSelectField & { description?: string }) {
  const user = useUser();
  return (
    <SearchSelect
      description="Its campaigns and its clients’ campaigns can use these fields."
      {...props}
      label="Agency"
      queryKey={['agencies', 'choice']}
      find={async (search, signal) => {
        const { data } = await readCompanies(
          api,
          user,
          { kind: 'agency', page: 1, per_page: 50, ...(search ? { search } : {}) },
          { signal },
        );
        return data.map((one) => ({ value: one.company_id, label: one.company_name }));
      }}
    />
  );
}
