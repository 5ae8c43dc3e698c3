import { contract } from '../../../../contract/index.ts';
import type { ExportList } from '../../../platform/http/csv-file.ts';
import { list } from '../../../platform/http/export-columns.ts';

/** The lists that can be downloaded (docs/decisions/0063). */
export const exports: readonly ExportList[] = [
  list('agreements', contract.agreementText.standings, [
    ['Agreement', (row) => row.title],
    ['State', (row) => row.state],
    ['With', (row) => row.party],
    ['Newest version', (row) => row.version],
    ['Accepted version', (row) => row.accepted_version],
    ['Accepted by', (row) => row.accepted_by],
    ['Accepted', (row) => row.accepted_at],
    ['Accept by', (row) => row.must_accept_by],
  ]),
  list('acceptances', contract.agreementText.acceptances, [
    ['Document', (row) => row.document_type],
    ['Version', (row) => row.version],
    ['Company', (row) => row.company_name],
    ['Accepted by', (row) => row.name],
    ['Accepted', (row) => row.accepted_at],
    ['IP address', (row) => row.ip],
    ['Device', (row) => row.device],
    ['Second factor', (row) => row.second_factor],
    ['Read to the end', (row) => (row.read_to_end ? 'yes' : '')],
  ]),
];
