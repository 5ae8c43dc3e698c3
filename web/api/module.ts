import { useLocation } from '@tanstack/react-router';
import { modulesOf, type ShownModule } from '../../contract/routing/routing-facts.ts';
import { useFacts } from './user.ts';

/** The page's module, with its name and address; undefined on a page without a module. */
export function usePageModule(): ShownModule | undefined {
  const facts = useFacts();
  const slug = decodeURIComponent(useLocation({ select: ({ pathname }) => pathname.split('/')[1] ?? '' }));
  return modulesOf(facts).find((one) => one.slug === slug);
}
