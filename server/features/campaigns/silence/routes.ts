import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Silences } from './service.ts';

/** The calls of the messages about silent sites. */
export function silenceRoutes(silences: Silences): Handlers<typeof contract.silence> {
  return {
    async get(ctx) {
      const { wants, is_blocked, email } = await silences.get(ctx);
      return { is_on: wants, is_blocked, email };
    },
    async choose(ctx, { is_on: isOn }) {
      await silences.choose(ctx, isOn);
      return { result: 'success', message: isOn ? ownMessages.silenceOn : ownMessages.silenceOff };
    },
  };
}
