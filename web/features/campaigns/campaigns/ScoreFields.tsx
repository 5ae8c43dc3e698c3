import { Anchor, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RULE_FAULTS, ruleInputsIn } from '../../../../contract/campaigns/campaign-rules.ts';
import { reasonsWords, SCORE_BANDS } from '../../../../contract/campaigns/scores.ts';
import { api } from '../../../api/client.ts';
import { Fields } from '../../../ui/Fields.tsx';
import { num } from '../../../ui/format.ts';
import { SkeletonRows } from '../../../ui/SkeletonRows.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import type { CampaignFormState, CampaignValues } from './model.ts';
import { RuleInputsIn } from './RuleInputs.tsx';
import classes from './ScoreFields.module.css';

/** How leads are scored, and for a campaign that has leads, what the weights would make of them. */
export function ScoreFields({
  form,
  campaignId,
}: {
  form: CampaignFormState;
  campaignId?: string | undefined;
}) {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Each lead has a score from 0 to 100. What counts is how the weights compare: a weight of 6 counts
        twice as much as a weight of 3, and 0 leaves a reason out.
      </Text>
      <Fields>
        <RuleInputsIn part="scores" form={form} />
      </Fields>
      {campaignId && <Preview campaignId={campaignId} values={form.values} />}
    </Stack>
  );
}

/** The weights of a form as the preview takes them; undefined if one of them is wrong. */
function weightsOf(values: CampaignValues) {
  const names = ruleInputsIn('scores', values.module).map(([name]) => name);
  if (names.some((name) => RULE_FAULTS[name]?.(values[name] as never))) return undefined;
  const { score_recency, score_depth, score_hot, score_fit, score_pages } = values;
  return {
    score_recency: Number(score_recency),
    score_depth: Number(score_depth),
    score_hot: Number(score_hot),
    score_fit: Number(score_fit),
    score_pages,
  };
}

/** What the weights would make of the campaign's newest leads. */
function Preview({ campaignId, values }: { campaignId: string; values: CampaignValues }) {
  const [typed] = useDebouncedValue(JSON.stringify(weightsOf(values)), 400);
  const query = useQuery({
    queryKey: ['score-preview', campaignId, typed],
    queryFn: ({ signal }) =>
      api.leads.previewScores(
        { campaign_id: campaignId, ...(JSON.parse(typed!) as NonNullable<ReturnType<typeof weightsOf>>) },
        { signal },
      ),
    placeholderData: keepPreviousData,
    enabled: typed !== undefined,
  });
  if (query.error)
    return (
      <ErrorState
        error={query.error}
        what="The preview could not be created"
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SkeletonRows rows={5} />;
  const { leads, bands, examples } = query.data;
  if (leads === 0)
    return (
      <Text size="sm" c="dimmed">
        Once this campaign has leads, you can preview their scores with other weights here.
      </Text>
    );
  const most = Math.max(1, ...bands.flatMap(({ before, after }) => [before, after]));
  return (
    <section aria-label="Preview" aria-busy={query.isFetching}>
      <table className={classes.bands}>
        <caption>{leads === 1 ? 'The last lead' : `The last ${num(leads)} leads`}, by score</caption>
        <thead>
          <tr>
            <th scope="col">Score</th>
            <th scope="col">Now</th>
            <th scope="col">With these weights</th>
          </tr>
        </thead>
        <tbody>
          {bands.toReversed().map(({ from, before, after }) => (
            <tr key={from}>
              <th scope="row" className="num">
                {from}–{(SCORE_BANDS.find((next) => next > from) ?? 101) - 1}
              </th>
              <Count count={before} most={most} />
              <Count count={after} most={most} isNew />
            </tr>
          ))}
        </tbody>
      </table>
      {examples.length > 0 && (
        <>
          <Text size="sm" fw={500} mt="sm">
            Highest with these weights
          </Text>
          <ul className={classes.examples}>
            {examples.map(({ id, before, score, score_reasons }) => (
              <li key={id}>
                <Anchor component={Link} to="/leads" search={{ lead: id } as never} className="num" inherit>
                  {score}
                </Anchor>{' '}
                <span className="dim">
                  {before === null || before === score ? '' : `(now ${before}) `}
                  {reasonsWords(score_reasons)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Count({ count, most, isNew = false }: { count: number; most: number; isNew?: boolean }) {
  return (
    <td>
      <span className={classes.count}>
        <span className="num">{num(count)}</span>
        <span
          className={isNew ? classes.after : classes.before}
          style={{ width: `${(count / most) * 100}%` }}
          aria-hidden="true"
        />
      </span>
    </td>
  );
}
