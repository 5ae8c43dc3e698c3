import { hash, verify } from '@node-rs/argon2';
import type { Tx } from '../../platform/db/scope.ts';
import { newId } from '../../platform/ids.ts';
import type { Platform } from '../../platform/platform.ts';
import * as store from './store.ts';

/** What a new user is made from. */
export interface NewUser {
  company: { id: string; root_id: string; agency_id: string | null };
  role: 'owner' | 'administrator' | 'sales';
  isAccountExecutive?: boolean;
  email: string;
  name: string;
  password?: string;
  passwordHash?: string;
}

// OWASP's present recommendation for argon2id (algorithm 2): 19 MiB, 2 passes, 1 lane.
const argon = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export type People = ReturnType<typeof createPeople>;

/** Users of companies and their passwords. */
export function createPeople({ clock }: Platform) {
  // Compared with when nobody has that address, so that time does not tell who exists.
  const nobody = hash('nobody has this password', argon);
  return {
    hashPassword: (password: string): Promise<string> => hash(password, argon),
    /** Whether the password is the user's; takes as long when there is no such user. */
    async passwordFits(passwordHash: string | null | undefined, password: string): Promise<boolean> {
      const fits = await verify(passwordHash ?? (await nobody), password);
      return fits && Boolean(passwordHash);
    },
    /** Creates a user. The e-mail is unique within a root's system. Returns the id. */
    async create(tx: Tx, given: NewUser): Promise<string> {
      const at = clock.now();
      const id = newId(at);
      await store.insertUser(tx, {
        id,
        root_id: given.company.root_id,
        agency_id: given.company.agency_id,
        company_id: given.company.id,
        role: given.role,
        is_account_executive: given.isAccountExecutive ?? false,
        email: given.email.toLowerCase(),
        name: given.name,
        password_hash: given.passwordHash ?? (given.password ? await hash(given.password, argon) : null),
        created_at: at,
      });
      return id;
    },
    byEmail: store.userByEmail,
    byId: store.userById,
    secretOf: store.userSecret,
    lock: store.lockUser,
    setPassword: store.setPassword,
    incharge: store.incharge,
  };
}
