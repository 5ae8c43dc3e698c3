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
  ClientCompanyName: string;
  ClientFullName: string;
  ClientEmail: string;
  ClientPhone: PhoneValue;
  DownlineDomain: string;
  DownlineSubDomain: string;
  planMinSpendId: string;
  selectedterms: string[];
  selectedmodules: string[];
  ClientWhiteLabeling: boolean;
  ApiMode: boolean;
  betaUser: boolean;
  disabledaddcampaign: boolean;
  adminGetNotification: boolean;
  disabledreceivedemail: boolean;
}

export const EMPTY: CompanyValues = {
  ClientCompanyName: '',
  ClientFullName: '',
  ClientEmail: '',
  ClientPhone: { country: '', number: '' },
  DownlineDomain: '',
  DownlineSubDomain: '',
  planMinSpendId: '',
  selectedterms: [],
  selectedmodules: [],
  ClientWhiteLabeling: true,
  ApiMode: false,
  betaUser: false,
  disabledaddcampaign: false,
  ...companyInputsOf(NO_COMPANY_FIELDS),
  adminGetNotification: true,
  disabledreceivedemail: false,
};

/** Returns the edit form's initial values for a row. */
export function valuesOf(row: CompanyItem): CompanyValues {
  return {
    ...EMPTY,
    ClientCompanyName: row.company_name,
    ClientFullName: row.name,
    ClientEmail: row.email,
    ClientPhone: ofWire(row),
    DownlineSubDomain: row.orisubdomain,
    planMinSpendId: row.plan_minspend_id,
    selectedterms: row.selected_payment_term.filter((one) => one.status).map((one) => one.term),
    selectedmodules: row.selected_modules.filter((one) => one.status).map((one) => one.type),
    ClientWhiteLabeling: row.is_whitelabeling === 'T',
    ApiMode: row.api_mode === 'T',
    betaUser: row.beta_user === 'T',
    disabledaddcampaign: row.disabledaddcampaign === 'T',
    ...companyInputsOf(row),
    adminGetNotification: row.adminGetNotification === 'T',
    disabledreceivedemail: row.disabledreceivedemail === 'T',
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
    ClientCompanyName: companyNameFault(values.ClientCompanyName),
    ClientFullName: fullNameFault(values.ClientFullName),
    ClientEmail: emailFault(values.ClientEmail),
    ClientPhone: phoneFault(values.ClientPhone, true),
    DownlineSubDomain: kind === 'agency' ? subdomainShape(values.DownlineSubDomain) : null,
    selectedterms: editing && values.selectedterms.length === 0 ? messages.selectPaymentTerm : null,
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
  const phone = (await loadPhones()).wireOf(values.ClientPhone);
  return {
    userType: kind === 'agency' ? ('userdownline' as const) : ('client' as const),
    ClientCompanyName: values.ClientCompanyName.trim(),
    ClientFullName: values.ClientFullName.trim(),
    ClientEmail: values.ClientEmail.trim(),
    ClientPhone: phone?.phonenum ?? values.ClientPhone.number,
    ClientPhoneCountryCode: phone?.phone_country_code ?? '',
    ClientPhoneCountryCallingCode: phone?.phone_country_calling_code ?? '',
  };
}

/** Returns a new company in wire format. */
export async function newToWire(values: CompanyValues, kind: 'agency' | 'client') {
  return {
    ...(await common(values, kind)),
    ...(kind === 'agency'
      ? {
          DownlineSubDomain: values.DownlineSubDomain.trim(),
          DownlineDomain: values.DownlineDomain.trim(),
          ApiMode: flag(values.ApiMode),
          ClientWhiteLabeling: flag(values.ClientWhiteLabeling),
        }
      : { disabledaddcampaign: flag(values.disabledaddcampaign) }),
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
    ClientID: row.id || row.company_id,
    action: row.kind === 'agency' ? ('downline' as const) : ('client' as const),
    version: row.version,
    ...(row.kind === 'agency'
      ? {
          ClientWhiteLabeling: flag(values.ClientWhiteLabeling),
          ...(may.host ? { DownlineSubDomain: values.DownlineSubDomain.trim() } : {}),
          ...(may.owner ? { betaUser: flag(values.betaUser) } : {}),
        }
      : {
          disabledaddcampaign: flag(values.disabledaddcampaign),
          // These belong to the owner, so they are left out if there is none.
          ...(row.id && may.owner
            ? {
                adminGetNotification: flag(values.adminGetNotification),
                disabledreceivedemail: flag(values.disabledreceivedemail),
              }
            : {}),
        }),
    ...(may.apiMode ? { ApiMode: flag(values.ApiMode) } : {}),
    ...(may.plan ? { planMinSpendId: values.planMinSpendId } : {}),
    selectedterms: row.selected_payment_term.map(({ term }) => ({
      term,
      status: values.selectedterms.includes(term),
    })),
    selectedmodules: row.selected_modules.map(({ type }) => ({
      type,
      status: values.selectedmodules.includes(type),
    })),
  };
}

/** Returns the products that a save would remove. */
export const takenAway = (row: CompanyItem, values: CompanyValues): string[] =>
  row.selected_modules
    .filter(({ type, status }) => status && !values.selectedmodules.includes(type))
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
