import { Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { num, shortTime } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import classes from './rules.module.css';

type Tried = Awaited<ReturnType<Client['delivery']['tryRules']>>;

/** Where the campaign's last leads would have gone. Times are in the zone of the hours. */
export function TriedLeads({ result, zone }: { result: Tried; zone: string }) {
  const box = useRef<HTMLElement>(null);
  // It appears at the end of a long form.
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), []);
  if (result.data.length === 0)
    return (
      <Text size="sm" mt="sm">
        The campaign has no leads yet.
      </Text>
    );
  const now = new Date();
  const counts: [number, string][] = [
    [result.not_matching, result.not_matching === 1 ? 'doesn’t match' : 'don’t match'],
    [
      result.others_turn,
      result.others_turn === 1 ? 'goes to another destination' : 'go to other destinations',
    ],
    [result.not_sendable, 'can’t be sent anymore'],
  ];
  return (
    <>
      <Text size="sm" mt="sm" mb="xs">
        <b>
          {num(result.goes)} of {num(result.data.length)}
        </b>{' '}
        {result.goes === 1 ? 'goes' : 'go'} here
        {result.waits > 0 && `, ${num(result.waits)} of them after a wait`}.{' '}
        {counts.flatMap(([count, words]) => (count > 0 ? [`${num(count)} ${words}.`] : [])).join(' ')}
      </Text>
      <section
        ref={box}
        className={classes.tried}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box has to be reachable by keyboard
        tabIndex={0}
        aria-label="The last leads with these rules"
      >
        <table>
          <thead>
            <tr>
              <th scope="col">Lead</th>
              <th scope="col">Received</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {result.data.map((one) => (
              <tr key={one.lead_id}>
                <td>{one.name ?? <span className={classes.nobody}>No name</span>}</td>
                <td className="num" style={{ whiteSpace: 'nowrap' }}>
                  {shortTime(one.created_at, now, zone)}
                </td>
                <td>
                  <StatusBadge status={one.goes ? 'goes' : 'skipped'} tone={one.goes ? 'good' : 'plain'} />
                  <div className={classes.why}>
                    {one.waits_until
                      ? `Waits until ${shortTime(one.waits_until, now, zone)}`
                      : one.goes
                        ? ''
                        : one.why}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
