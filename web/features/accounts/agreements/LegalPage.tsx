import { Button, Group, Text, Title } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import {
  type LegalName,
  legalDocument,
  legalNote,
  RETENTION_HEADING,
} from '../../../../contract/accounts/legal.ts';
import { api, session } from '../../../api/client.ts';
import { BrandMark } from '../../../brand/BrandMark.tsx';
import { useBrand } from '../../../brand/brand.ts';
import { dayWords } from '../../../ui/format.ts';
import { usePageTitle } from '../../../ui/usePageTitle.ts';
import classes from './LegalPage.module.css';

const OTHERS: [LegalName, string][] = [
  ['privacy-policy', 'Privacy policy'],
  ['term-of-use', 'Terms of use'],
  ['service-billing-agreement', 'Service and billing agreement'],
  ['marketing-services-agreement-developer', 'Developer agreement'],
];

/** One of the tenant's legal documents, with the tenant's name and look; prints cleanly (ROUT-10). */
export default function LegalPage() {
  const brand = useBrand();
  const { pathname } = useLocation();
  const name = pathname.split('/').find((part) => part !== '') as LegalName;
  const text = legalDocument(name, brand.name);
  usePageTitle(text.title);
  const { data: horizons } = useQuery({
    queryKey: ['retention', 'horizons'],
    queryFn: ({ signal }) => api.retention.horizons(undefined, { signal }),
    enabled: name === 'privacy-policy',
  });
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <Link to="/" className={classes.mark} aria-label={`${brand.name}, home`}>
          <BrandMark brand={brand} />
        </Link>
        <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => print()}>
          Print
        </Button>
      </header>
      <main className={classes.document}>
        <Title order={1}>{text.title}</Title>
        <Text c="dimmed" size="sm" mt={4}>
          {brand.name}. Version {text.version}, effective{' '}
          {dayWords(text.since, { year: 'numeric', month: 'long', day: 'numeric' })}.
        </Text>
        <p className={classes.note}>{legalNote(brand.name)}</p>
        {text.sections.map(({ heading, paragraphs }, i) => (
          <section key={heading}>
            <h2>
              <span className="num">{i + 1}.</span> {heading}
            </h2>
            {paragraphs.map((words) => (
              <p key={words}>{words}</p>
            ))}
            {heading === RETENTION_HEADING && horizons && (
              <ul>
                {horizons.data.map(({ kind, title, days }) => (
                  <li key={kind}>
                    {title}: {days === null ? 'as long as the account exists' : `${days} days`}
                  </li>
                ))}
              </ul>
            )}
          </section>
        ))}
      </main>
      <Group component="nav" aria-label="Documents" className={classes.others} gap="lg">
        {OTHERS.filter(([other]) => other !== name).map(([other, words]) => (
          <Link key={other} to={`/${other}` as '/'}>
            {words}
          </Link>
        ))}
        <Link to={'/privacy' as '/'}>Your privacy choices</Link>
        <Link to="/">{session.alive ? `Back to ${brand.name}` : 'Sign in'}</Link>
      </Group>
    </div>
  );
}
