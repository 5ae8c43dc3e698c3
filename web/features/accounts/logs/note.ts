import type { SavedAction } from '../../../../contract/accounts/logs.ts';
import { api } from '../../../api/client.ts';

/** Adds to the user log what only the page knows. The page goes on if that fails. */
export function noteAction(action: SavedAction, id: string): void {
  api.logs.save({ action, id }).catch(() => {});
}
