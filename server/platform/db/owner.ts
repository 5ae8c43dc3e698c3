/** The ids that every tenant-owned row carries. */
export interface Owner {
  root_id: string;
  agency_id: string | null;
  company_id: string;
}
