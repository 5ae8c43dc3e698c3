import { Text, Tooltip } from '@mantine/core';
import { num, percent } from '../../../ui/format.ts';
import { reasonWords } from './reasons.ts';
import classes from './Waterfall.module.css';

/**
 * Breaks visits down to leads: one bar for each reason why a visit did not become a lead, the largest first.
 * `isSearch`: of people found by keywords, not of visits.
 */
export function Waterfall(props: {
  isSearch?: boolean;
  visits: number;
  leads: number;
  reasons: { reason: string; count: number }[];
}) {
  const reasons = props.reasons.filter((one) => one.count > 0).sort((a, b) => b.count - a.count);
  // Also includes what is refused before it counts as a visit, so the total is the sum of the rows.
  const whole = props.leads + reasons.reduce((sum, one) => sum + one.count, 0);
  const hasEvents = !props.isSearch && whole !== props.visits;
  const rows = [
    {
      key: 'visits',
      title: props.isSearch ? 'People found' : hasEvents ? 'Pixel events' : 'Visits',
      meaning: props.isSearch
        ? 'People who showed intent in the location.'
        : hasEvents
          ? `${num(props.visits)} visits, plus events that do not count as visits: from bots, malformed, or from an inactive campaign.`
          : 'Everything the pixel reported.',
      count: whole,
      kind: 'whole',
    },
    ...reasons.map(({ reason, count }) => ({ key: reason, ...reasonWords(reason), count, kind: 'lost' })),
    {
      key: 'leads',
      title: 'Leads',
      meaning: 'Recognized, accepted, and paid for.',
      count: props.leads,
      kind: 'lead',
    },
  ];
  return (
    <table className={classes.table}>
      <caption className="sr-only">Why {props.isSearch ? 'people' : 'visits'} did not become leads</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Step</th>
          <th scope="col">Bar</th>
          <th scope="col">Count</th>
          <th scope="col">{props.isSearch ? 'Share of people found' : 'Share of visits'}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key} data-kind={row.kind}>
            <Tooltip label={row.meaning} disabled={!row.meaning} position="top-start">
              <th scope="row">{row.title}</th>
            </Tooltip>
            <td className={classes.track} aria-hidden="true">
              <span
                className={classes.bar}
                style={{ width: `max(2px, ${(100 * row.count) / Math.max(whole, 1)}%)` }}
              />
            </td>
            <td className="num">{num(row.count)}</td>
            <td className="num">
              <Text size="xs" c="dimmed" component="span">
                {whole > 0 ? percent(row.count / whole) : ''}
              </Text>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
