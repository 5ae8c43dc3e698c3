import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { download } from '../api/download.ts';
import { useMayDownload } from '../api/user.ts';

/** A list as a downloadable file: which list, with the same parameters as shown. */
export interface Downloadable {
  /** Its name in server/exports.ts, or its own path below /api. */
  list: string | `/${string}`;
  /** The parameters of the list's call; the page is left out, since the file contains all pages. */
  query?: object;
}

/** The label comes from the specification (product 2, Agency User's Logs) and is the same on every list. */
const WORDS = 'Download Data';

/** Downloads what a list currently shows, all pages of it, as CSV. `compact`: only its icon. */
export function DownloadData({ list, query = {}, compact }: Downloadable & { compact?: boolean }) {
  const [isBusy, setBusy] = useState(false);
  const mayDownload = useMayDownload();
  const fetchFile = async () => {
    setBusy(true);
    await download(list.startsWith('/') ? list : `/export/${list}`, { ...query, Page: '', PerPage: '' });
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
