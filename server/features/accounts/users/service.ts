import { hash, verify } from '@node-rs/argon2';
import type { Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Phone } from './phone.policy.ts';
import * as profile from './profile.store.ts';
import { FIRST_ROLES } from './role.policy.ts';
import * as roles from './role.store.ts';
import * as store from './store.ts';

/** The data for a new user. */
export interface NewUser {
  company: { id: string; root_id: string; agency_id: string | null };
  role: 'owner' | 'administrator' | 'sales';
  isAccountExecutive?: boolean;
  email: string;
  name: string;
  password?: string;
  passwordHash?: string;
  phone?: Phone | undefined;
  roleId?: string;
  profileDone?: boolean;
}

export type Users = ReturnType<typeof createUsers>;

/** Users of companies and their passwords. */
export function createUsers({ clock, config }: Platform) {
  // Algorithm 2 is argon2id.
  const argon = { algorithm: 2, parallelism: 1, ...config.passwordCost };
  // Compared with if no one has that address, so that timing does not reveal which users exist.
  const nobody = hash('no one has this password', argon);
  return {
    hashPassword: (password: string): Promise<string> => hash(password, argon),
    /** Whether the password is the user's; takes just as long if there is no such user. */
    async passwordFits(passwordHash: string | null | undefined, password: string): Promise<boolean> {
      const fits = await verify(passwordHash ?? (await nobody), password);
      return fits && Boolean(passwordHash);
    },
    /**
     * Creates a user; with a company's first owner, also creates the roles that a company starts with. The email is
     * unique within a root's system. Returns the id.
     */
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
        ...(given.phone
          ? {
              phone: given.phone.number,
              phone_country: given.phone.country,
              phone_calling: given.phone.calling,
            }
          : {}),
        role_id: given.roleId ?? null,
        profile_done: given.profileDone ?? false,
        created_at: at,
      });
      const { id: company_id, root_id, agency_id } = given.company;
      if (given.role === 'owner' && !(await roles.hasRoles(tx, company_id))) {
        for (const { name, rights } of FIRST_ROLES) {
          const row = { id: newId(at), root_id, agency_id, company_id, name, created_at: at, updated_at: at };
          await roles.insertRole(tx, row, rights);
        }
      }
      return id;
    },
    /** Sets some of a user's values; who may is decided by the caller. */
    set: store.setValues,
    noDefault: store.noDefault,
    /** Everything that is known about a person in the scope, including their answers and role. */
    person: profile.personById,
    ownerOf: profile.ownerOf,
    finishProfile: profile.finishProfile,
    setProfile: profile.setProfile,
    setEmail: profile.setEmail,
    answers: profile.answersOf,
    saveAnswers: profile.saveAnswers,
    /** The roles of companies and who holds them. */
    roles: {
      list: roles.rolesOf,
      byId: roles.roleById,
      rights: roles.rightsOf,
      insert: roles.insertRole,
      rename: roles.renameRole,
      setRights: roles.saveRights,
      remove: roles.removeRole,
      give: roles.giveRole,
    },
    byEmail: store.userByEmail,
    byId: store.userById,
    secretOf: store.userSecret,
    lock: store.lockUser,
    lockIfPassword: store.lockIfPassword,
    setPassword: store.setPassword,
    incharge: store.incharge,
    customerCare: store.customerCare,
  };
}
