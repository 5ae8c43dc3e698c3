import { messages } from '../../../../contract/messages.ts';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { notifyFailed } from '../../../ui/notify.ts';
import type { Document } from './agreements.ts';

/** Downloads the signed file of an agreement that one's own company accepted, by its file_uuid (DOC-01). */
export async function downloadSigned(userId: string, document_type: Document): Promise<void> {
  try {
    const { file_uuid } = await api.agreementText.download({ user_id: userId, document_type });
    await download(`/general/agreement/${file_uuid}/file`, {}, messages.agreementDownloadFailed);
  } catch {
    notifyFailed(messages.agreementDownloadFailed);
  }
}
