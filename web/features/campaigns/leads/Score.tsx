import { Text } from '@mantine/core';
import { SCORE_REASONS, type ScoreReason } from '../../../../contract/campaigns/scores.ts';
import { None } from '../../../ui/Values.tsx';
import classes from './Score.module.css';

/** A score from 0 to 100 as a number with a bar; none for test leads and campaigns that weigh nothing. */
export function Score({ score }: { score: number | null }) {
  if (score === null) return <None />;
  return (
    <span className={classes.score}>
      <span className="num">{score}</span>
      <span className={classes.bar} aria-hidden="true">
        <span style={{ width: `${score}%` }} />
      </span>
    </span>
  );
}

/** Why a lead has its score: each reason with its points, which add up to it. */
export function ScoreReasons({ score, reasons }: { score: number | null; reasons: readonly ScoreReason[] }) {
  if (score === null)
    return (
      <Text size="sm" c="dimmed">
        This lead has no score.
      </Text>
    );
  return (
    <table className={classes.reasons}>
      <thead className="sr-only">
        <tr>
          <th scope="col">Reason</th>
          <th scope="col">Why</th>
          <th scope="col">Points</th>
        </tr>
      </thead>
      <tbody>
        {reasons.map(({ reason, points, most, words }) => (
          <tr key={reason}>
            <th scope="row">{SCORE_REASONS[reason]}</th>
            <td className={classes.words}>{words}</td>
            <td className="num">
              {points} <span className="dim">of {most}</span>
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Score</th>
          <td />
          <td className="num">
            {score} <span className="dim">of 100</span>
          </td>
        </tr>
      </tfoot>
    </table>
  );
}
