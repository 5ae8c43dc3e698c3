import { useForm } from '@mantine/form';
import {
  type CompanyFieldInputs,
  companyInputsEntered,
  companyInputsOf,
  NO_COMPANY_FIELDS,
} from '../../../../contract/accounts/company-fields.ts';
import {
  companyNameFault,
  emailFault,
  fullNameFault,
  subdomainShape,
} from '../../../../contract/accounts/company-rules.ts';
import { messages } from '../../../../contract/messages.ts';
import { ApiError } from '../../../api/errors.ts';
import type { PhoneValue } from '../../../ui/phone.types.ts';
import { loadPhones, ofWire, phoneFault } from '../../../ui/usePhone.ts';
import type { CompanyItem } from './companies.ts';

/** The values of the add and edit forms. Names match the calls', so that errors find their fields. */
export interface CompanyValues extends CompanyFieldInputs {
  company_name: string;
  full_name: string;
  email: string;
  phone: PhoneValue;
  domain: string;
  subdomain_name: string;
  plan_id: string;
  selected_terms: string[];
  selected_modules: string[];
  white_labelling: boolean;
  api_mode: boolean;
  beta_user: boolean;
  campaigns_closed: boolean;
  gets_notices: boolean;
  mail_off: boolean;
}

export const EMPTY: CompanyValues = {
  company_name: '',
  full_name: '',
  email: '',
  phone: { country: '', number: '' },
  domain: '',
  subdomain_name: '',
  plan_id: '',
  selected_terms: [],
  selected_modules: [],
  white_labelling: true,
  api_mode: false,
  beta_user: false,
  campaigns_closed: false,
  ...companyInputsOf(NO_COMPANY_FIELDS),
  gets_notices: true,
  mail_off: false,
};

/** Returns the edit form's initial values for a row. */
export function valuesOf(row: CompanyItem): CompanyValues {
  return {
    ...EMPTY,
    company_name: row.company_name,
    full_name: row.name,
    email: row.email,
    phone: ofWire(row),
    subdomain_name: row.subdomain_name,
    plan_id: row.plan_id,
    selected_terms: row.selected_terms.filter((one) => one.status).map((one) => one.term),
    selected_modules: row.selected_modules.filter((one) => one.status).map((one) => one.type),
    white_labelling: row.white_labelling === 'T',
    api_mode: row.api_mode === 'T',
    beta_user: row.beta_user === 'T',
    campaigns_closed: row.campaigns_closed === 'T',
    ...companyInputsOf(row),
    gets_notices: row.gets_notices === 'T',
    mail_off: row.mail_off === 'T',
  };
}

/**
 * Returns what is wrong with the fields (spec product 5), by field.
 * @param editing an existing company, which has payment terms
 */
export function faultsOf(
  values: CompanyValues,
  kind: 'agency' | 'client',
  editing: boolean,
): Record<string, string> {
  const faults: Record<string, string | null> = {
    company_name: companyNameFault(values.company_name),
    full_name: fullNameFault(values.full_name),
    email: emailFault(values.email),
    phone: phoneFault(values.phone, true),
    subdomain_name: kind === 'agency' ? subdomainShape(values.subdomain_name) : null,
    selected_terms: editing && values.selected_terms.length === 0 ? messages.selectPaymentTerm : null,
  };
  return Object.fromEntries(Object.entries(faults).filter((one): one is [string, string] => one[1] !== null));
}

/** The form of a company; its rules are checked when a field loses focus and when the form is saved. */
export function useCompanyForm(initialValues: CompanyValues, kind: 'agency' | 'client', editing: boolean) {
  return useForm<CompanyValues>({
    initialValues,
    validate: (values) => faultsOf(values, kind, editing),
    validateInputOnBlur: true,
  });
}
export type CompanyForm = ReturnType<typeof useCompanyForm>;

const flag = (value: boolean): 'T' | 'F' => (value ? 'T' : 'F');

/** Returns the parts that adding and editing have in common, in wire format. */
async function common(values: CompanyValues, kind: 'agency' | 'client') {
  const phone = (await loadPhones()).wireOf(values.phone);
  return {
    user_type: kind === 'agency' ? ('userdownline' as const) : ('client' as const),
    company_name: values.company_name.trim(),
    full_name: values.full_name.trim(),
    email: values.email.trim(),
    phone: phone?.phone ?? values.phone.number,
    phone_country: phone?.phone_country ?? '',
    phone_calling: phone?.phone_calling ?? '',
  };
}

/** Returns a new company in wire format. */
export async function newToWire(values: CompanyValues, kind: 'agency' | 'client') {
  return {
    ...(await common(values, kind)),
    ...(kind === 'agency'
      ? {
          subdomain_name: values.subdomain_name.trim(),
          domain: values.domain.trim(),
          api_mode: flag(values.api_mode),
          white_labelling: flag(values.white_labelling),
        }
      : { campaigns_closed: flag(values.campaigns_closed) }),
    ...companyInputsEntered(values, kind, 'add'),
  };
}

/** Returns a changed company in wire format, without what the user may not set. */
export async function changeToWire(
  values: CompanyValues,
  row: CompanyItem,
  may: { apiMode: boolean; plan: boolean; owner: boolean; host: boolean },
) {
  return {
    ...(await common(values, row.kind)),
    ...companyInputsEntered(values, row.kind, 'edit'),
    id: row.id || row.company_id,
    action: row.kind === 'agency' ? ('downline' as const) : ('client' as const),
    version: row.version,
    ...(row.kind === 'agency'
      ? {
          ...(may.host ? { subdomain_name: values.subdomain_name.trim() } : {}),
          ...(may.owner
            ? { white_labelling: flag(values.white_labelling), beta_user: flag(values.beta_user) }
            : {}),
        }
      : {
          campaigns_closed: flag(values.campaigns_closed),
          // These belong to the owner, so they are left out if there is none.
          ...(row.id && may.owner
            ? {
                gets_notices: flag(values.gets_notices),
                mail_off: flag(values.mail_off),
              }
            : {}),
        }),
    ...(may.apiMode ? { api_mode: flag(values.api_mode) } : {}),
    ...(may.plan ? { plan_id: values.plan_id } : {}),
    selected_terms: row.selected_terms.map(({ term }) => ({
      term,
      status: values.selected_terms.includes(term),
    })),
    selected_modules: row.selected_modules.map(({ type }) => ({
      type,
      status: values.selected_modules.includes(type),
    })),
  };
}

/** Returns the products that a save would remove. */
export const takenAway = (row: CompanyItem, values: CompanyValues): string[] =>
  row.selected_modules
    .filter(({ type, status }) => status && !values.selected_modules.includes(type))
    .map(({ type }) => type);

/**
 * Returns the message for a failed create or update (spec calls 8): the server's own if it refused, otherwise that it
 * is busy. A server that is unreachable or broken has no message of its own.
 */
export function failureWords(error: unknown): string {
  return error instanceof ApiError && error.status >= 400 && error.status < 500
    ? error.message
    : messages.busy;
}
