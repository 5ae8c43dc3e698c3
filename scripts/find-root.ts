import type { Tenants } from '../server/features/accounts/tenants/index.ts';

/** There is no such root; the message says what there is. */
export class NoRoot extends Error {}

/** The id of a root, by its id, its host, or the word master. Throws NoRoot. */
export async function findRoot(tenants: Tenants, root: string): Promise<string> {
  const known = await tenants.roots();
  if (root === 'master') {
    if (!known[0]) throw new NoRoot('--root: there is no root yet.');
    return known[0];
  }
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(root)) {
    if (!known.includes(root.toLowerCase()))
      throw new NoRoot(`--root: there is no root with the ID ${root}.`);
    return root.toLowerCase();
  }
  const tenant = await tenants.byHost(root);
  if (!tenant) throw new NoRoot(`--root: no company is served at the host ${root}.`);
  if (tenant.kind !== 'root')
    throw new NoRoot(
      `--root: ${root} is the host of the ${tenant.kind} ${tenant.companyName}, not of a root.`,
    );
  return tenant.rootId;
}
