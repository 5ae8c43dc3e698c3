import { Collapse, Skeleton, Text, Title, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { num } from '../../../ui/format.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { Money, When } from '../../../ui/Values.tsx';
import { MinSpendProgress } from '../minimum-spend/MinSpendProgress.tsx';
import classes from './invoices.module.css';
import { periodWords } from './words.ts';

type Next = Awaited<ReturnType<Client['invoices']['upcoming']>>['data'][number];

/** What the user's own company owes that is not on any invoice yet. */
export function Upcoming() {
  const query = useQuery({
    queryKey: ['invoices', 'upcoming'],
    queryFn: ({ signal }) => api.invoices.upcoming({}, { signal }),
  });
  return (
    <section aria-label="Upcoming" style={{ marginBottom: 24 }}>
      <Title order={2} size="h4" mb="xs">
        Upcoming
      </Title>
      <MinSpendProgress />
      {query.error ? (
        <div className="card">
          <ErrorState
            error={query.error}
            what="Upcoming invoices could not be loaded"
            onRetry={() => void query.refetch()}
          />
        </div>
      ) : !query.data ? (
        <Skeleton height={92} radius="md" />
      ) : query.data.data.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing is waiting to be invoiced.
        </Text>
      ) : (
        <div className={classes.upcoming}>
          {query.data.data.map((next) => (
            <NextInvoice key={`${next.side} ${next.term}`} next={next} />
          ))}
        </div>
      )}
    </section>
  );
}

function NextInvoice({ next }: { next: Next }) {
  const { time_zone } = useUser();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const count = next.lines.length;
  return (
    <div className={`card ${classes.box}`}>
      <div className={classes.head}>
        <div style={{ minWidth: 0 }}>
          <Text fw={600}>{next.term} invoice, so far</Text>
          <Text size="sm" c="dimmed">
            {next.period_from && `${periodWords(next.period_from, next.period_to, time_zone)}, `}
            issued <When at={next.period_to} />
          </Text>
          {next.tax_micros === null ? (
            <Text size="sm" c="dimmed">
              Plus tax, calculated when the invoice is issued
            </Text>
          ) : (
            next.tax_name && (
              <Text size="sm" c="dimmed">
                {next.tax_micros > 0 ? (
                  <>
                    Includes <Money micros={next.tax_micros} /> {next.tax_name}
                  </>
                ) : (
                  next.tax_name
                )}
              </Text>
            )
          )}
        </div>
        <div className={`${classes.figure} num`}>
          <Money micros={next.total_micros} />
        </div>
      </div>
      {count > 0 && (
        <>
          <UnstyledButton
            mt="xs"
            fz="sm"
            fw={500}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show'} {count === 1 ? '1 line' : `${num(count)} lines`}{' '}
            {isOpen ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
          </UnstyledButton>
          <Collapse expanded={isOpen} id={id}>
            {next.lines.map((line, at) => (
              <div
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id before they are invoiced
                key={at}
                className={classes.line}
              >
                <div className={classes.row}>
                  <div>
                    {line.description}
                    <Text size="xs" c="dimmed">
                      {num(line.quantity)} at <Money micros={line.unit_micros} unit />
                    </Text>
                  </div>
                  <div>
                    <Money micros={line.amount_micros} unit />
                  </div>
                </div>
              </div>
            ))}
          </Collapse>
        </>
      )}
    </div>
  );
}
