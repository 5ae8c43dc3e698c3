import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { CallName } from '../../contract/index.ts';
import { wire } from '../api/client.ts';
import { download } from '../api/download.ts';
import { useMayDownload } from '../api/user.ts';

/** A list as a downloadable file: which list, with the same parameters as shown. */
export type Downloadable = {
  /** The name of its export, or its own path below /api. */
  list: string | `/${string}`;
} & (
  | {
      /** The list's call, and its parameters; the page is left out, since the file contains all pages. */
      of: CallName;
      query: object;
    }
  | { of?: never; query?: never }
);

/** The label comes from the specification (product 2, Agency User's Logs) and is the same on every list. */
const WORDS = 'Download Data';

/** Downloads what a list currently shows, all pages of it, as CSV. `compact`: only its icon. */
export function DownloadData({ list, of, query = {}, compact }: Downloadable & { compact?: boolean }) {
  const [isBusy, setBusy] = useState(false);
  const mayDownload = useMayDownload();
  const fetchFile = async () => {
    setBusy(true);
    const asked = { ...query, page: undefined, per_page: undefined };
    await download(list.startsWith('/') ? list : `/export/${list}`, of ? wire.sent(of, asked) : asked);
    setBusy(false);
  };
  if (!mayDownload) return null;
  if (compact)
    return (
      <Tooltip label={WORDS}>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={WORDS}
          loading={isBusy}
          onClick={() => void fetchFile()}
        >
          <IconDownload size={18} aria-hidden="true" />
        </ActionIcon>
      </Tooltip>
    );
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden="true" />}
      loading={isBusy}
      onClick={() => void fetchFile()}
    >
      {WORDS}
    </Button>
  );
}
