import type { CardGateway, GatewayParts } from '../../../providers/payments.ts';
import type { OnStep } from './charge.service.ts';

/** What tests change on the way to the card network. */
export interface CardParts extends Pick<GatewayParts, 'answerTimeoutMs' | 'wait'> {
  /** Wraps the gateway to the network. */
  around?: (gateway: CardGateway) => CardGateway;
  /** Called at each step of a charge; throwing, or ending the process, ends the charge there. */
  onStep?: OnStep;
}
