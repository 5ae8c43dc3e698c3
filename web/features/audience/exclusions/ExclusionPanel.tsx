import { Button, Checkbox, Group, Progress, SegmentedControl, Text } from '@mantine/core';
import { IconEraser } from '@tabler/icons-react';
import { useState } from 'react';
import { exclusionMessages, MOST_RECORDS } from '../../../../contract/audience/exclusions-messages.ts';
import { api } from '../../../api/client.ts';
import { useMay, useUser } from '../../../api/user.ts';
import { CountrySelect } from '../../../ui/CountrySelect.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { FileDrop } from '../../../ui/FileDrop.tsx';
import { num } from '../../../ui/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { notifyDone, notifyFailed } from '../../../ui/notify.ts';
import { ListHistory } from './ListHistory.tsx';
import { type Accepts, holdsWords, type Place } from './model.ts';
import { useSuppression } from './useSuppression.ts';

const KINDS = 'email addresses (plain, MD5, or SHA-256), phone numbers, and domains';

/** The exclusion lists of one place: upload, progress, history, purge. Use the place as its React key. */
export function ExclusionPanel({ place }: { place: Place }) {
  const { company_id } = useUser();
  const isRoot = place.level === 'root';
  const isSmall = place.level === 'client' || place.level === 'campaign';
  const mayWrite = useMay(isRoot ? 'optout.write' : 'exclusion.write');
  const [accepts, setAccepts] = useState<Accepts>('email');
  const [aliases, setAliases] = useState<boolean>();
  const [country, setCountry] = useState('US');
  const [busy, setBusy] = useState(false);
  const suppression = useSuppression(place);
  const { state, progress } = suppression;
  const [holds, columns] =
    isSmall && accepts === 'email'
      ? ['email addresses, plain or as MD5', 'a column named email']
      : [KINDS, 'columns named email, phone, or domain'];
  // On for opt-outs: people who asked not to be contacted mean every spelling of their address.
  const ignoreAliases = aliases ?? (isRoot || (isSmall && accepts === 'email'));
  const most = isSmall
    ? `Up to ${num(MOST_RECORDS)} records.`
    : `Any number of rows, up to ${isRoot ? '2 GiB' : '256 MB'}.`;

  const purge = async () => {
    const isSure = await confirm({
      title: exclusionMessages.purgeTitle,
      body: exclusionMessages.purgeSure,
      verb: 'Purge records',
      danger: true,
    });
    if (!isSure) return;
    setBusy(true);
    try {
      const { message: msg } = isRoot
        ? await api.exclusions.purgeOptOutList()
        : await api.exclusions.purgeSuppressionList({
            owner_id: place.id,
            level: place.level as Exclude<Place['level'], 'root'>,
          });
      suppression.forget();
      notifyDone(msg);
    } catch {
      notifyFailed(exclusionMessages.purgeFailed);
    } finally {
      setBusy(false);
      suppression.changed();
    }
  };

  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        {holdsWords(place.level, place.id === company_id)} Each file becomes its own list, which you can undo.
      </Text>
      {mayWrite && (
        <>
          {isSmall && (
            <SegmentedControl
              mb="sm"
              fullWidth
              aria-label="File contents"
              value={accepts}
              disabled={state === 'saving'}
              data={[
                { value: 'email', label: 'Email addresses' },
                { value: 'all', label: 'Other types too' },
              ]}
              onChange={(next) => setAccepts(next as Accepts)}
            />
          )}
          {!(isSmall && accepts === 'email') && (
            <CountrySelect
              mb="sm"
              description="Used for phone numbers without a country code."
              value={country}
              disabled={state === 'saving'}
              onChange={setCountry}
            />
          )}
          <FileDrop
            title="Drop a CSV file here"
            text={`Include ${holds}: one per row, or in ${columns}. ${most}`}
            accept=".csv,text/csv"
            sending={suppression.sending}
            fault={suppression.fault}
            onFile={(file) => void suppression.send(file, accepts, { ignoreAliases, country })}
            onMany={() => suppression.refuse('Choose one file at a time.')}
          />
          <Checkbox
            mt="sm"
            mb="md"
            label="Match Gmail variations"
            description="Ignores dots and +tags in Gmail addresses, so j.doe+news@gmail.com also excludes jdoe@gmail.com. Applies to people whose email address we know, not only its hash."
            checked={ignoreAliases}
            disabled={state === 'saving'}
            onChange={(event) => setAliases(event.currentTarget.checked)}
          />
        </>
      )}
      {state === 'success' && (
        <div style={{ marginBottom: 16 }}>
          <Notice tone="good" live="status">
            {exclusionMessages.submitted}
          </Notice>
        </div>
      )}
      {progress.length > 0 && (
        <section aria-label="In progress" style={{ marginBottom: 16 }}>
          {progress.map((job) => (
            <div key={job.id} style={{ marginBottom: 12 }}>
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <Text size="sm" fw={500} truncate>
                  {job.file_name}
                </Text>
                <Text size="sm" c="dimmed" className="num" style={{ whiteSpace: 'nowrap' }}>
                  {num(job.current_row)} of {num(job.total_row)} rows
                </Text>
              </Group>
              <Progress mt={4} value={job.percentage} aria-label={`Loading ${job.file_name}`} />
            </div>
          ))}
        </section>
      )}
      <ListHistory
        place={place}
        mayWrite={mayWrite}
        onChanged={suppression.changed}
        action={
          mayWrite && (
            <Button
              variant="default"
              size="sm"
              loading={busy}
              leftSection={<IconEraser size={16} />}
              onClick={() => void purge()}
            >
              Purge existing records
            </Button>
          )
        }
      />
    </>
  );
}
