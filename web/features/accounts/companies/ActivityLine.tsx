import { When } from '../../../ui/Values.tsx';
import { activityParts, stateWords } from './activity.ts';
import classes from './companies.module.css';
import type { CompanyItem } from './companies.ts';

/** How a company is doing, beneath its name, and what is set for it. */
export function ActivityLine({ row }: { row: CompanyItem }) {
  const parts = activityParts(row, new Date());
  const states = stateWords(row);
  if (parts.length === 0 && states.length === 0) return null;
  return (
    <span className={`${classes.activity} num`}>
      <span className={classes.parts}>
        {parts.map(({ words, at, tone }) => (
          <span key={words} className={classes.part} data-tone={tone}>
            {words}
            {at && (
              <>
                {' '}
                <When at={at} relative />
              </>
            )}
          </span>
        ))}
      </span>
      {states.length > 0 && (
        <span className={classes.states}>
          {states.map(({ words, tone }) => (
            <span key={words} className={classes.state} data-tone={tone}>
              {words}
            </span>
          ))}
        </span>
      )}
    </span>
  );
}
