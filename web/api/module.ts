import { useLocation } from '@tanstack/react-router';
import { modulesOf, type ShownModule } from '../../contract/routing-facts.ts';
import { useFacts } from './user.ts';

/** The module whose page it is, with its name and address; undefined on a page of no module. */
export function usePageModule(): ShownModule | undefined {
  const facts = useFacts();
  const slug = decodeURIComponent(useLocation({ select: ({ pathname }) => pathname.split('/')[1] ?? '' }));
  return modulesOf(facts).find((one) => one.slug === slug);
}
