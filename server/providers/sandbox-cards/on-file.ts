import { randomBytes } from 'node:crypto';
import { type Card, type CardSetup, GatewayError, type PaymentGateway } from '../../platform/payments.ts';
import { type CardEntry, declineMessages, readEntry } from './cards.ts';
import type { Network } from './network.ts';
import type { CardRow, SandboxObjects, SandboxTx } from './store.ts';

type OnFile = Pick<PaymentGateway, 'createCustomer' | 'startCard' | 'finishCard' | 'getCard' | 'removeCard'>;

/** What the card form gets back. */
export type EntryResult =
  | { status: 'saved' }
  /** Show the bank's question, then authenticate. */
  | { status: 'authenticate' }
  | { status: 'failed'; code: string; message: string };

/** Customers and cards on file. */
export function createOnFile(network: Network): OnFile & {
  /** What the card form submits. Throws `not_found` for an unknown secret. Only last4 of the number is kept. */
  enterCard(clientSecret: string, entry: CardEntry): Promise<EntryResult>;
  /** The holder's answer to the bank's authentication prompt. */
  authenticateCard(clientSecret: string, passed: boolean): Promise<EntryResult>;
} {
  const { store, clock } = network;

  async function setupOf(tx: SandboxTx, clientSecret: string): Promise<SandboxObjects['setup']> {
    const setup = await tx.get('setup', clientSecret.split('_secret_')[0]!);
    if (setup?.clientSecret !== clientSecret)
      throw new GatewayError('not_found', 'No such card form', 'setup');
    return setup;
  }

  async function save(tx: SandboxTx, setup: SandboxObjects['setup'], card: CardRow): Promise<EntryResult> {
    const { failure: _, ...rest } = setup;
    await tx.put('card', card, { owner: card.customer });
    await tx.put('setup', { ...rest, card, saved: true }, { owner: setup.customer });
    await network.notify(tx, 'card.saved', ids(setup, card));
    return { status: 'saved' };
  }

  async function fail(
    tx: SandboxTx,
    setup: SandboxObjects['setup'],
    code: string,
    message: string,
  ): Promise<EntryResult> {
    const { card: _, ...rest } = setup;
    await tx.put('setup', { ...rest, failure: { code, message } }, { owner: setup.customer });
    await network.notify(tx, 'card.failed', ids(setup));
    return { status: 'failed', code, message };
  }

  return {
    createCustomer: (input) =>
      store.transaction(async (tx) => {
        const { reference, account = '' } = input;
        const made = await network.once(tx, 'customer', input, async () => {
          const customer = { id: network.id('cus'), account, reference };
          await tx.put('customer', customer, { owner: account });
          return customer;
        });
        return made.id;
      }),

    startCard: (input) =>
      store.transaction(async (tx) => {
        const customer = await network.find(tx, 'customer', input.customer, input.account);
        const { id, clientSecret } = await network.once(tx, 'setup', input, async () => {
          const setupId = network.id('seti');
          const setup = {
            id: setupId,
            account: customer.account,
            customer: customer.id,
            clientSecret: `${setupId}_secret_${randomBytes(24).toString('base64url')}`,
            saved: false,
          };
          await tx.put('setup', setup, { owner: customer.id });
          return setup;
        });
        return { setup: id, clientSecret };
      }),

    finishCard: (input) =>
      store.transaction(async (tx): Promise<CardSetup> => {
        const setup = await network.find(tx, 'setup', input.setup, input.account);
        if (setup.saved) return { status: 'saved', card: seen(setup.card!) };
        return setup.failure ? { status: 'failed', ...setup.failure } : { status: 'pending' };
      }),

    getCard: (input) =>
      store.transaction(async (tx) => {
        const card = await tx.get('card', input.card);
        return card && !card.removed && card.account === (input.account ?? '') ? seen(card) : undefined;
      }),

    removeCard: (input) =>
      store.transaction(async (tx) => {
        const card = await tx.get('card', input.card);
        if (!card || card.removed || card.account !== (input.account ?? '')) return;
        await tx.put('card', { ...card, removed: true }, { owner: card.customer });
        await network.notify(tx, 'card.removed', {
          ...(card.account ? { account: card.account } : {}),
          customer: card.customer,
          card: card.id,
        });
      }),

    enterCard: (clientSecret, entry) =>
      store.transaction(async (tx): Promise<EntryResult> => {
        const setup = await setupOf(tx, clientSecret);
        if (setup.saved) return { status: 'saved' };
        const read = readEntry(entry, clock.now());
        if ('error' in read) return { status: 'failed', code: read.error, message: read.message };
        const { behavior } = read.card;
        if (behavior.save) return fail(tx, setup, behavior.save, declineMessages[behavior.save]);
        const card: CardRow = {
          id: network.id('pm'),
          account: setup.account,
          customer: setup.customer,
          brand: read.brand,
          last4: read.last4,
          expMonth: entry.expMonth,
          expYear: read.expYear,
          fingerprint: network.fingerprint(read.card.number),
          behavior,
          charges: 0,
          removed: false,
        };
        if (!behavior.challenge) return save(tx, setup, card);
        const { failure: _, ...rest } = setup;
        await tx.put('setup', { ...rest, card }, { owner: setup.customer });
        return { status: 'authenticate' };
      }),

    authenticateCard: (clientSecret, passed) =>
      store.transaction(async (tx): Promise<EntryResult> => {
        const setup = await setupOf(tx, clientSecret);
        if (setup.saved) return { status: 'saved' };
        if (!setup.card) throw new GatewayError('invalid', 'There is no card to authenticate');
        if (passed) return save(tx, setup, setup.card);
        return fail(tx, setup, 'authentication_failed', declineMessages.authentication_failed);
      }),
  };
}

const ids = (setup: SandboxObjects['setup'], card?: CardRow) => ({
  ...(setup.account ? { account: setup.account } : {}),
  customer: setup.customer,
  setup: setup.id,
  ...(card ? { card: card.id } : {}),
});

const seen = ({ id, brand, last4, expMonth, expYear, fingerprint }: CardRow): Card => ({
  id,
  brand,
  last4,
  expMonth,
  expYear,
  fingerprint,
});
