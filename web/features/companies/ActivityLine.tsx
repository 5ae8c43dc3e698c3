import { Fragment } from 'react';
import { When } from '../../ui/Values.tsx';
import { activityParts } from './activity.ts';
import classes from './companies.module.css';
import type { CompanyItem } from './companies.ts';

/** How a company is doing, in one line beneath its name. */
export function ActivityLine({ row }: { row: CompanyItem }) {
  const parts = activityParts(row, new Date());
  if (parts.length === 0) return null;
  return (
    <span className={`${classes.activity} num`}>
      {parts.map(({ words, at, tone }, nth) => (
        <Fragment key={words}>
          {nth > 0 && !parts[nth - 1]?.tone && ' · '}
          <span className={classes.part} data-tone={tone}>
            {words}
            {at && (
              <>
                {' '}
                <When at={at} relative />
              </>
            )}
          </span>
        </Fragment>
      ))}
    </span>
  );
}
